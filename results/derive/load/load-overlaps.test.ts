import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BlockRecord, OkCell, RunPlan } from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from '../cells/cell.ts';
import { loadOverlap } from './overlap.ts';

const [socket] = testPlan().transports;
const plan: RunPlan = testPlan({
  transports: [
    { ...(socket as RunPlan['transports'][number]), name: 'socket' },
    { ...(socket as RunPlan['transports'][number]), name: 'socket@copy:2', settings: { beside: 'copy:2' } },
  ],
});
const none = { bytesSent: 0, bytesReceived: 0, messagesSent: 0, messagesReceived: 0 };

/** Loads of two ranks: 8 bytes a nanosecond alone, and 2 and 4 during the operations. */
const loads = (timedNs = 10e6): BlockRecord['beside'] =>
  [2, 4].map((rate) => ({
    ...{ workers: 2, aloneUnits: 8 * 25e6, aloneNs: 25e6, timedUnits: rate * timedNs, timedNs, moved: none },
  }));

/** Four launches of pipelined samples with a median of `ns`. */
function cell(transport: number, ns: number, beside?: BlockRecord['beside']): OkCell {
  const blocks = [0, 1, 2, 3].map((launch) =>
    testBlock([ns, ns, ns, 3 * ns], {
      ...{ block: launch, launch, transport, trial: 'pipelined' },
      ...(beside === undefined ? {} : { beside }),
    }),
  );
  const made = deriveCell(plan, 0, transport, blocks);
  assert.ok(made.status === 'ok');
  return made;
}

test('a load is part of what was requested, and of the id', () => {
  const loaded = cell(1, 2000, loads());
  assert.deepEqual(loaded.requested, { beside: 'copy:2' });
  assert.match(loaded.id, /;beside=copy:2;/);
  assert.doesNotMatch(cell(0, 1000).id, /beside/);
});

test('rates of the load are of all ranks together; the mean of an operation feels what the median does not', () => {
  const [trial] = cell(1, 2000, loads()).beside?.trials ?? [];
  assert.ok(trial?.load);
  assert.deepEqual(trial.meanNs, [3000, 3000, 3000, 3000]);
  assert.equal(trial.load.unit, 'GB/s');
  assert.equal(trial.load.alone, 16);
  assert.equal(trial.load.beside, 6);
  assert.deepEqual(trial.load.keptShares, [0.375, 0.375, 0.375, 0.375]);
});

test('the cost goes both ways, and the overlap is what was saved of the time', () => {
  const found = loadOverlap(cell(0, 1000), cell(1, 2000, loads()));
  assert.ok(found !== null);
  assert.ok(Math.abs(found.slowdown.value - 2) < 1e-9);
  assert.ok(Math.abs(found.kept.value - 0.375) < 1e-9);
  assert.ok(Math.abs(found.overlap.value - (0.5 + 0.375 - 1)) < 1e-9);
  assert.ok(found.overlap.interval !== null);
});

test('operations too short to count what the load did beside them give no overlap', () => {
  const short = cell(1, 2000, loads(1e5));
  assert.equal(short.beside?.trials[0]?.load, null);
  assert.equal(loadOverlap(cell(0, 1000), short), null);
});

test('runs without loads say nothing of them', () => {
  const made = deriveCell(testPlan(), 0, 0, [testBlock([1000, 1000])]);
  assert.ok(made.status === 'ok' && made.beside === undefined);
});

test('traffic that was requested is no other traffic: the interface may carry it, too', () => {
  const over = plan.transports.map((one) => ({ ...one, detail: { networkInterface: 'lo' } }));
  const moved = { bytesSent: 10e9, bytesReceived: 10e9, messagesSent: 4e4, messagesReceived: 4e4 };
  const sent = { bytesSent: 1e9, bytesReceived: 1e9, messagesSent: 1e3, messagesReceived: 1e3 };
  const of = (beside: BlockRecord['beside']) =>
    deriveCell({ ...plan, transports: over }, 0, 1, [
      testBlock([1000, 1000], {
        ...{ transport: 1, counters: [sent, sent], interfaceBytes: { lo: 21e9 } },
        ...(beside === undefined ? {} : { beside }),
      }),
    ]);
  const asked = of(loads()?.map((one) => ({ ...one, moved })));
  assert.ok(asked.status === 'ok');
  assert.equal(asked.evidence.verdict, 'confirmed');
  assert.match(asked.evidence.reason, /of the traffic requested beside it/);
  assert.ok(!asked.flags.some(({ name }) => name === 'network-busy'));
  const other = of(loads());
  assert.ok(other.status === 'ok');
  assert.equal(other.evidence.verdict, 'unproven');
});
