import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, collective, type MeasuredFigure } from '../results/schema/index.ts';
import { type DevicePoint, devicePoints, enqueueBoundOf, enqueueBoundText } from './device.ts';
import { evidenceSentence } from './evidence.ts';
import { fastestRanges, sweepsOf, winnersText } from './fastest-choices.ts';
import { fixChoice, ncclRun, ncclSisciPlan, ncclSocketPlan, p2pPlan } from './fixtures/nccl.ts';
import { bytesOf, withFigures } from './fixtures/synthetic.ts';
import { xAxisFormat } from './rows.ts';
import { groupsOf, type ReportRun } from './series.ts';
import { comparisonsOf } from './series-comparison.ts';

/**
 * Returns a run with the given times in ns by size: latency, pipelined, enqueue cost. Intervals are ± `half`; launches differ by
 * as much.
 */
function decreed(times: Record<number, [number, number, number]>, half = 0.01): ReportRun {
  const sizes = Object.keys(times).map(Number);
  const run = ncclRun({
    transports: [p2pPlan],
    minBytes: Math.min(...sizes),
    maxBytes: Math.max(...sizes),
  });
  const cells = run.cells.flatMap((cell): CellRecord[] => {
    const ns = times[bytesOf(cell)];
    if (cell.status !== 'ok' || ns === undefined) return [];
    const [latency, pipelined, enqueue] = ns;
    const timed = withFigures(cell, (one) => at(one, one.name === 'latency' ? latency : pipelined, half));
    const figures = timed.figures.map((one) =>
      one.kind === 'side' ? { ...one, value: enqueue, launchValues: [enqueue] } : one,
    );
    return [{ ...timed, figures }];
  });
  return { ...run, cells };
}

const at = (one: MeasuredFigure, value: number, half: number): MeasuredFigure => ({
  ...one,
  value,
  interval: { low: value * (1 - half), high: value * (1 + half), scope: 'launches' },
});

const seriesOf = (run: ReportRun) => {
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

test('enqueue cost and latency are equal where their lines cross, linearly in bytes', () => {
  const bound = enqueueBoundOf(seriesOf(decreed(measured)));
  assert.equal(bound?.smallest.x, 8);
  // The difference enqueue cost - latency is +3400 at 4 KiB and -2200 at 1 MiB.
  const meeting = bound?.meeting;
  assert.ok(meeting != null);
  assert.equal(Math.round(meeting.about), Math.round(4096 + ((1048576 - 4096) * 3400) / 5600));
  assert.equal(meeting.at.x, 1048576);
  assert.ok(meeting.low < meeting.about && meeting.about < meeting.high);
});

test('a size where the intervals leave it open is not called hidden', () => {
  const points = devicePoints(seriesOf(decreed(measured, 0.25)));
  assert.deepEqual(
    points.map((p) => p.longer),
    ['host', 'host', 'open', 'device'],
  );
  assert.equal(enqueueBoundOf(seriesOf(decreed(measured, 0.25)))?.meeting?.at.x, 16777216);
});

test('an enqueue cost that is hidden everywhere has nothing to explain; one that never is, no meeting', () => {
  assert.equal(enqueueBoundOf(seriesOf(decreed({ 8: [41_000, 41_100, 8600] }))), null);
  assert.equal(enqueueBoundOf(seriesOf(decreed({ 8: [5900, 10_200, 8600] })))?.meeting, null);
});

test('overlapping intervals tie, others win; NCCL’s own choice takes part', () => {
  const ns: Record<string, number> = { p2p: 6000, 'p2p@ring/LL': 6050, 'p2p@tree/LL': 7000 };
  const transports = [p2pPlan, fixChoice(p2pPlan, 'ring', 'LL'), fixChoice(p2pPlan, 'tree', 'LL')];
  const run = ncclRun({ transports, minBytes: 8, maxBytes: 16 });
  run.cells = run.cells.map((cell): CellRecord => {
    if (cell.status !== 'ok') return cell;
    const t =
      bytesOf(cell) === 8 ? (ns[cell.transport] ?? 0) : cell.transport === 'p2p@tree/LL' ? 5000 : 6000;
    return withFigures(cell, (one) => (one.name === 'latency' ? at(one, t, 0.01) : one));
  });
  const [group] = groupsOf([run]);
  assert.ok(group !== undefined);
  const [sweep] = sweepsOf(group);
  assert.equal(sweep?.name, 'p2p');
  assert.deepEqual(
    fastestRanges(sweep.rows, 'latency').map((s) => [s.first, s.best[0] && winnersText(s.best[0])]),
    [
      [8, "tie: NCCL's choice, ring/LL"],
      [16, 'tree/LL'],
    ],
  );
});

test('what took another protocol than its name says is not among the fastest', () => {
  const run = ncclRun({ transports: [p2pPlan, fixChoice(p2pPlan, 'ring', 'LL')], minBytes: 8, maxBytes: 16 });
  run.cells = run.cells.map((cell): CellRecord => {
    if (cell.status !== 'ok' || cell.transport === 'p2p') return cell;
    const protocol = bytesOf(cell) === 8 ? 'LL' : 'Simple';
    const faster = withFigures(cell, (one) => at(one, 1, 0.01));
    return { ...faster, choice: { algorithm: 'Ring', protocol } };
  });
  const [group] = groupsOf([run]);
  const [sweep] = group === undefined ? [] : sweepsOf(group);
  assert.deepEqual(
    sweep?.rows.map(({ by }) => by.latency?.names),
    [['ring/LL'], ["NCCL's choice"]],
  );
});

test('without an interval the fastest is named with that reservation; without figures there is no row', () => {
  const run = ncclRun({ transports: [p2pPlan, fixChoice(p2pPlan, 'ring', 'LL')], minBytes: 8, maxBytes: 16 });
  run.cells = run.cells.flatMap((cell): CellRecord[] => {
    if (bytesOf(cell) === 16 || cell.status !== 'ok') return [];
    return [withFigures(cell, (one) => ({ ...one, interval: null, intervalReason: 'too few' }))];
  });
  const [group] = groupsOf([run]);
  const [sweep] = group === undefined ? [] : sweepsOf(group);
  assert.equal(sweep?.rows.length, 1);
  const best = sweep.rows[0]?.by.latency;
  assert.match(best ? winnersText(best) : '', / \(no interval\)$/);
});

test('transports are compared with equal choices only, and evidence is told once per transport', () => {
  const transports = [ncclSocketPlan, ncclSisciPlan].flatMap((t) => [
    fixChoice(t, 'ring', 'LL'),
    fixChoice(t, 'tree', 'LL'),
  ]);
  const run = ncclRun({ transports, maxBytes: 16 });
  const [group] = groupsOf([run]);
  assert.ok(group !== undefined);
  assert.deepEqual(
    comparisonsOf(group).map((c) => `${c.a.name} ${c.b.name}`),
    ['socket@ring/LL sisci@ring/LL', 'socket@tree/LL sisci@tree/LL'],
  );
  const text = evidenceSentence(run.cells, run.record.plan);
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

test('which of the times of a small message is what', () => {
  const group = { row: collective, x: xAxisFormat(collective) };
  const smallest: DevicePoint = {
    x: 8,
    pipelinedNs: 10_200,
    enqueueNs: 8600,
    latencyNs: 5900,
    latencyHalf: null,
    enqueueHalf: null,
    batch: 20,
    longer: 'host',
  };
  assert.equal(
    enqueueBoundText(group, { smallest, meeting: null }, ''),
    "nccl-tests prints the pipelined time: 20 calls queued by the host, elapsed / 20. At 8 B that is 10.2 µs, mostly the host's enqueue cost (8.60 µs per call), not the collective, which takes 5.90 µs on the GPUs once queued (latency; what nccl-tests -G shows). No size of this run is large enough to hide the enqueue cost with certainty.",
  );
  const at = { ...smallest, x: 2 ** 20, pipelinedNs: 13_400, latencyNs: 13_300 };
  assert.match(
    enqueueBoundText(
      group,
      {
        smallest: { ...smallest, batch: 64 },
        meeting: { about: 800_000, low: 700_000, high: 900_000, at },
      },
      '',
    ),
    /20 calls \(here 64\) .*, elapsed \/ calls\. .* From about 781 KiB \(between 684 KiB and 879 KiB\) the enqueue cost is hidden: at 1 MiB pipelined 13\.4 µs, latency 13\.3 µs\.$/,
  );
});
