// Runs TypeScript test files: each end-to-end test file in its own process, several unit test files of a room in one process.
import { loadavg } from 'node:os';
import { run } from './process.mjs';

/** Milliseconds after which a file counts as hung, far more than it takes on a busy machine. */
const hangsAfter = (file) => Math.max(600, 5 * file.allowedS) * 1000;

/** Reads the counts at the end of a report of Node's test runner. A report without its end counts as a failure. */
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
  // A long time is no failure, because other programs may have used the processors.
  if (ended.seconds > file.allowedS)
    console.log(
      `       it says that it takes up to ${file.allowedS} s${busy() ? ' (the machine was busy)' : ''}`,
    );
  return result;
}

/**
 * Repeats an end-to-end test after a failure, with no other test at the same time. Such tests depend on processes, sockets and
 * load of a shared machine. The second result counts; a test that passes now is named in the final report. Unit tests get no
 * second try.
 */
async function secondTry(file, first, busy, env) {
  if (first.failed === 0 || file.tier === 'unit') return first;
  console.log(`again, alone: ${file.file}`);
  const second = await runFile(file, busy, env);
  return { ...second, seconds: first.seconds + second.seconds, isSecondTry: second.failed === 0 };
}

/** Maximum number of unit test files per process, small enough that two processors finish at about the same time. */
const filesPerProcess = 12;

/** Lists of files, one per process. A shared process has files of one room, because these import the same modules. */
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
 * Runs unit test files in one process. After a failure each file runs again in its own process, which names the file that
 * fails. If no file fails by itself, the failure counts for the whole group.
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
 * Runs the files in `lanes` processes at a time, the longest first. Then runs the files marked `alone` one by one, and last
 * the failed end-to-end tests once more.
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
