// Runs TypeScript test files, each in a process of its own.
import { loadavg } from 'node:os';
import { run } from './process.mjs';

/** Far beyond what a file takes on a busy machine: it hangs. */
const hangsAfter = (file) => Math.max(600, 5 * file.allowedS) * 1000;

/** The counts at the end of a report of Node's runner. */
function counts({ code, output }) {
  const count = (word) => Number(new RegExp(`^ℹ ${word} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: Math.max(count('fail') + count('cancelled'), code === 0 ? 0 : 1),
    skipped: count('skipped') + count('todo'),
  };
}

async function runFile(file, busy, env) {
  const ended = await run([process.execPath, '--test-reporter=spec', file.built], {
    env,
    limitMs: hangsAfter(file),
  });
  const result = { name: file.file, seconds: ended.seconds, ...counts(ended) };
  const number = `${result.passed} passed${result.skipped > 0 ? `, ${result.skipped} skipped` : ''}`;
  const time = `${ended.seconds.toFixed(1).padStart(6)} s`;
  if (result.failed > 0) {
    console.log(`FAILED ${time}  ${file.file}${ended.isTimedOut ? ': it hung and was ended' : ''}`);
    console.log(ended.output);
  } else {
    console.log(`ok     ${time}  ${file.file}  ${number}`);
    for (const line of ended.output.split('\n')) if (/^\s*﹣/.test(line)) console.log(line);
  }
  // No judgement: others may have had the processors.
  if (ended.seconds > file.allowedS)
    console.log(
      `       it says that it takes up to ${file.allowedS} s${busy() ? ' (the machine was busy)' : ''}`,
    );
  return result;
}

/**
 * Once more, with nothing beside it: end-to-end tests lean on processes, sockets and load of a shared machine. What fails
 * twice has failed; what passes then is named at the end, with the first failure above. Units have no such excuse.
 */
async function secondTry(file, first, busy, env) {
  if (first.failed === 0 || file.tier === 'unit') return first;
  console.log(`again, alone: ${file.file}`);
  const second = await runFile(file, busy, env);
  return { ...second, seconds: first.seconds + second.seconds, isSecondTry: second.failed === 0 };
}

/**
 * Runs the files `lanes` at a time, the longest first, then one by one those that want to be alone, then once more those
 * that failed.
 */
export async function runFiles(files, lanes, env = {}) {
  const busy = () => loadavg()[0] > 1.5 * lanes;
  const byLength = [...files].sort((a, b) => b.allowedS - a.allowedS);
  const waiting = byLength.filter((file) => !file.isAlone);
  const ended = [];
  const runOne = async (file) => ended.push({ file, result: await runFile(file, busy, env) });
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runOne(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const file of byLength.filter(({ isAlone }) => isAlone)) await runOne(file);
  const results = [];
  for (const { file, result } of ended) results.push(await secondTry(file, result, busy, env));
  return results;
}
