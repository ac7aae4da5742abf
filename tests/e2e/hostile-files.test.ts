// test: up to 60 s
// Files and streams that could hang or mislead a command, or fill the disk: pipes, devices, full disks, and links and names
// made by other users.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { command, run, withFolder } from './harness.ts';

const small = ['--max', '64', '--launches', '1', '--iters', '3', '--warmup', '0', '--sample-interval', 'off'];
const patience = { timeout: 300_000 };

/** All control characters (C0, DEL, C1) and those that reverse the direction of text, then forged lines. */
const everyCommand = `x${[
  ...Array.from({ length: 0x20 }, (_, i) => i),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...[0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
]
  .map((code) => String.fromCharCode(code))
  .join('')}\u001b[31m\n::error::forged\u0007\u009b2J\r::error::forged`;
/** Matches such a character, or a forged line, in the output for a terminal. */
const obeyed = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^::error/mu;

test('a pipe nobody writes, or a device without end, is refused by its name at once', patience, async () => {
  await withFolder(async (folder) => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero']) {
      for (const words of [
        ['allreduce', '--plan-only', '--config', file],
        ['allreduce', '--plan-only', '--hostfile', file],
        ['allreduce', '--plan-only', '--hosts', 'localhost', '--ssh-config', file],
        ['import', file],
        ['topo', file],
        ['suite', file],
      ]) {
        const { code, stderr } = await run(words, { cwd: folder });
        assert.match(stderr, /a pipe or a device, not a file/, words.join(' '));
        assert.ok(code === 1 || code === 2, `${words.join(' ')}: ${code}`);
      }
    }
  });
});

test('what a shell hands over as <(program) is read', patience, () => {
  const line = `"${command}" allreduce --plan-only --json --config <(printf 'min: 8\\nmax: 8\\n')`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(JSON.parse(stdout).points.length, 1);
});

test('in a run folder a pipe or a line without end is no record', patience, async () => {
  await withFolder(async (folder) => {
    await run(['allreduce', ...small, '--out', 'mine'], { cwd: folder });
    const cells = path.join(folder, 'mine/cells.ndjson');
    await rm(cells);
    execFileSync('mkfifo', [cells]);
    assert.match((await run(['show', 'mine'], { cwd: folder })).stderr, /a pipe or a device/);
    await rm(cells);
    writeFileSync(cells, Buffer.alloc(70 * 2 ** 20, 'x'));
    assert.match((await run(['show', 'mine'], { cwd: folder })).stderr, /line 1: longer than 64 MiB/);
    writeFileSync(cells, `${'['.repeat(300_000)}\n{}\n`);
    const deep = await run(['show', 'mine'], { cwd: folder });
    assert.equal(deep.code, 2, deep.stderr);
    assert.match(deep.stderr, /cells\.ndjson, line 1/);
  });
});

test('stdout on a full disk: one sentence, and the run is whole', patience, async () => {
  await withFolder(async (folder) => {
    const onFullDisk = (...words: string[]) => {
      const full = openSync('/dev/full', 'w');
      try {
        return spawnSync(command, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
      } finally {
        closeSync(full);
      }
    };
    const measured = onFullDisk('allreduce', ...small, '--out', 'mine');
    assert.match(measured.stderr, /^collbench: stdout cannot be written: the disk is full/);
    assert.equal(measured.status, 2, measured.stderr);
    assert.equal(JSON.parse(readFileSync(path.join(folder, 'mine/run.json'), 'utf8')).state, 'complete');
    for (const words of [['show', 'mine'], ['help'], ['--version']]) {
      const { status, stderr } = onFullDisk(...words);
      assert.equal(status, 2, words.join(' '));
      assert.doesNotMatch(stderr, /\n\s+at /, words.join(' '));
    }
  });
});

test('nothing is written through a link in the folder of a run', patience, async () => {
  await withFolder(async (folder) => {
    await run(['allreduce', ...small, '--out', 'mine'], { cwd: folder });
    const away = path.join(folder, 'away');
    await mkdir(away);
    const mine = path.join(folder, 'mine');
    await rm(path.join(mine, 'figures'), { recursive: true });
    symlinkSync(away, path.join(mine, 'figures'));
    const report = await run(['report', 'mine'], { cwd: folder });
    assert.match(report.stderr, /figures is a link/);
    assert.deepEqual(readdirSync(away), []);
    await rm(path.join(mine, 'figures'));
    const victim = path.join(folder, 'victim');
    writeFileSync(victim, 'mine\n');
    await rm(path.join(mine, 'report.html'));
    symlinkSync(victim, path.join(mine, 'report.html'));
    assert.equal((await run(['report', 'mine'], { cwd: folder })).code, 0);
    assert.equal(readFileSync(victim, 'utf8'), 'mine\n', 'the link was replaced');
    const blocks = path.join(mine, 'samples/blocks.ndjson');
    await rm(blocks);
    symlinkSync(victim, blocks);
    const record = JSON.parse(readFileSync(path.join(mine, 'run.json'), 'utf8'));
    writeFileSync(path.join(mine, 'run.json'), JSON.stringify({ ...record, state: 'interrupted' }));
    const resumed = await run(['resume', 'mine'], { cwd: folder });
    assert.notEqual(resumed.code, 0);
    assert.equal(readFileSync(victim, 'utf8'), 'mine\n');
  });
});

test('what an error quotes of a file, a lock or a host is shown, not obeyed', patience, async () => {
  await withFolder(async (folder) => {
    await run(['allreduce', ...small, '--out', 'mine'], { cwd: folder });
    const file = path.join(folder, 'mine/run.json');
    const whole = readFileSync(file, 'utf8');
    const writer = {
      host: everyCommand,
      pid: 1,
      startTicks: '1',
      boot: 'x',
      pidNamespace: 'x',
      since: everyCommand,
    };
    writeFileSync(path.join(folder, 'mine/.writer-1.json'), JSON.stringify(writer));
    writeFileSync(path.join(folder, 'name'), everyCommand);
    for (const broken of [
      `{"id": ${everyCommand}`,
      JSON.stringify({ [everyCommand]: everyCommand }),
      whole,
    ]) {
      writeFileSync(file, broken);
      for (const words of [
        ['show', 'mine'],
        ['runs', '--root', '.'],
        ['resume', 'mine'],
        ['import', 'name'],
        ['suite', 'name'],
        ['topo', 'name'],
        ['allreduce', '--plan-only', '--hostfile', 'name'],
        ['allreduce', '--plan-only', '--config', 'name'],
        ['replay', 'name', '--plan-only'],
        ['show', everyCommand.replaceAll('\0', '')],
      ]) {
        const { stdout, stderr } = await run(words, { cwd: folder });
        assert.doesNotMatch(stdout + stderr, obeyed, words.join(' '));
      }
    }
  });
});

test('a folder that the file system does not make is an error, not a wait', patience, async () => {
  const { code, stderr } = await run(['allreduce', ...small, '--out', '/proc/collbench/run']);
  assert.match(stderr, /cannot write \/proc\/collbench\/run/);
  assert.notEqual(code, 0);
  assert.ok(!existsSync('/proc/collbench'));
});

test('a received run moves no cursor, forges no line and breaks no picture', patience, async () => {
  const planted = everyCommand;
  const plant = (value: unknown): unknown => {
    if (typeof value === 'string')
      return /^(allreduce|socket|cpu|hardware|local)$/.test(value) ? value + planted : value;
    if (Array.isArray(value)) return value.map(plant);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plant(inner)]));
  };
  await withFolder(async (folder) => {
    await run(['allreduce', ...small, '--out', 'mine'], { cwd: folder });
    const file = path.join(folder, 'mine/run.json');
    const record = JSON.parse(readFileSync(file, 'utf8'));
    const versions = { ...record.versions, [`lib${planted}`]: planted };
    const hostname = record.inventory.hostname + planted;
    const told = { ...record, versions, title: planted, inventory: { ...record.inventory, hostname } };
    for (const forged of [told, plant(record)]) {
      writeFileSync(file, JSON.stringify(forged));
      for (const words of [
        ['show', 'mine'],
        ['runs', '--root', '.'],
        ['report', 'mine'],
        ['export', 'mine', '--csv'],
        ['export', 'mine', '--markdown'],
        ['compare', 'mine', 'mine'],
        ['topo', 'mine'],
      ]) {
        const { stdout, stderr } = await run(words, { cwd: folder });
        assert.doesNotMatch(stdout + stderr, obeyed, words.join(' '));
      }
      for (const name of readdirSync(path.join(folder, 'mine/figures'))) {
        assert.doesNotMatch(
          readFileSync(path.join(folder, 'mine/figures', name), 'utf8'),
          /(?![\n\t])\p{Cc}/u,
          name,
        );
      }
    }
  });
});
