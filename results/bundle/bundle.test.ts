import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Refusal } from '../refusals/refusal.ts';
import { textOf } from '../refusals/words.ts';
import type { RunRecord } from '../schema/index.ts';
import { openRun } from '../store/read.ts';
import { createRun } from '../store/write.ts';
import { testBlock } from '../testing/block.ts';
import { syntheticRecord } from '../testing/run.ts';
import { isBundle } from './packed.ts';
import { readBundle } from './read.ts';
import { redactedRun } from './redacted-run.ts';
import { writeBundle } from './write.ts';

const folderOf = (t: TestContext): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bundle-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A record with private data in all fields that can have some. */
function tellingRecord(): RunRecord {
  const { record } = syntheticRecord({ id: 'abc123' });
  const [host] = record.plan.hosts as [RunRecord['plan']['hosts'][0]];
  return {
    ...record,
    title: 'allreduce on gpu07.lab.example',
    label: 'night on gpu07',
    notes: ['ask carol'],
    environment: {
      NCCL_IB_HCA: 'mlx5_0',
      NCCL_TOPO_FILE: '/home/carol/topo.xml',
      NCCL_AUTH_TOKEN: 'hunter2',
    },
    versions: { nccl: '2.28.9.1' },
    plan: {
      ...record.plan,
      hosts: [{ ...host, name: 'gpu07.lab.example', at: 'carol@10.1.2.3:22' }],
      command: [
        'collbench',
        'allreduce',
        '--hosts',
        'gpu07.lab.example',
        '--note',
        'hunter2',
        '--nccl',
        '/home/carol/nccl/lib',
      ],
    },
    failures: [
      {
        kind: 'hang',
        message: 'rank 1 on gpu07 hangs at fe80::1:2, 10.1.2.3',
        details: ['hunter2'],
        rank: 1,
        host: 'gpu07.lab.example',
        phase: null,
        next: null,
      },
    ],
  };
}

async function stored(root: string, record: RunRecord) {
  const { cells } = syntheticRecord({ id: record.id });
  const writer = await createRun({ root, record });
  for (const trial of ['isolated', 'pipelined'] as const)
    await writer.appendBlock(testBlock([10_000, 11_000], { trial }));
  await writer.replaceCells(cells);
  await writer.close();
  return openRun(writer.dir);
}

test('hosts, people, paths, addresses and secrets stay out; the same name has the same stand-in', () => {
  const { record } = redactedRun(tellingRecord());
  const text = JSON.stringify(record);
  for (const gone of ['gpu07', 'lab.example', 'carol', '10.1.2.3', 'fe80', 'hunter2', '/home']) {
    assert.ok(
      !text.includes(gone),
      `${gone}: ${text.slice(Math.max(0, text.indexOf(gone) - 60), text.indexOf(gone) + 40)}`,
    );
  }
  assert.deepEqual([record.title, record.label], ['allreduce on host1', 'night on host1']);
  assert.match(record.failures[0]?.message ?? '', /^rank 1 on host1 hangs at addr\d, addr\d$/);
  assert.match(record.environment.NCCL_TOPO_FILE ?? '', /^path\d\/topo\.xml$/);
  assert.deepEqual([record.environment.NCCL_IB_HCA, record.versions.nccl], ['mlx5_0', '2.28.9.1']);
});

test('there and back: every figure, interval and sample as it was, and the run says where it is from', async (t) => {
  const folder = folderOf(t);
  const before = await stored(path.join(folder, 'here'), tellingRecord());
  const file = path.join(folder, 'run.gz');
  await writeBundle(before, file, '0.1.0');
  assert.equal(await isBundle(file), true);
  const { dir, record } = await readBundle(file, {
    root: path.join(folder, 'there'),
    out: undefined,
    label: 'lab',
  });
  const after = await openRun(dir);
  assert.deepEqual(after.cells, before.cells);
  const blocks = async (run: typeof after) => {
    const all = [];
    for await (const block of run.blocks()) all.push(block);
    return all;
  };
  assert.deepEqual(await blocks(after), await blocks(before));
  assert.deepEqual([record.id, record.label, record.bundle?.id], ['abc123', 'lab', 'abc123']);
  assert.match(record.title, /\(imported bundle\)$/);
  // The bundle's id is used by the first import now.
  const again = await readBundle(file, {
    root: path.join(folder, 'there'),
    out: undefined,
    label: undefined,
  });
  assert.notEqual(again.record.id, 'abc123');
  // The id is not free either if several runs have it.
  cpSync(dir, dir.replace('abc123', 'copy-abc123'), { recursive: true });
  const third = await readBundle(file, {
    root: path.join(folder, 'there'),
    out: undefined,
    label: undefined,
  });
  assert.notEqual(third.record.id, 'abc123');
  await assert.rejects(writeBundle(before, file, '0.1.0'), /is there already/);
});

test('damaged, cut, hostile and foreign packed files are refused, and nothing is left', async (t) => {
  const folder = folderOf(t);
  const file = path.join(folder, 'run.gz');
  await writeBundle(await stored(path.join(folder, 'here'), tellingRecord()), file, '0.1.0');
  const whole = readFileSync(file);
  const lines = gunzipSync(whole).toString().trimEnd().split('\n');
  const head = JSON.parse(lines[0] ?? '') as { record: RunRecord };
  const packed = (...parts: string[]) => gzipSync(`${parts.join('\n')}\n`);
  const cases: [string, Buffer, RegExp][] = [
    ['cut', whole.subarray(0, whole.length - 20), /damaged|its end is missing/],
    [
      'flipped',
      Buffer.from(whole.map((byte, i) => (i === whole.length - 30 ? byte ^ 0xff : byte))),
      /damaged|read|kind/,
    ],
    ['without end', packed(...lines.slice(0, -1)), /its end is missing/],
    ['without a block', packed(...lines.filter((_, i) => i !== lines.length - 2)), /parts of it are missing/],
    ['more behind', packed(...lines, lines[1] ?? ''), /more behind its end/],
    ['newer', packed(lines[0]?.replace('"version":1', '"version":9') ?? ''), /version 9/],
    ['other', packed('{"a":1}'), /no bundle of collbench/],
    ['zeros', gzipSync(Buffer.alloc(300 * 2 ** 20)), /longer than 256 MiB/],
    ['bad cell', packed(lines[0] ?? '', '{"type":"cell","cell":{"id":"x"}}'), /not valid/],
  ];
  for (const [name, content, why] of cases) {
    const bad = path.join(folder, 'bad.gz');
    writeFileSync(bad, content);
    const root = path.join(folder, name);
    const error = await readBundle(bad, { root, out: undefined, label: undefined }).then(
      () => null,
      (e: unknown) => e,
    );
    assert.ok(error instanceof Refusal, `${name}: ${String(error)}`);
    assert.match(textOf(error), why, name);
    assert.deepEqual(readdirSync(folder).includes(name) ? readdirSync(root) : [], [], name);
  }
  // Names in a bundle must not lead to paths outside the folder.
  const escaping = { ...head, record: { ...head.record, id: '../../x' } };
  for (const point of escaping.record.plan.points) point.axes = { ...point.axes, collective: '../../../y' };
  writeFileSync(
    path.join(folder, 'escape.gz'),
    packed(JSON.stringify(escaping), '{"type":"end","cells":0,"blocks":0}'),
  );
  const root = path.join(folder, 'inside');
  const { dir } = await readBundle(path.join(folder, 'escape.gz'), {
    root,
    out: undefined,
    label: undefined,
  });
  assert.equal(path.dirname(dir), root);
  symlinkSync('/dev/zero', path.join(folder, 'zero'));
  await assert.rejects(isBundle(path.join(folder, 'zero')), Refusal);
});
