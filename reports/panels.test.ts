import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixChoice, ncclSocketPlan } from './fixtures/nccl.ts';
import { sisciPlan, socketPlan, syntheticRun } from './fixtures/synthetic.ts';
import { maxSeries, panelsOf } from './panels.ts';
import { groupsOf, type ReportRun, type SeriesGroup } from './series.ts';

const algorithms = ['ring', 'tree', 'nvls', 'collnet'];
const protocols = ['LL', 'LL128', 'Simple'];

const groupOf = (runs: readonly ReportRun[]): SeriesGroup => {
  const [group] = groupsOf(runs);
  assert.ok(group !== undefined);
  return group;
};

const withRanks = (ranks: number, names: readonly string[]): ReportRun => {
  const run = syntheticRun({
    ranks,
    minBytes: 64,
    maxBytes: 128,
    transports: names.map((name) => ({ ...(name === 'sisci' ? sisciPlan : socketPlan), name })),
  });
  run.record.id = `run${ranks}`;
  return run;
};

test('each number of ranks has a panel of its own; its series are named without ranks and without runs', () => {
  const group = groupOf([4, 2, 3].map((ranks) => withRanks(ranks, ['socket', 'sisci', 'shm', 'ibgda'])));
  assert.deepEqual(
    panelsOf(group).map(({ title, series }) => [title, series.map(({ name }) => name)]),
    [2, 3, 4].map((ranks) => [`allreduce float32 sum, ${ranks} ranks`, ['socket', 'sisci', 'shm', 'ibgda']]),
  );
});

test('a transport looks the same in the panels of all numbers of ranks, and in a report of one run', () => {
  const names = ['socket', 'sisci', 'shm', 'ibgda'];
  const looks = (group: SeriesGroup) =>
    panelsOf(group).map(({ series }) =>
      series.map(({ name, colour, shape }) => `${name} ${colour} ${shape}`),
    );
  const [alone] = looks(groupOf([withRanks(2, names)]));
  for (const panel of looks(groupOf([2, 3, 4].map((ranks) => withRanks(ranks, names)))))
    assert.deepEqual(panel, alone);
});

test('no panel has more series than can be told apart, and none is lost', () => {
  for (let count = 1; count <= 12; count += 1) {
    const choices = algorithms.flatMap((one) => protocols.map((other) => [one, other] as const));
    const transports = choices.slice(0, count).map(([one, other]) => fixChoice(ncclSocketPlan, one, other));
    const group = groupOf([syntheticRun({ transports, minBytes: 64, maxBytes: 128 })]);
    const panels = panelsOf(group);
    assert.ok(panels.every(({ series }) => series.length <= maxSeries));
    assert.deepEqual(
      panels.flatMap(({ series }) => series.map(({ key }) => key)).sort(),
      group.series.map(({ key }) => key).sort(),
    );
    assert.equal(new Set(panels.map(({ key }) => key)).size, panels.length);
  }
});

test('runs that nothing else tells apart are named by their ids', () => {
  const again = { ...withRanks(2, ['socket']) };
  const other = { ...again, record: { ...again.record, id: 'other1' } };
  assert.deepEqual(
    groupOf([again, other]).series.map(({ name }) => name),
    ['run2 socket', 'other1 socket'],
  );
});
