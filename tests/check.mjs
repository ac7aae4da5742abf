// Checks an edit in less than a minute: lint, format and types of the changed files, the unit tests that import them directly
// or through others, and the native tests of the changed rooms. `node tests/check.mjs [--base REV]`: files that differ from
// REV (default HEAD), and new files. An end-to-end test runs only if its own file changed; other affected ones are named.
// Ends with one line "N passed, N failed[, N skipped]".
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setUp } from '../bin/setup.mjs';
import { exists, nearestTests, reaching } from './runner/closure.mjs';
import { testFiles } from './runner/files.mjs';
import { buildForTests, nativeTests, roomsWithTests } from './runner/native.mjs';
import { runFiles } from './runner/node-tests.mjs';
import { root } from './runner/process.mjs';
import { check, finish, sum } from './runner/report.mjs';

const [option, base = 'HEAD', ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && (option !== '--base' || process.argv.length !== 4))) {
  console.error('usage: node tests/check.mjs [--base REV]');
  process.exit(1);
}

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '-o', '--exclude-standard')];
const present = changed.filter(exists);
const having = (pattern) => present.filter((file) => pattern.test(file));

/** Tests that depend on the changed files: those to run now, and those left to `npm test`. */
function reachedTests() {
  const tests = testFiles();
  const sources = git('ls-files', '-co', '--exclude-standard', '*.ts').filter(exists);
  const reached = reaching(changed, sources);
  const imported = /^native\/|\.(ts|mjs|md)$/;
  for (const file of changed)
    if (!imported.test(file))
      for (const near of nearestTests(
        file,
        tests.map((test) => test.file),
      ))
        reached.add(near);
  if (changed.some((file) => file.startsWith('native/'))) reached.add('bin/contract.test.ts');
  if (changed.some((file) => file.startsWith('native/addon/')))
    reached.add('orchestration/in-process/addon.test.ts');
  const all = tests.filter(({ file }) => reached.has(file));
  const toRun = all.filter(({ file, tier }) => tier === 'unit' || (tier === 'e2e' && changed.includes(file)));
  return { toRun, left: all.filter((test) => !toRun.includes(test)) };
}

/** Checks the types and writes the compiled files that the tests run. */
async function types() {
  const begin = Date.now();
  const failed = await setUp({ native: false }).then(
    () => 0,
    ({ message, lines = [] }) => {
      console.log([message, ...lines].join('\n'));
      return 1;
    },
  );
  return [{ name: 'tsc', seconds: (Date.now() - begin) / 1000, passed: 1 - failed, failed, skipped: 0 }];
}

const { toRun, left } = reachedTests();
const rooms = new Set(changed.flatMap((file) => /^native\/(\w+)\/.*\.(?!ts)\w+$/.exec(file)?.[1] ?? []));
if (rooms.size > 0) rooms.add('contract');
const labels = roomsWithTests().filter((room) => rooms.has(room));
console.log(
  `${changed.length} files changed against ${base}: ${toRun.length} test files` +
    (rooms.size > 0 ? `, native ${labels.length > 0 ? `tests of ${labels.join(', ')}` : 'build'}` : ''),
);

const linted = having(/\.(ts|mjs|cjs|json)$/);
const formatted = having(/^(native|tests)\/.*\.(cc|h|c|cu)$/);
const checks = ['walls', 'words', 'language', 'own-texts', 'joined'].map((name) =>
  check(process.execPath, `tests/${name}.mjs`),
);
if (linted.length > 0)
  checks.push(check('npx', 'biome', 'check', '--error-on-warnings', '--no-errors-on-unmatched', ...linted));
if (formatted.length > 0) checks.push(check(process.execPath, 'tests/clang-format.mjs', ...formatted));
checks.push(types);
const results = (await Promise.all(checks.map((one) => one()))).flat();

if (rooms.size > 0) results.push(...(await nativeTests('native', labels)));
if (toRun.length > 0 && sum(results, 'failed') === 0) {
  await buildForTests();
  results.push(...(await runFiles(toRun, availableParallelism())));
}
if (left.length > 0)
  console.log(`\nreached, and left to npm test:${left.map(({ file }) => `\n  ${file}`).join('')}`);
finish(results);
