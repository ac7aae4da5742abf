// The test command. `node tests/all.mjs [STEP ...]` runs the named steps, in their order; without a name it runs `daily`.
//   daily    lint, format, walls, words, language, own texts, joined, types; native tests, unit tests, end-to-end tests marked `core`
//   rest     native tests under ASan+UBSan and TSan, and the other end-to-end tests
//   night    tests that take hours
// Ends with one line "N passed, N failed[, N skipped]". `--into FILE` writes the counts to FILE instead; `--add FILE` adds
// the counts of an earlier command, so that two commands have one last line. `--jobs N` runs N tests at a time, as many as
// processors by default; more are faster where other programs also use the processors.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { testFiles } from './runner/files.mjs';
import { buildForTests, nativeTests } from './runner/native.mjs';
import { runFiles } from './runner/node-tests.mjs';
import { check, finish, readCounts, sum } from './runner/report.mjs';

const files = (wanted, env) => async () => {
  await buildForTests();
  return runFiles(testFiles().filter(wanted), jobs, env);
};
const inTier = (tier) => (file) => file.tier === tier;

/** Environment of night tests with random input: seconds and rounds. By day they take a second or a few hundred rounds. */
const long = {
  COLLBENCH_FUZZ_SECONDS: '20',
  COLLBENCH_FUZZ_ROUNDS: '30000',
  COLLBENCH_IMPORT_CHANGES: '300',
  COLLBENCH_TRIALS: '10',
};

/** Sets of steps. A set is a list of groups, which run one after another; the steps of a group run at the same time. */
const sets = {
  daily: [
    {
      lint: check('npx', 'biome', 'check', '--error-on-warnings', '.'),
      format: check(process.execPath, 'tests/clang-format.mjs'),
      walls: check(process.execPath, 'tests/walls.mjs'),
      words: check(process.execPath, 'tests/words.mjs'),
      language: check(process.execPath, 'tests/language.mjs'),
      ownTexts: check(process.execPath, 'tests/own-texts.mjs'),
      joined: check(process.execPath, 'tests/joined.mjs'),
      types: check(process.execPath, 'bin/setup.mjs', '--ts'),
    },
    { native: () => nativeTests('native', ['all'], { jobs }) },
    { unit: files(inTier('unit')) },
    { core: files(inTier('core')) },
  ],
  rest: [
    { asan: () => nativeTests('native-asan', ['asan'], { jobs }) },
    { tsan: () => nativeTests('native-tsan', ['tsan'], { jobs }) },
    { e2e: files(inTier('e2e')) },
  ],
  night: [
    { 'asan-all': () => nativeTests('native-asan', ['all'], { env: long, jobs }) },
    { 'tsan-all': () => nativeTests('native-tsan', ['all'], { jobs }) },
    { soak: files(({ isSoak }) => isSoak, long) },
    { nightly: files(inTier('nightly')) },
  ],
};
const stepsOf = (set) => sets[set].flatMap((group) => Object.keys(group));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { into: { type: 'string' }, add: { type: 'string' }, jobs: { type: 'string' } },
});
const jobs = values.jobs === undefined ? availableParallelism() : Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) {
  console.error(`--jobs: ${values.jobs} is not a whole number from 1\nNext: npm test -- --jobs 2`);
  process.exit(1);
}
const wanted = new Set(
  (positionals.length > 0 ? positionals : ['daily']).flatMap((name) =>
    name in sets ? stepsOf(name) : [name],
  ),
);
for (const name of wanted) {
  if (Object.keys(sets).some((set) => stepsOf(set).includes(name))) continue;
  const lists = Object.keys(sets).map((set) => `  ${set}: ${stepsOf(set).join(' ')}`);
  console.error(`unknown step ${name}; steps:\n${lists.join('\n')}`);
  process.exit(1);
}
const earlier = values.add === undefined ? [] : readCounts(values.add);

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
for (const group of Object.values(sets).flat())
  await Promise.all(
    Object.entries(group)
      .filter(([name]) => wanted.has(name))
      .map(runStep),
  );
finish(results, { failedSteps, earlier, into: values.into });
