import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepTimes } from '../../models/step.ts';
import type { Job } from '../../schema/index.ts';
import { importHints, readFixture } from '../../testing/foreign.ts';
import { readForeign } from '../read.ts';
import { jobOfTrace } from './read-job.ts';

type TraceEvent = Record<string, unknown>;
const at = (cat: string, name: string, ts: number, dur: number, args: TraceEvent = {}): TraceEvent => ({
  ...{ ph: 'X', cat, name, pid: 0, tid: 1, ts, dur, args },
});
const step = (ts: number, dur = 1000) => at('user_annotation', 'ProfilerStep#1', ts, dur);
const sgemm = (ts: number, dur: number, correlation?: number) =>
  at('kernel', 'sgemm', ts, dur, correlation === undefined ? {} : { correlation });
const launch = (ts: number, correlation: number) =>
  at('cuda_runtime', 'cudaLaunchKernel', ts, 1, { correlation });
const allreduce = (ts: number, dur: number, elements: number, more: TraceEvent = {}) =>
  at('kernel', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)', ts, dur, {
    ...{ 'Collective name': 'allreduce', 'In msg nelems': elements, 'Out msg nelems': elements },
    ...{ 'Group size': 4, dtype: 'Float', ...more },
  });
const issue = (ts: number, id: number, more: TraceEvent = {}) =>
  at('cpu_op', 'record_param_comms', ts, 1, { 'External id': id, 'Collective name': 'allreduce', ...more });

const jobOf = (...traceEvents: TraceEvent[]): Job =>
  jobOfTrace(JSON.stringify({ schemaVersion: 1, traceEvents }), 'runs/rank0.pt.trace.json.gz');
const itemsOf = (...events: TraceEvent[]): string[] =>
  jobOf(...events).items.map((item) =>
    item.do === 'compute' ? `compute ${item.ns / 1000}` : item.do === 'call' ? `call ${item.bytes}` : 'wait',
  );
/** Two steps of the same events, with times in us. */
const twice = (stepUs: number, events: (from: number) => TraceEvent[]): TraceEvent[] => [
  ...events(0),
  ...events(stepUs),
];

test('a step is computation up to each call, and a wait at its end', () => {
  const events = twice(1000, (from) => [
    step(from),
    sgemm(from, 300),
    sgemm(from + 300, 500),
    allreduce(from + 300, 100, 256),
    allreduce(from + 700, 250, 512),
    sgemm(from + 950, 50),
  ]);
  const job = jobOf(...events);
  assert.deepEqual(
    [job.name, job.ranks, job.hasTimes, job.stepNs, job.source],
    ['rank0', 4, true, 1_000_000, 'torch.profiler, NCCL, trace of rank ?'],
  );
  assert.deepEqual(itemsOf(...events), [
    ...['compute 300', 'call 1024', 'compute 400', 'call 2048'],
    ...['compute 100', 'wait', 'compute 50'],
  ]);
});

test('a call behind another one was ready when the host issued it and what it needs was computed', () => {
  const events = (from: number) => [
    step(from),
    launch(from + 10, from + 1),
    sgemm(from + 20, 380, from + 1),
    issue(from + 5, from + 7),
    allreduce(from + 100, 500, 256, { 'External id': from + 7 }),
    issue(from + 30, from + 8),
    allreduce(from + 600, 300, 512, { 'External id': from + 8 }),
  ];
  // The call was issued at 30; the kernel launched before it ended at 400.
  assert.deepEqual(itemsOf(...twice(1000, events)), [
    ...['compute 100', 'call 1024', 'compute 300', 'call 2048'],
    ...['wait', 'compute 100'],
  ]);
});

test('computation waits where the host asked for it, or where it pauses for a call', () => {
  const waiting = (from: number) => [
    step(from),
    issue(from + 90, from + 1),
    allreduce(from + 100, 100, 8, { 'External id': from + 1 }),
    at('cpu_op', 'record_param_comms', from + 110, 1, { 'Collective name': 'wait' }),
    sgemm(from + 230, 270),
    allreduce(from + 500, 300, 16),
    sgemm(from + 805, 95),
    allreduce(from + 900, 50, 32),
  ];
  assert.deepEqual(itemsOf(...twice(1000, waiting)), [
    ...['compute 100', 'call 32', 'wait', 'compute 300', 'call 64'],
    ...['wait', 'compute 100', 'call 128', 'wait', 'compute 50'],
  ]);
});

test('steps that ask for something else than most are left out, as the first of DDP', () => {
  const plain = (from: number) => [step(from), sgemm(from, 500), allreduce(from + 500, 100, 256)];
  const first = [step(0), sgemm(0, 900), allreduce(900, 50, 1024)];
  assert.deepEqual(
    jobOf(...first, ...plain(1000), ...plain(2000)).items.filter((item) => item.do === 'call').length,
    1,
  );
  assert.deepEqual(itemsOf(...first, ...plain(1000), ...plain(2000)).slice(0, 2), [
    'compute 500',
    'call 1024',
  ]);
});

const of = (ranks: string) => ({ 'Process Group Ranks': ranks });
const groupedTrace = (world: number, events: (from: number) => TraceEvent[]) =>
  JSON.stringify({
    ...{ schemaVersion: 1, distributedInfo: { world_size: world, rank: 0 } },
    traceEvents: twice(1000, (from) => [step(from), ...events(from)]),
  });

test('groups of ranks are kept: those in a row, those at a distance, all; sends are an exchange round their ring', () => {
  const trace = groupedTrace(16, (from) => [
    allreduce(from + 100, 10, 8, of('[0, 1, 2, 3]')),
    allreduce(from + 300, 10, 8, of('[0, 4, 8, 12]')),
    allreduce(from + 310, 10, 8, of('[0, 1, 2, 3]')),
    at('kernel', 'ncclDevKernel_SendRecv', from + 400, 5, {
      ...{ 'Collective name': 'send', 'In msg nelems': 16, 'Group size': 2, dtype: 'Half', ...of('[0, 8]') },
    }),
    allreduce(from + 500, 10, 4, { 'Group size': 16, ...of('[0, 1, ..., 15]') }),
  ]);
  const { items, ranks } = jobOfTrace(trace, 'x.json');
  assert.equal(ranks, 16);
  assert.deepEqual(
    items.flatMap((item) =>
      item.do === 'call' ? `${item.collective} ${item.group?.size ?? 'all'} ${item.group?.stride ?? ''}` : [],
    ),
    ['allreduce 4 1', 'allreduce 4 4', 'allreduce 4 1', 'sendrecv 2 8', 'allreduce all '],
  );
  const { found } = readForeign(trace, importHints());
  assert.ok(
    found.says?.includes(
      'calls of a step by group: 2 of 4 ranks in a row; 1 of 4 ranks, 4 apart; 1 of 2 ranks, 8 apart; 1 of all 16 ranks',
    ),
    found.says?.join('\n'),
  );
});

test('ranks at no equal distance, and groups of one, are left out with their number', () => {
  const trace = groupedTrace(4, (from) => [
    allreduce(from + 100, 10, 8, of('[0, 1, 2, 3]')),
    allreduce(from + 200, 10, 8, { 'Group size': 3, ...of('[0, 1, 3]') }),
    allreduce(from + 300, 10, 8, { 'Group size': 1, ...of('[0]') }),
  ]);
  const { found } = readForeign(trace, importHints());
  assert.equal(found.job?.items.filter((item) => item.do === 'call').length, 1);
  for (const why of ['ranks \\[0, 1, 3\\] are at no equal distance', 'groups of one rank'])
    assert.match(found.says?.join('\n') ?? '', new RegExp(`not in the job: 2 calls \\(${why}\\)`));
});

test('without steps, sizes or types there is no job, and why', () => {
  assert.throws(() => jobOf(allreduce(0, 10, 8)), /no job to replay: no range repeats/);
  assert.throws(
    () => jobOf(...twice(100, (from) => [step(from), allreduce(from, 10, 8, { dtype: 'Float4' })])),
    /no job to replay: 2 collectives have no size or type \(profile with record_shapes=True\)/,
  );
  assert.throws(() => jobOfTrace('{"a":1}', 'x.json'), /neither a job nor a trace of torch\.profiler/);
});

const real = (transport: string) => {
  const { found } = readForeign(
    readFixture(`kineto-torch-2.11-2xH200-${transport}-resnet50.json`),
    importHints(),
  );
  const times = new Map(found.rows.map(({ payloadBytes, timeNs }) => [payloadBytes, timeNs ?? 0]));
  assert.ok(found.job !== undefined);
  return { items: found.job.items, stepNs: found.job.stepNs ?? 0, times };
};

test('ResNet50 on two H200: the job of one transport with the times of the other gives its step within 10 %', () => {
  const [p2p, socket] = [real('p2p'), real('socket')];
  for (const from of [p2p, socket])
    for (const to of [p2p, socket]) {
      const { stepNs } = stepTimes(from.items, ({ bytes }) => to.times.get(bytes) ?? 0);
      assert.ok(Math.abs(stepNs / to.stepNs - 1) < 0.1, `${stepNs} of ${to.stepNs}`);
    }
  assert.deepEqual(
    socket.items.flatMap((item) => (item.do === 'call' ? [item.bytes] : [])),
    [212_480, 424, 8_196_000, 31_502_336, 26_255_360, 26_550_272, 9_724_160],
  );
});
