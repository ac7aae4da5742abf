import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upgrade } from '../versions.ts';

const axes = { part: 'iteration', scaling: 'strong', dtype: 'float32', path: 'host', grid: 64 };

const idOf = ({ engine = 'cpu', transport = 'socket', workload = 'stencil', path = 'host' }): string =>
  `${workload};part=iteration;scaling=strong;dtype=float32;path=${path};grid=64;ranks=2;nodes=1;engine=${engine};transport=${transport};medium=hardware`;

function cell(of: { engine?: string; transport?: string; workload?: string }) {
  const { engine = 'cpu', transport = 'socket', workload = 'stencil' } = of;
  return { schemaVersion: 2, status: 'ok', id: idOf(of), point: 0, workload, axes, engine, transport };
}

const run = (transports: string[], engine = 'cpu') => ({
  schemaVersion: 2,
  launches: [],
  plan: {
    schemaVersion: 2,
    engine,
    points: [{ workload: 'stencil', axes, requestedX: 64 }],
    transports: transports.map((name) => ({ name })),
  },
});

const upgraded = (raw: unknown) => upgrade('a file', raw) as Record<string, unknown>;
const pathOf = (raw: unknown): unknown => (upgraded(raw).axes as { path: string }).path;
const planned = (raw: unknown): unknown => {
  const plan = upgraded(raw).plan as { schemaVersion: number; points: { axes: { path: string } }[] };
  assert.equal(plan.schemaVersion, 3);
  return plan.points[0]?.axes.path;
};

test('version 2: path host of a stencil on CPUs is path rank where the transport has no queues', () => {
  for (const transport of ['socket', 'sisci', 'shm', 'plugin:/x/libnccl-net.so']) {
    const made = upgraded(cell({ transport }));
    assert.equal(made.schemaVersion, 3);
    assert.equal(made.id, idOf({ transport, path: 'rank' }));
    assert.equal(pathOf(cell({ transport })), 'rank');
  }
});

test('version 2: a device computed over queues and on GPUs, and other workloads have paths of their own', () => {
  for (const kept of [{ transport: 'ibgda' }, { engine: 'nccl' }, { workload: 'controlpath' }]) {
    const made = upgraded(cell(kept));
    assert.equal(made.schemaVersion, 3);
    assert.equal(made.id, idOf(kept));
    assert.equal(pathOf(cell(kept)), 'host');
  }
});

test('version 2: plans say rank where all their transports do; a point of both kinds keeps its word', () => {
  assert.equal(planned(run(['socket', 'sisci'])), 'rank');
  assert.equal(planned(run(['ibgda'])), 'host');
  assert.equal(planned(run(['socket', 'ibgda'])), 'host');
  assert.equal(planned(run(['socket'], 'nccl')), 'host');
});

test('version 2: baselines have the runs, cells and series of version 3', () => {
  const group = (transport: string) => ({ entry: 'a', key: `${idOf({ transport })}/small` });
  const baseline = {
    schemaVersion: 2,
    entries: [{ entry: 'a', record: run(['socket']), cells: [cell({})] }],
    learned: { groups: [group('socket'), group('ibgda')] },
  };
  const made = upgraded(baseline) as unknown as typeof baseline;
  assert.equal(made.schemaVersion, 3);
  assert.equal(made.entries[0]?.record.plan.points[0]?.axes.path, 'rank');
  assert.equal(made.entries[0]?.cells[0]?.id, idOf({ path: 'rank' }));
  assert.deepEqual(
    made.learned.groups.map(({ key }) => key),
    [`${idOf({ path: 'rank' })}/small`, `${idOf({ transport: 'ibgda' })}/small`],
  );
});

test('version 3 is read as it stands', () => {
  const now = { ...cell({}), schemaVersion: 3 };
  assert.deepEqual(upgraded(now), now);
});
