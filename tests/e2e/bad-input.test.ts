// test: core
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { findOnlyRun, run, withFolder } from './harness.ts';
import { commandProblem, suggestedCommands } from './support/next.ts';

/**
 * Command lines that are invalid on any machine: exit code 1, no run directory. Each gets one error, with the value, what is
 * allowed, and what to do.
 */
const cases: [string, string[], RegExp][] = [
  [
    'an unknown flag names the nearest',
    ['allreduce', '--transprot', 'socket'],
    /--transprot[\s\S]*--transport/,
  ],
  ['an unknown command names the nearest', ['alreduce'], /alreduce[\s\S]*allreduce/],
  [
    'a size that is no whole number of elements',
    ['allreduce', '--min', '7', '--dtype', 'float64'],
    /7[\s\S]*float64[\s\S]*8/,
  ],
  ['min above max', ['allreduce', '--min', '1M', '--max', '1K'], /min[\s\S]*max/],
  ['a size that is no number', ['allreduce', '--max', 'lots'], /lots[\s\S]*1G/],
  ['an unknown transport lists those there are', ['allreduce', '--transport', 'warp'], /warp[\s\S]*socket/],
  ['an unknown dtype lists those there are', ['allreduce', '--dtype', 'float8'], /float8[\s\S]*bfloat16/],
  ['an unknown op', ['allreduce', '--op', 'xor'], /xor[\s\S]*sum/],
  ['a root beyond the ranks', ['broadcast', '--root', '5', '--ranks', '2'], /5[\s\S]*0[\s\S]*1/],
  ['what an engine has that needs a GPU', ['device-put', '--engine', 'cpu'], /device-put[\s\S]*--engine/],
  ['a number of ranks that it does not take', ['put', '--ranks', '3'], /even number of ranks, not 3/],
  ['a collective for powers of two', ['hypercube', '--ranks', '6'], /power of two of ranks, not 6/],
  ['a step that would take all day', ['allreduce', '--max', '64K', '--step', '1'], /whole number of float32/],
  [
    'more ranks than this machine takes',
    ['allreduce', '--ranks', '300'],
    /300[\s\S]*1 to 256[\s\S]*--ranks 256/,
  ],
  ['no ranks', ['allreduce', '--ranks', '0'], /ranks[\s\S]*0/],
  ['a factor that never grows', ['allreduce', '--factor', '1'], /factor[\s\S]*1/],
  [
    'an unknown link model lists those there are',
    ['allreduce', '--transport', 'sisci', '--link', 'warp'],
    /warp[\s\S]*pcie-gen3-x8/,
  ],
  [
    'an option of nccl-tests that makes no sense here',
    ['allreduce', '-p', '1'],
    /-p[\s\S]*ranks always start/,
  ],
  [
    'a transport that nothing emulates',
    ['allreduce', '--transport', 'socket', '--medium', 'emulated'],
    /nothing emulates the transport socket[\s\S]*sisci/,
  ],
  [
    'a library of the other medium',
    ['allreduce', '--transport', 'sisci', '--sisci-library', 'softntb', '--medium', 'hardware'],
    /--sisci-library softntb and --medium hardware cannot be combined/,
  ],
];
/** Command lines that are valid, but not on this machine: exit code 2. */
const casesHere: typeof cases = [
  ['an output folder below a file', ['allreduce', '--out', '/proc/version/run'], /\/proc\/version\/run/],
  ['a config file that is not there', ['allreduce', '--config', '/nowhere.yaml'], /\/nowhere\.yaml/],
  [
    'hardware that is not there is not emulated',
    ['allreduce', '--transport', 'socket,sisci', '--medium', 'hardware'],
    /sisci cannot run on hardware here\n.*Dolphin adapter.*none found\n.*emulated \(softntb\)/,
  ],
  ['an interface that is not there', ['allreduce', '--interface', 'eth99'], /eth99[\s\S]*lo/],
  [
    'a plugin that is not there',
    ['allreduce', '--transport', 'plugin:/nowhere/libx.so'],
    /\/nowhere\/libx\.so/,
  ],
];
for (const [code, all] of [
  [1, cases],
  [2, casesHere],
] as const) {
  for (const [name, args, pattern] of all) {
    test(name, async () => {
      await withFolder(async (folder) => {
        const ended = await run(args, { cwd: folder });
        assert.equal(ended.code, code, `${ended.stdout}\n${ended.stderr}`);
        assert.match(ended.stderr, pattern);
        assert.doesNotMatch(ended.stderr, /\n\s+at .*\.js:\d+/, 'no stack trace');
        assert.deepEqual(await readdir(folder), [], 'nothing was begun');
        for (const next of suggestedCommands(ended)) assert.equal(await commandProblem(next, folder), null);
      });
    });
  }
}

test('--transport sisci with a broken libsisci names file and reason, and does not fall back', async () => {
  await withFolder(async (folder) => {
    const library = path.join(folder, 'lib', 'libsisci.so');
    await mkdir(path.dirname(library));
    await writeFile(library, 'not a library');
    const ended = await run(['allreduce', '--transport', 'sisci'], {
      cwd: folder,
      env: { LD_LIBRARY_PATH: path.dirname(library) },
    });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /libsisci\.so/);
    assert.match(ended.stderr, /softntb/, 'the way out');
  });
});

test('a torn run is read up to the tear; a newer schema is refused in one sentence; nothing is changed', async () => {
  await withFolder(async (folder) => {
    const made = await run(['allreduce', '--sizes', '8,16', '--launches', '1', '--iters', '3'], {
      cwd: folder,
    });
    assert.equal(made.code, 0, made.stderr);
    const directory = await findOnlyRun(folder);
    const cells = path.join(directory, 'cells.ndjson');
    const whole = await readFile(cells, 'utf8');
    await writeFile(cells, whole.slice(0, -25));
    const torn = await run(['show', directory], { cwd: folder });
    assert.equal(torn.code, 0, torn.stderr);
    assert.match(torn.stdout + torn.stderr, /torn|incomplete/);
    const record = path.join(directory, 'run.json');
    const newer = (await readFile(record, 'utf8')).replace(/"schemaVersion":\s*\d+/, '"schemaVersion": 99');
    await writeFile(record, newer);
    const refused = await run(['show', directory], { cwd: folder });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /99[\s\S]*3/);
    assert.equal(await readFile(record, 'utf8'), newer);
  });
});

test('an output folder that may not be written is refused before anything is measured', {
  skip: process.getuid?.() === 0 ? 'root may write everywhere; the case below a file covers it' : false,
}, async () => {
  await withFolder(async (folder) => {
    await chmod(folder, 0o500);
    const ended = await run(['allreduce', '--out', path.join(folder, 'run')]);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /run/);
    await chmod(folder, 0o700);
  });
});
