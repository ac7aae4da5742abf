// Runs TypeScript test files: end-to-end tests each in a process of its own, unit tests of a room several in one.
import { loadavg } from 'node:os';
import { run } from './process.mjs';

/** Far beyond what a file takes on a busy machine: it hangs. */
const hangsAfter = (file) => Math.max(600, 5 * file.allowedS) * 1000;

/** The counts at the end of a report of Node's runner. A report without its end is a failure, whatever the exit code. */
function counts({ code, output }) {
  const count = (word) => Number(new RegExp(`^ℹ ${word} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: Math.max(count('fail') + count('cancelled'), code === 0 && /^ℹ tests \d+/m.test(output) ? 0 : 1),
    skipped: count('skipped') + count('todo'),
  };
}

async function runFile(file, busy, env) {
  const ended = await run([process.execPath, '--test-reporter=spec', ...[file.built].flat()], {
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

/** Files per process: few enough that two processors end at the same time. */
const filesPerProcess = 12;

/** Lists of files that share a process: files of one room import the same modules. */
function processesOf(files) {
  const lists = [];
  const open = new Map();
  for (const file of files) {
    const room = file.file.split('/')[0];
    const list = file.hasOwnProcess ? undefined : open.get(room);
    if (list !== undefined && list.length < filesPerProcess) list.push(file);
    else {
      lists.push([file]);
      if (!file.hasOwnProcess) open.set(room, lists.at(-1));
    }
  }
  return lists;
}

const allowedOf = (files) => files.reduce((total, file) => total + file.allowedS, 0);

/**
 * Runs unit test files in one process. If anything fails there, each file runs again by itself, which names the file and
 * shows its failure. A failure that does not come again is a failure of all of them.
 */
async function runShared(files, busy, env) {
  const first = files[0].file;
  const name = `${files.length} files of ${first.split('/')[0]} in one process, from ${first}`;
  const built = ['tests/runner/together.mjs', ...files.map((file) => file.built)];
  const result = await runFile({ file: name, built, allowedS: allowedOf(files) }, busy, env);
  if (result.failed === 0) return [result];
  console.log('each of these files by itself, to name the one that failed:');
  const results = [];
  for (const file of files) results.push(await runFile(file, busy, env));
  if (results.some(({ failed }) => failed > 0)) return results;
  return [...results, { ...result, passed: 0, skipped: 0 }];
}

/**
 * Runs the files `lanes` at a time, the longest first, then one by one those that want to be alone, then once more those
 * that failed.
 */
export async function runFiles(files, lanes, env = {}) {
  const busy = () => loadavg()[0] > 1.5 * lanes;
  const byLength = processesOf(files).sort((a, b) => allowedOf(b) - allowedOf(a));
  const waiting = byLength.filter(([file]) => !file.isAlone);
  const ended = [];
  const runNext = async (group) => {
    if (group.length > 1) ended.push(...(await runShared(group, busy, env)).map((result) => ({ result })));
    else ended.push({ file: group[0], result: await runFile(group[0], busy, env) });
  };
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runNext(next);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  for (const group of byLength.filter(([file]) => file.isAlone)) await runNext(group);
  const results = [];
  for (const { file, result } of ended)
    results.push(file === undefined ? result : await secondTry(file, result, busy, env));
  return results;
}
