// The test command: lint, format, types, native tests (plain, ASan+UBSan, TSan), TypeScript tests, end to end.
// `node tests/all.mjs [step ...]` runs only the named steps. Ends with one line "N passed, N failed[, N skipped]".
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const total = { passed: 0, failed: 0, skipped: 0 };
const failedSteps = [];

/** Runs a command with its output shown, resolves with its exit code and what it printed. */
function run(command, args, environment = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        process.stdout.write(chunk);
      });
    child.on('error', (error) => resolve({ code: 127, output: String(error) }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** A step that is one check: passed when the command ends with 0. */
const check =
  (command, ...args) =>
  async () => {
    const { code } = await run(command, args);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  };

/** Configures, builds and runs the native tests in a build folder of their own; every ctest program counts. */
const native = (name, sanitize) => async () => {
  const build = path.join('build', name);
  const options = ['-DCOLLBENCH_TESTS=ON', '-DCOLLBENCH_WERROR=ON', `-DCOLLBENCH_SANITIZE=${sanitize}`];
  // Sanitizer builds are for finding faults, not for speed: -O1 and joined sources cut their build time to a third.
  const type =
    sanitize === ''
      ? ['-DCMAKE_BUILD_TYPE=Release']
      : ['-DCMAKE_BUILD_TYPE=Debug', '-DCMAKE_CXX_FLAGS_DEBUG=-O1', '-DCMAKE_UNITY_BUILD=ON'];
  for (const args of [
    ['-S', 'native', '-B', build, ...options, ...type],
    ['--build', build, '--parallel', String(availableParallelism())],
  ])
    if ((await run('cmake', args)).code !== 0) return { passed: 0, failed: 1 };
  const { code, output } = await run('ctest', ['--test-dir', build, '--output-on-failure'], {
    ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=0',
    UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1',
    TSAN_OPTIONS: `halt_on_error=1:second_deadlock_stack=1:suppressions=${path.join(root, 'tests', 'tsan.supp')}`,
  });
  const match = /(\d+) tests failed out of (\d+)/.exec(output);
  if (match === null) return { passed: 0, failed: 1 };
  const failed = Number(match[1]);
  return { passed: Number(match[2]) - failed, failed: Math.max(failed, code === 0 ? 0 : 1) };
};

function testFiles(folder) {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => path.join(folder, file))
    .sort();
}

/** Node's own runner over compiled tests. End-to-end tests share the two cores, hence one at a time. */
const nodeTests = (folders, concurrency) => async () => {
  const files = folders.flatMap((folder) => testFiles(path.join('dist', folder)));
  if (files.length === 0) return { passed: 0, failed: 1 };
  const { code, output } = await run(process.execPath, [
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${concurrency}`,
    ...files,
  ]);
  const count = (word) => Number(new RegExp(`^ℹ ${word} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
  const failed = count('fail') + count('cancelled');
  return {
    passed: count('pass'),
    failed: Math.max(failed, code === 0 ? 0 : 1),
    skipped: count('skipped') + count('todo'),
  };
};

const steps = {
  lint: check('npx', 'biome', 'check', '--error-on-warnings', '.'),
  format: check(process.execPath, 'tests/clang-format.mjs'),
  types: check('npx', 'tsc', '-p', 'tsconfig.json'),
  native: native('native-tests', ''),
  asan: native('native-asan', 'address,undefined'),
  tsan: native('native-tsan', 'thread'),
  unit: nodeTests(['bin', 'suites', 'orchestration', 'results', 'reports', 'native'], 2),
  e2e: nodeTests(['tests'], 1),
};

const wanted = process.argv.slice(2);
for (const name of wanted) {
  if (name in steps) continue;
  console.error(`unknown step ${name}; steps: ${Object.keys(steps).join(' ')}`);
  process.exit(1);
}
for (const [name, step] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const begin = Date.now();
  console.log(`\n== ${name}`);
  const result = await step();
  total.passed += result.passed;
  total.failed += result.failed;
  total.skipped += result.skipped ?? 0;
  if (result.failed > 0) failedSteps.push(name);
  console.log(
    `== ${name}: ${result.passed} passed, ${result.failed} failed (${((Date.now() - begin) / 1000).toFixed(0)} s)`,
  );
}
if (failedSteps.length > 0) console.log(`\nfailed steps: ${failedSteps.join(', ')}`);
console.log(
  `\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`,
);
process.exit(total.failed === 0 ? 0 : 1);
