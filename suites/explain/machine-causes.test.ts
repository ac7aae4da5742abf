import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedMachine } from './causes.ts';
import { machineCauses } from './machine-causes.ts';
import type { ExplainedOperation } from './variants.ts';

const quiet: ExplainedOperation = {
  ...{ command: 'allreduce', ranks: 2, series: 'socket', transport: 'socket', medium: 'hardware' },
  ...{ payloadBytes: 65_536, options: {}, algorithm: 'ring' },
  ...{ environment: {}, competingCores: 0, throttledShare: null, retransmitsPerOperation: 0 },
};
const loads = (...shares: number[]) => shares.map((share, cpu) => ({ cpu, core: cpu, share }));
const machine: ExplainedMachine = {
  cpus: 2,
  ranks: 2,
  loads: loads(0, 0),
  maxBufferBytes: 6 * 2 ** 20,
  numaNodes: 1,
};

function rowOf(id: string) {
  const row = machineCauses.find((one) => one.id === id);
  assert.ok(row !== undefined);
  return {
    changes: (operation: Partial<ExplainedOperation>, of: Partial<ExplainedMachine> = {}) => {
      const found = row.interventions({ ...quiet, ...operation }, { ...machine, ...of });
      if ('changes' in found) return found.changes.map(({ change, filter }) => filter ?? change);
      return 'absent' in found ? found.absent : found.reason;
    },
    suspicion: (operation: Partial<ExplainedOperation>, of: Partial<ExplainedMachine> = {}) =>
      row.suspicion?.({ ...quiet, ...operation }, { ...machine, ...of }) ?? null,
  };
}

test('on a quiet machine no cause is suspected, and each row says with which figure', () => {
  const reasons = machineCauses.map((row) => [
    row.suspicion?.(quiet, machine),
    row.interventions(quiet, machine),
  ]);
  assert.deepEqual(reasons, [
    [null, { absent: '0.0 of 2 CPUs are used by other processes' }],
    [null, { absent: 'no control group of the ranks has one' }],
    [null, { absent: 'no TCP segment was sent again' }],
    [null, { absent: 'the kernel lets TCP buffers grow to 6 MiB (tcp_rmem, tcp_wmem)' }],
  ]);
});

test("others' load: idle CPUs and priority are tried where there are idle CPUs, else priority alone", () => {
  const row = rowOf('others-load');
  const high = { priority: 'high' };
  assert.deepEqual(row.changes({}, { cpus: 4, loads: loads(0.9, 0, 0.02, 0.01) }), [{ bind: '1,3' }, high]);
  assert.deepEqual(row.changes({}, { loads: loads(0.9, 0) }), [high]);
  assert.equal(
    row.suspicion({}, { loads: loads(0.9, 0) })?.text,
    '0.9 of 2 CPUs are used by other processes',
  );
  assert.deepEqual(row.changes({ competingCores: 1.2 }), [high], 'the recorded load counts, too');
  assert.equal(row.changes({ competingCores: null }, { loads: [] }), 'the load of the CPUs is not known');
});

test("others' load: idle CPUs are no change of it alone where ranks are bound to one CPU", () => {
  const of = { cpus: 4, loads: loads(0.9, 0, 0, 0) };
  const changes = (bind: string) => rowOf('others-load').changes({ options: { bind } }, of);
  assert.deepEqual(changes('0,0'), [{ priority: 'high' }]);
  assert.deepEqual(changes('core'), [{ bind: '1,2' }, { priority: 'high' }]);
  assert.deepEqual(changes('0,1'), [{ bind: '1,2' }, { priority: 'high' }]);
});

test("others' load: a hardware thread beside a busy one is not idle, and cores of their own come first", () => {
  const threads = [0.9, 0, 0, 0, 0, 0].map((share, cpu) => ({ cpu, core: cpu % 3, share }));
  assert.deepEqual(rowOf('others-load').changes({}, { cpus: 6, loads: threads }), [
    { bind: '1,2' },
    { priority: 'high' },
  ]);
});

test('a quota that kept ranks from running is left, and its figure is given', () => {
  const row = rowOf('cpu-quota');
  assert.deepEqual(row.changes({ throttledShare: 0.43 }), [{ cpuQuota: 'leave' }]);
  assert.deepEqual(row.suspicion({ throttledShare: 0.43 }), {
    share: 0.43,
    text: 'throttled for 43 % of the time',
  });
  assert.equal(row.changes({ throttledShare: 0.002 }), 'throttled for 0.2 % of the time');
  assert.match(
    String(row.changes({ throttledShare: 0.4, options: { cpuQuota: 'leave' } })),
    /run outside of control groups/,
  );
});

test('lost segments are explained by the samples without a retransmit by timer', () => {
  const row = rowOf('loss');
  assert.deepEqual(row.changes({ retransmitsPerOperation: 0.12 }), ['without-timeouts']);
  assert.equal(
    row.suspicion({ retransmitsPerOperation: 0.12 })?.text,
    '12 TCP segments were sent again in 100 operations',
  );
  assert.equal(row.suspicion({ retransmitsPerOperation: 0.12, transport: 'shm' }), null);
});

test('small buffers: an option is removed; limits of the kernel are suspected only below the size of the message', () => {
  const row = rowOf('socket-buffers');
  const small = { maxBufferBytes: 8192 };
  assert.deepEqual(row.changes({ options: { socketBuffer: '8K' } }), [{ socketBuffer: null }]);
  assert.deepEqual(row.changes({}, small), [{ socketBuffer: '4M' }]);
  assert.match(row.suspicion({}, small)?.text ?? '', /grow to 8 KiB/);
  assert.equal(row.suspicion({ payloadBytes: 1024 }, small), null);
});
