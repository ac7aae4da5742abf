// Builds and runs native tests: in the build folder of the product, and in one more folder for each sanitizer.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { buildCommand, configureCommand, setUp } from '../../bin/setup.mjs';
import { root, run, toTerminal } from './process.mjs';

/** CMake options that tests add to the build of the product, so that one build serves both. */
const strict = ['-DCOLLBENCH_TESTS=ON', '-DCOLLBENCH_WERROR=ON'];

// Sanitizer builds need not be fast: -O1 and joined sources reduce their build time to a third.
const sanitized = (sanitizers) => [
  ...strict,
  `-DCOLLBENCH_SANITIZE=${sanitizers}`,
  '-DCMAKE_BUILD_TYPE=Debug',
  '-DCMAKE_CXX_FLAGS_DEBUG=-O1',
  '-DCMAKE_UNITY_BUILD=ON',
];

const builds = {
  native: ['-DCMAKE_BUILD_TYPE=Release', ...strict],
  'native-asan': sanitized('address,undefined'),
  'native-tsan': sanitized('thread'),
};

const folder = (name) => path.join(root, 'build', name);

const environment = {
  ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=0',
  UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1',
  TSAN_OPTIONS: `halt_on_error=1:second_deadlock_stack=1:suppressions=${path.join(root, 'tests', 'tsan.supp')}`,
};

/** Builds the product and the fakes, for tests that start the command. @throws Error with the output of the build */
export async function buildForTests() {
  const dir = await setUp({ cmakeOptions: strict });
  if (dir !== folder('native')) return; // The tests use another build (COLLBENCH_NATIVE_DIR) as it is.
  for (const command of [configureCommand(dir, builds.native), buildCommand(dir, 'fakes')]) {
    const { code, output } = await run(command);
    if (code !== 0) throw new Error(output);
  }
}

/** Names of the rooms of native/ that have tests; each name is also a label of CTest. */
export function roomsWithTests() {
  const lists = readdirSync(path.join(root, 'native'), { recursive: true }).filter((file) =>
    file.endsWith('/CMakeLists.txt'),
  );
  const registers = (file) => readFileSync(path.join(root, 'native', file), 'utf8').includes('cb_test(');
  return [...new Set(lists.filter(registers).map((file) => file.split('/')[0]))];
}

/**
 * Builds and runs the native tests of some labels (native/cmake/tests.cmake). Returns one result for each registered test.
 * In the folder `native` the product is built, too, if all tests are to run or none.
 * @param {string} name folder below build/
 * @param {{ env?: NodeJS.ProcessEnv, jobs?: number }} [options] jobs: tests at a time, as many as processors by default
 */
export async function nativeTests(name, labels, { env = {}, jobs = availableParallelism() } = {}) {
  const dir = folder(name);
  const targets = labels.map((label) => `tests-${label}`);
  if (name === 'native' && (labels.length === 0 || labels.includes('all'))) targets.push('product');
  const built = (failed) => ({ name: `${name}: build`, seconds: 0, passed: 1 - failed, failed, skipped: 0 });
  for (const command of [configureCommand(dir, builds[name]), buildCommand(dir, ...targets)])
    if ((await run(command, { show: toTerminal })).code !== 0) return [built(1)];
  if (labels.length === 0) return [built(0)];
  const { output } = await run(
    [
      ...[
        'ctest',
        '--test-dir',
        dir,
        '--output-on-failure',
        '-j',
        String(jobs),
        '-L',
        `^(${labels.join('|')})$`,
      ],
      // Only a timeout is tried again, because a shared machine may be slow. A wrong value or a sanitizer report fails at once.
      ...['--repeat', 'after-timeout:2'],
    ],
    { env: { ...environment, ...env }, show: toTerminal },
  );
  // The last run of each test counts.
  const runs = [...output.matchAll(/Test +#\d+: (\S+) \.*(.*?) +([\d.]+) sec/g)];
  const last = new Map(runs.map((found) => [found[1], found]));
  const results = [...last.values()].map(([, test, verdict, seconds]) => ({
    name: `${name}: ${test}`,
    seconds: Number(seconds),
    passed: /Passed/.test(verdict) ? 1 : 0,
    failed: /Passed/.test(verdict) ? 0 : 1,
    skipped: 0,
  }));
  return results.length > 0 ? results : [{ ...built(1), name: `${name}: ctest` }];
}
