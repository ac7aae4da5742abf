import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellRecord } from '../results/schema/index.ts';
import { ncclsChoice, stretchesOf, sweepsOf, winnersText } from './best.ts';
import { comparisonsOf } from './comparison.ts';
import { devicePoints, launchBoundOf } from './device.ts';
import { fixed, ncclRun, ncclSisciPlan, ncclSocketPlan, p2pPlan } from './fixtures/nccl.ts';
import { groupsOf, type ReportedRun } from './series.ts';
import { evidenceSentence } from './summary.ts';

/** ns by size: latency, pipelined, launch cost; intervals ± `half`, launches as far apart. */
function decreed(times: Record<number, [number, number, number]>, half = 0.01): ReportedRun {
  const sizes = Object.keys(times).map(Number);
  const run = ncclRun({
    transports: [p2pPlan],
    minBytes: Math.min(...sizes),
    maxBytes: Math.max(...sizes),
  });
  const cells = run.cells.flatMap((cell): CellRecord[] => {
    const ns = times[cell.payloadBytes];
    if (cell.status !== 'ok' || cell.isolated === null || cell.pipelined === null || ns === undefined)
      return [];
    const [latency, pipelined, launch] = ns;
    const around = (t: number) => ({
      lowNs: t * (1 - half),
      highNs: t * (1 + half),
      scope: 'launches' as const,
    });
    return [
      {
        ...cell,
        isolated: { ...cell.isolated, medianNs: latency, interval: around(latency) },
        pipelined: { ...cell.pipelined, medianNs: pipelined, interval: around(pipelined) },
        launchCostNs: { medianNs: launch, launchMediansNs: [launch] },
      },
    ];
  });
  return { ...run, cells };
}

const seriesOf = (run: ReportedRun) => {
  const series = groupsOf([run])[0]?.series[0];
  assert.ok(series !== undefined);
  return series;
};

const measured: Record<number, [number, number, number]> = {
  8: [5900, 10_200, 8600],
  4096: [6600, 8900, 10_000],
  1048576: [13_300, 13_400, 11_100],
  16777216: [77_000, 77_600, 12_300],
};

test('launch cost and latency are equal where their lines cross, linearly in bytes', () => {
  const bound = launchBoundOf(seriesOf(decreed(measured)));
  assert.equal(bound?.smallest.bytes, 8);
  // launch - latency: +3400 at 4 KiB, -2200 at 1 MiB.
  const meeting = bound?.meeting;
  assert.ok(meeting != null);
  assert.equal(Math.round(meeting.aboutBytes), Math.round(4096 + ((1048576 - 4096) * 3400) / 5600));
  assert.equal(meeting.at.bytes, 1048576);
  assert.ok(meeting.lowBytes < meeting.aboutBytes && meeting.aboutBytes < meeting.highBytes);
});

test('a size where the intervals leave it open is not called hidden', () => {
  const points = devicePoints(seriesOf(decreed(measured, 0.25)));
  assert.deepEqual(
    points.map((p) => p.longer),
    ['launch', 'launch', 'open', 'device'],
  );
  assert.equal(launchBoundOf(seriesOf(decreed(measured, 0.25)))?.meeting?.at.bytes, 16777216);
});

test('a launch that is hidden everywhere has nothing to explain; one that never is, no meeting', () => {
  assert.equal(launchBoundOf(seriesOf(decreed({ 8: [41_000, 41_100, 8600] }))), null);
  assert.equal(launchBoundOf(seriesOf(decreed({ 8: [5900, 10_200, 8600] })))?.meeting, null);
});

test('overlapping intervals tie, others win; NCCL’s own choice takes part', () => {
  const ns: Record<string, number> = { p2p: 6000, 'p2p@ring/LL': 6050, 'p2p@tree/LL': 7000 };
  const transports = [p2pPlan, fixed(p2pPlan, 'ring', 'LL'), fixed(p2pPlan, 'tree', 'LL')];
  const run = ncclRun({ transports, minBytes: 8, maxBytes: 16 });
  run.cells = run.cells.map((cell): CellRecord => {
    if (cell.status !== 'ok' || cell.isolated === null) return cell;
    const t =
      cell.payloadBytes === 8 ? (ns[cell.transport] ?? 0) : cell.transport === 'p2p@tree/LL' ? 5000 : 6000;
    const interval = { lowNs: t * 0.99, highNs: t * 1.01, scope: 'launches' as const };
    return { ...cell, isolated: { ...cell.isolated, medianNs: t, interval } };
  });
  const [group] = groupsOf([run]);
  assert.ok(group !== undefined);
  const [sweep] = sweepsOf(group);
  assert.equal(sweep?.name, 'p2p');
  assert.deepEqual(
    stretchesOf(sweep.rows, 'latency').map((s) => [s.firstBytes, s.best[0] && winnersText(s.best[0])]),
    [
      [8, `tie: ${ncclsChoice}, ring/LL`],
      [16, 'tree/LL'],
    ],
  );
});

test('without an interval the fastest is named with that reservation; without figures there is no row', () => {
  const run = ncclRun({ transports: [p2pPlan, fixed(p2pPlan, 'ring', 'LL')], minBytes: 8, maxBytes: 16 });
  run.cells = run.cells.flatMap((cell): CellRecord[] => {
    if (cell.payloadBytes === 16 || cell.status !== 'ok' || cell.isolated === null) return [];
    return [{ ...cell, isolated: { ...cell.isolated, interval: null, intervalReason: 'too few' } }];
  });
  const [group] = groupsOf([run]);
  const [sweep] = group === undefined ? [] : sweepsOf(group);
  assert.equal(sweep?.rows.length, 1);
  assert.match(sweep.rows[0]?.latency ? winnersText(sweep.rows[0].latency) : '', / \(no interval\)$/);
});

test('transports are compared with equal choices only, and evidence is told once per transport', () => {
  const transports = [ncclSocketPlan, ncclSisciPlan].flatMap((t) => [
    fixed(t, 'ring', 'LL'),
    fixed(t, 'tree', 'LL'),
  ]);
  const run = ncclRun({ transports, maxBytes: 16 });
  const [group] = groupsOf([run]);
  assert.ok(group !== undefined);
  assert.deepEqual(
    comparisonsOf(group).map((c) => `${c.a.name} ${c.b.name}`),
    ['socket@ring/LL sisci@ring/LL', 'socket@tree/LL sisci@tree/LL'],
  );
  const text = evidenceSentence(
    run.cells,
    transports.map((t) => t.name),
  );
  assert.equal(text.split(' · ').length, 2);
});

test('beyond three transports all are held against the first, by name', () => {
  const transports = ['p2p', 'shm', 'socket', 'ib'].map((name) => ({ ...ncclSocketPlan, name }));
  const [group] = groupsOf([ncclRun({ transports, maxBytes: 16 })]);
  assert.deepEqual(
    (group === undefined ? [] : comparisonsOf(group)).map((c) => `${c.a.name} ${c.b.name}`),
    ['p2p shm', 'p2p socket', 'p2p ib'],
  );
});
