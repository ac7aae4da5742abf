// The test command: lint, format, walls, words, types, native tests (plain, ASan+UBSan, TSan), TypeScript tests, end to end.
// `node tests/all.mjs [step ...]` runs only the named steps; those of the night run only when they are named. Ends with
// one line "N passed, N failed[, N skipped]".
import { availableParallelism } from 'node:os';
import { testFiles } from './runner/files.mjs';
import { buildForTests, nativeTests } from './runner/native.mjs';
import { runFiles } from './runner/node-tests.mjs';
import { check, finish, sum } from './runner/report.mjs';

const files = (wanted, env) => async () => {
  await buildForTests();
  return runFiles(testFiles().filter(wanted), availableParallelism(), env);
};
const inTier = (tier) => (file) => file.tier === tier;

/** What tests with random input do at night, beside a second or a few hundred rounds by day. */
const long = {
  COLLBENCH_FUZZ_SECONDS: '20',
  COLLBENCH_FUZZ_ROUNDS: '30000',
  COLLBENCH_IMPORT_CHANGES: '300',
};

/** Steps in their order; those of a group run at once. */
const groups = [
  {
    lint: check('npx', 'biome', 'check', '--error-on-warnings', '.'),
    format: check(process.execPath, 'tests/clang-format.mjs'),
    walls: check(process.execPath, 'tests/walls.mjs'),
    words: check(process.execPath, 'tests/words.mjs'),
    joined: check(process.execPath, 'tests/joined.mjs'),
    types: check('npx', 'tsc', '-p', 'tsconfig.json'),
  },
  { native: () => nativeTests('native', ['all']) },
  { asan: () => nativeTests('native-asan', ['asan']) },
  { tsan: () => nativeTests('native-tsan', ['tsan']) },
  { unit: files(inTier('unit')) },
  { e2e: files(inTier('e2e')) },
];
const nightly = [
  { 'asan-all': () => nativeTests('native-asan', ['all'], long) },
  { 'tsan-all': () => nativeTests('native-tsan', ['all']) },
  { soak: files(({ isSoak }) => isSoak, long) },
  { nightly: files(inTier('nightly')) },
];
const names = (steps) => steps.flatMap((group) => Object.keys(group));

const wanted = process.argv.slice(2);
for (const name of wanted) {
  if (names([...groups, ...nightly]).includes(name)) continue;
  console.error(
    `unknown step ${name}; steps: ${names(groups).join(' ')}; at night: ${names(nightly).join(' ')}`,
  );
  process.exit(1);
}

const results = [];
const failedSteps = [];
async function runStep([name, step]) {
  const begin = Date.now();
  console.log(`\n== ${name}`);
  const ended = await step();
  results.push(...ended);
  if (sum(ended, 'failed') > 0) failedSteps.push(name);
  const seconds = ((Date.now() - begin) / 1000).toFixed(0);
  console.log(`== ${name}: ${sum(ended, 'passed')} passed, ${sum(ended, 'failed')} failed (${seconds} s)`);
}
for (const group of wanted.length > 0 ? [...groups, ...nightly] : groups)
  await Promise.all(
    Object.entries(group)
      .filter(([name]) => wanted.length === 0 || wanted.includes(name))
      .map(runStep),
  );
finish(results, failedSteps);
