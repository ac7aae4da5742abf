// Installs the tarball of `npm run release` in an empty folder, as users do, without a compiler.
// test: e2e, up to 2 min
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Server } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../e2e/harness.ts';
import { openRegistry } from './registry.ts';

const maxPackages = 12;
const maxBytes = 25e6;

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-install-'));
const prefix = path.join(folder, 'prefix');
const installed = path.join(prefix, 'lib/node_modules/collbench');
const reference = path.join(installed, 'results/reference/nccl-2-h200');

/** Programs on PATH: only those that the launcher and npm start. None of them can compile. */
const programs = ['node', 'npm', 'sh', 'env', 'readlink', 'dirname', 'uname', 'cat'];
const onPath = (name: string): string =>
  execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();

/** True for packages with prebuilt native code for this machine, which an earlier `npm run release` made. */
const isPrebuilt = (name: string): boolean => name.startsWith(`collbench-linux-${process.arch}-`);
const releases = path.join(root, 'dist/release');
const prebuilt = existsSync(releases) ? readdirSync(releases).filter(isPrebuilt) : [];

const environment: Record<string, string> = {
  PATH: path.join(folder, 'bin'),
  HOME: path.join(folder, 'home'),
  NO_COLOR: '1',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  ...(prebuilt.length > 0 ? {} : { COLLBENCH_NATIVE_DIR: path.join(root, 'build/native') }),
};

let registry: Server;
let tarball = '';

const { billOfMaterials } = (await import(
  pathToFileURL(path.join(root, 'bin/release/materials.mjs')).href
)) as { billOfMaterials(folder: string): string };

const { buildMainPackage } = (await import(
  pathToFileURL(path.join(root, 'bin/release/main-package.mjs')).href
)) as { buildMainPackage(outputFolder: string): Promise<string> };

interface InstallOutput {
  code: number;
  stdout: string;
  stderr: string;
}

const start = promisify(execFile);

/** Runs a program, for at most 300 s, which only a hang reaches. Returns exit code -1 if the program has none. */
async function run(program: string, ...words: string[]): Promise<InstallOutput> {
  const options = { cwd: folder, env: environment, timeout: 300_000, maxBuffer: 64e6 };
  try {
    return { code: 0, ...(await start(program, words, options)) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Partial<InstallOutput>;
    return { code: code ?? -1, stdout, stderr };
  }
}

const collbench = (...words: string[]): Promise<InstallOutput> =>
  run(path.join(prefix, 'bin/collbench'), ...words);

async function works(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await collbench(...words);
  assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
  return stdout;
}

before(async () => {
  for (const name of ['bin', 'home', 'packed']) mkdirSync(path.join(folder, name));
  for (const name of programs) symlinkSync(onPath(name), path.join(folder, 'bin', name));
  tarball = await buildMainPackage(path.join(folder, 'packed'));
  const headers = ['node-addon-api', 'node-api-headers'].map((name) => path.join(root, 'node_modules', name));
  const native = prebuilt.map((name) => path.join(releases, name));
  const { server, url } = await openRegistry([...headers, ...native], path.join(folder, 'packed'));
  registry = server;
  environment.npm_config_registry = url;
  const { code, stderr } = await run('npm', 'install', '--global', '--prefix', prefix, tarball, ...native);
  assert.equal(code, 0, stderr);
});

after(() => {
  registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

const filesIn = (where: string): string[] =>
  readdirSync(where, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  );

test('a release of the same sources has the same bytes', async () => {
  const again = await buildMainPackage(path.join(folder, 'again'));
  const sum = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
  assert.equal(sum(again), sum(tarball));
});

test(`the installation has at most ${maxPackages} packages and ${maxBytes / 1e6} MB without the prebuilt parts`, () => {
  const files = filesIn(prefix).filter((file) => !file.includes('/@collbench/'));
  const packages = files.filter((file) => /\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(file));
  assert.ok(packages.length <= maxPackages, packages.join('\n'));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  assert.ok(bytes <= maxBytes, `${bytes} bytes in ${files.length} files`);
});

test('nothing is shipped that only development needs; licences of what is inside are', () => {
  const own = filesIn(installed).map((file) => path.relative(installed, file));
  assert.deepEqual(
    own.filter(
      (file) =>
        !file.startsWith('node_modules') && /\.[cm]?js\.map$|\.test\.|\/tests\/|\.compiled$/.test(file),
    ),
    [],
  );
  const licences = readFileSync(path.join(installed, 'dist/app/licences.txt'), 'utf8');
  for (const name of ['ssh2', 'simple-statistics', 'vega-lite', 'csv-stringify', 'zod'])
    assert.match(licences, new RegExp(`^${name} \\d.*\\n\\n[^-]`, 'm'), name);
  assert.match(
    readFileSync(path.join(installed, 'dist/fonts/arimo-licence.txt'), 'utf8'),
    /Open Font License/,
  );
});

test('the first row is verified, on a machine without a compiler', async () => {
  const table = await works(
    'allreduce',
    '--max',
    '64',
    '--transport',
    'socket',
    '--launches',
    '1',
    '--iters',
    '5',
  );
  assert.match(table, /^ +8 .* 0$/m);
});

test('every command has its help', async () => {
  const { allCommands } = await import('../../bin/commands/index.ts');
  const names = (await allCommands()).map(({ name }) => name);
  assert.ok(names.length > 40);
  const left = [...names];
  const worker = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop())
      assert.match(
        await works(...name.split(' '), '--help'),
        new RegExp(`collbench ${name.split(' ')[0]}`),
        name,
      );
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
});

test('a recorded run is shown, exported and reported; suites of the library are found', async () => {
  assert.match(await works('show', reference), /nccl engine/);
  assert.match(await works('export', reference, '--csv'), /^id,status,trial,/);
  await works('report', reference, '--out', path.join(folder, 'report'));
  assert.match(readFileSync(path.join(folder, 'report/report.html'), 'utf8'), /<svg[\s\S]*<\/html>/);
  assert.match(await works('suite', 'smoke', '--plan-only'), /allreduce/);
});

test('without the packages that write PDF and PNG the command that installs them is named', async () => {
  const figures = await collbench(
    'report',
    reference,
    '--figures',
    'thesis',
    '--out',
    path.join(folder, 'print'),
  );
  assert.equal(figures.code, 2);
  const line = `npm install --global --prefix ${prefix}`;
  assert.ok(figures.stderr.includes(`Next: ${line} pdfkit@`), figures.stderr);
  assert.ok(!existsSync(path.join(folder, 'print')));
});

test('the public API is found with its types, and needs no other package', async () => {
  const program = path.join(prefix, 'lib/program.mjs');
  writeFileSync(
    program,
    "import { allreduce, collectives, Sampler, transports } from 'collbench';\n" +
      'const { checks, wrongElements } = await allreduce({ count: 256, samples: 4 });\n' +
      'console.log(JSON.stringify({ checks, wrongElements, all: collectives(), found: transports().length, channels: new Sampler().channels.length }));\n',
  );
  const { code, stdout, stderr } = await run('node', program);
  assert.equal(code, 0, stderr);
  const found = JSON.parse(stdout) as {
    checks: number;
    wrongElements: number;
    all: string[];
    found: number;
    channels: number;
  };
  assert.ok(found.checks > 0 && found.wrongElements === 0 && found.found > 0 && found.channels > 0);
  assert.ok(found.all.includes('allreduce'));
  const typed = path.join(prefix, 'lib/program.mts');
  writeFileSync(
    typed,
    "import { type MeasureResult, type NativeError, measure, Sampler } from 'collbench';\n" +
      "export const result: MeasureResult = await measure('broadcast', { count: 8, dtype: 'bfloat16' });\n" +
      'export const starts: readonly number[] | undefined = result.blocks[0]?.ranks[0]?.startNs;\n' +
      'export const phase = (error: NativeError): string | null => error.phase;\n' +
      "// @ts-expect-error no such collective\nexport const wrong = measure('broadcasting', { count: 8 });\n" +
      'export const names: string[] = new Sampler().channels.map(({ name }) => name);\n',
  );
  const tsc = [
    path.join(root, 'node_modules/typescript/bin/tsc'),
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
  ];
  const types = [
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--typeRoots',
    path.join(root, 'node_modules/@types'),
  ];
  const checked = await run('node', ...tsc, ...types, typed);
  assert.equal(checked.code, 0, checked.stdout);
});

test('the list of packages has the same bytes whatever the folder of the checkout is called', () => {
  const [one, other] = ['one', 'other'].map((name) => {
    const checkout = path.join(folder, name);
    mkdirSync(checkout);
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(path.join(root, file), path.join(checkout, file));
    return billOfMaterials(checkout);
  });
  assert.equal(one, other);
});
