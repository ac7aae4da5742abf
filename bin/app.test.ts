import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { packageRoot } from '../results/package.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-app-'));
after(() => rmSync(folder, { recursive: true }));
const app = path.join(folder, 'dist', 'collbench.cjs');
mkdirSync(path.dirname(app));
mkdirSync(path.join(folder, 'bin'));
for (const name of ['app.cjs', 'current.cjs'])
  cpSync(path.join(packageRoot, 'bin', name), path.join(folder, 'bin', name));

/** Writes an app in the form of the bundler: one function. */
function write(says: string): void {
  writeFileSync(
    app,
    `(function(exports,require,module){const say=()=>require('node:fs').writeSync(1,'${says}');say()})`,
  );
  utimesSync(app, 1e9, 1e9);
}

function run(...words: string[]): string {
  const script = `require(${JSON.stringify(path.join(folder, 'bin/app.cjs'))}).runApp(${JSON.stringify(app)})`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script, ...words], {
    encoding: 'utf8',
  });
  assert.deepEqual([stderr, status], ['', 0]);
  return stdout;
}

const compiled = (): string[] => readdirSync(path.dirname(app)).filter((name) => name.endsWith('.compiled'));

test('compiled code is kept for the next start, and is never that of another app of equal size and time', () => {
  write('one');
  assert.equal(run('help'), 'one');
  assert.equal(compiled().length, 1);
  assert.equal(run('help'), 'one');
  rmSync(app);
  write('two');
  assert.equal(run('help'), 'two');
  assert.equal(run('show'), 'two');
});

test('V8 gets only a flag that it knows, because it prints an error for others', () => {
  write('one');
  const flagsOn = (v8: string) => {
    const script = `const v8 = require('node:v8');
      Object.defineProperty(process, 'versions', { value: { ...process.versions, v8: '${v8}' } });
      v8.setFlagsFromString = (flag) => require('node:fs').writeSync(2, flag);
      require(${JSON.stringify(path.join(folder, 'bin/app.cjs'))}).runApp(${JSON.stringify(app)})`;
    return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stderr;
  };
  assert.match(flagsOn('11.3.244.8-node.38'), /^--interrupt-budget=\d+$/);
  for (const later of ['11.8.172.17-node.20', '12.4.254.21-node.57', '13.6.233.17'])
    assert.equal(flagsOn(later), '');
});

/**
 * Code files that a command of the real app opens, and Node modules that it loads.
 * @param busyProcessors system load; figures are drawn in an extra thread if processors are free
 */
function loads(busyProcessors: number, ...words: string[]): string[] {
  const script = `const os = require('node:os');
    os.availableParallelism = () => 2;
    os.loadavg = () => [${busyProcessors}, 0, 0];
    const fs = require('node:fs'), { openSync } = fs, path = require('node:path');
    fs.openSync = (file, ...rest) => (opened.push(path.basename(String(file))), openSync(file, ...rest));
    const opened = [];
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...rest) => (opened.push(path.basename(String(file))), readFileSync(file, ...rest));
    process.stdout.write = () => true;
    process.on('exit', () => fs.writeSync(1, [...opened, ...process.moduleLoadList].join('\\n')));
    require(${JSON.stringify(path.join(packageRoot, 'bin/app.cjs'))}).runApp(${JSON.stringify(path.join(packageRoot, 'dist/app/collbench.cjs'))})`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script, 'collbench', ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  assert.deepEqual([stderr, status], ['', 0]);
  return stdout.split('\n');
}

test('only what draws figures loads the part that draws, and only a page reads the script of pages, once', () => {
  const run = path.join(packageRoot, 'results/reference/nccl-2-h200-four-channels');
  const part = (names: readonly string[]) => names.filter((name) => name === 'drawing.cjs').length;
  const shown = loads(9, 'show', run);
  assert.ok(shown.includes('collbench.cjs'));
  assert.equal(part(shown), 0);
  assert.ok(!shown.includes('NativeModule crypto'), 'a table needs no cryptography');
  assert.ok(!shown.includes('page.js'));
  const busyReport = loads(9, 'report', run, '--out', path.join(folder, 'busy'));
  assert.equal(part(busyReport), 1);
  assert.equal(busyReport.filter((name) => name === 'page.js').length, 1);
  assert.equal(part(loads(0, 'report', run, '--out', path.join(folder, 'free'))), 0, 'a thread loads it');
  const [busy, free] = ['busy', 'free'].map((out) =>
    readFileSync(path.join(folder, out, 'report.html'), 'utf8'),
  );
  assert.equal(free, busy);
});

test('neither the version nor a completion loads what reads a command line', () => {
  // Only yargs loads this module of Node.
  const readsLines = (...words: string[]) => loads(9, ...words).includes('NativeModule assert');
  assert.ok(readsLines('runs'));
  assert.ok(!readsLines('--version'));
  assert.ok(!readsLines('--complete', 'allreduce', '--transport', 's'));
});

test('letters beyond ASCII arrive as written', () => {
  write('2³⁰ · α');
  assert.equal(run('help'), '2³⁰ · α');
});

test('what is bundled is ASCII: each letter takes a byte, and tagged templates say what their sources say', () => {
  const bundled = readFileSync(path.join(packageRoot, 'dist/app/collbench.cjs'), 'utf8');
  assert.doesNotMatch(bundled, /[^\0-\x7f]/);
  assert.match(bundled, /">SVG<\/a> \\u00b7 <a/);
});

test('torn or foreign compiled code is passed over', () => {
  write('three');
  run('help');
  const [name = ''] = compiled();
  const file = path.join(path.dirname(app), name);
  assert.ok(existsSync(file));
  for (const content of ['', '{"stamp":', '{"stamp":"another"}'.padEnd(5000), 'x'.repeat(9000)]) {
    writeFileSync(file, content);
    assert.equal(run('help'), 'three');
  }
});
