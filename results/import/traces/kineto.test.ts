import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isBundle } from '../../bundle/packed.ts';
import { importHints, readFixture } from '../../testing/foreign.ts';
import { contentOf } from '../content.ts';
import { ImportError, type ImportedOutput } from '../imported-output.ts';
import { readForeign } from '../read.ts';
import { lengthUs, uncoveredSpans, union } from './overlap.ts';
import { stepsOf, stepUs } from './steps.ts';

const spans = (...pairs: [number, number][]) => pairs.map(([startUs, endUs]) => ({ startUs, endUs }));
const read = (content: unknown, ranks: number | null = null): ImportedOutput =>
  readForeign(JSON.stringify(content), importHints({ ranks })).found;

/** A kernel of NCCL as Kineto writes it. */
const kernel = (ts: number, dur: number, args: Record<string, unknown> = {}) => ({
  ph: 'X',
  cat: 'kernel',
  name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  pid: 0,
  tid: 17,
  ts,
  dur,
  args: {
    'Collective name': 'allreduce',
    'In msg nelems': 256,
    'Out msg nelems': 256,
    'Group size': 4,
    dtype: 'Float',
    ...args,
  },
});
const other = (ts: number, dur: number) => ({
  ph: 'X',
  cat: 'kernel',
  name: 'sgemm',
  pid: 0,
  tid: 7,
  ts,
  dur,
});
const step = (ts: number, dur: number, name = 'ProfilerStep#7') => ({
  ph: 'X',
  cat: 'user_annotation',
  name,
  pid: 'python',
  tid: 'main',
  ts,
  dur,
});
const trace = (...traceEvents: unknown[]) => ({ schemaVersion: 1, traceEvents });

test('spans that touch or overlap are one; what another covers is taken out of each', () => {
  assert.deepEqual(union(spans([4, 6], [0, 2], [1, 3], [6, 7])), spans([0, 3], [4, 7]));
  assert.deepEqual(uncoveredSpans(spans([0, 10], [20, 30]), spans([2, 4], [8, 22], [25, 26])), [
    ...spans([0, 2], [4, 8], [22, 25], [26, 30]),
  ]);
  assert.deepEqual(uncoveredSpans(spans([0, 10]), []), spans([0, 10]));
  assert.deepEqual(uncoveredSpans(spans([2, 3]), spans([0, 10])), []);
  assert.equal(lengthUs(spans([0, 3], [4, 7])), 6);
});

test('steps are the ranges of a name that repeats and covers the most time, whatever its numbers', () => {
  const on = (thread: string, name: string, startUs: number, endUs: number) => ({
    thread,
    name,
    startUs,
    endUs,
  });
  const found = stepsOf([
    on('1', 'ProfilerStep#1', 0, 10),
    on('1', 'Optimizer.step#SGD.step', 8, 9),
    on('1', 'Optimizer.step#SGD.step', 18, 19),
    on('1', 'ProfilerStep#2', 12, 22),
    on('2', 'once', 0, 100),
  ]);
  assert.equal(found?.name, 'ProfilerStep');
  assert.equal(found === null ? 0 : stepUs(found), 12);
  assert.equal(stepsOf([on('1', 'once', 0, 1)]), null);
});

test('real steps of ResNet50 over Socket: 42.8 ms of collectives a step, 31.2 ms of it exposed', () => {
  const { found } = readForeign(readFixture('kineto-torch-2.11-2xH200-socket-resnet50.json'), importHints());
  assert.match(found.says?.[0] ?? '', /^2 steps \(train_step\), 65\.9 ms /);
  assert.match(
    found.says?.[1] ?? '',
    /: 7 of 102 MB together, 42\.8 ms, 31\.2 ms of it exposed, 27 % hidden/,
  );
});

test('total and exposed are means over steps; kernels before the first step are none of them', () => {
  const found = read(
    trace(
      step(100, 50),
      step(200, 50, 'ProfilerStep#8'),
      kernel(10, 5),
      kernel(120, 20),
      other(130, 20),
      kernel(220, 10),
    ),
  );
  assert.match(
    found.says?.[1] ?? '',
    /^collectives of a step: 1 of 1\.02 kB together, 15 µs, 10 µs of it exposed, 33 %/,
  );
});

test('sizes of gathers and scatters are those of all parts together', () => {
  const found = read(
    trace(
      kernel(0, 10, {
        'Collective name': '_allgather_base',
        'In msg nelems': 8,
        'Out msg nelems': 32,
        dtype: 'BFloat16',
      }),
      kernel(20, 10, {
        'Collective name': '_reduce_scatter_base',
        'In msg nelems': 64,
        'Out msg nelems': 16,
        dtype: 'Half',
      }),
    ),
  );
  assert.deepEqual(
    found.rows.map(({ operation, dtype, payloadBytes, count }) => [operation, dtype, payloadBytes, count]),
    [
      ['allgather', 'bfloat16', 64, 8],
      ['reducescatter', 'float16', 128, 16],
    ],
  );
});

test('what has no size or is not known is counted and said, and stays part of the time', () => {
  const found = read(
    trace(
      kernel(0, 10),
      kernel(20, 10, { dtype: 'Float4' }),
      { ...kernel(40, 10), args: {} },
      { ...kernel(60, 10), name: 'ncclDevKernel_New(...)', args: {} },
      step(0, 30),
      step(40, 30),
    ),
  );
  assert.equal(found.rows.length, 1);
  assert.deepEqual(found.notices, [
    '1 operations are left out: of data type Float4, which is not known',
    '1 operations are left out: without sizes (profile with record_shapes=True)',
    '1 kernels of NCCL are left out: of an operation that is not known',
  ]);
  assert.match(found.says?.[1] ?? '', /20 µs/);
});

test('communicators of several sizes: times are those of the one with most calls, and the others are said', () => {
  const mixed = trace(
    kernel(0, 10),
    kernel(20, 10, { 'Group size': 2 }),
    kernel(40, 10, { 'Group size': 2 }),
  );
  assert.equal(read(mixed, 4).ranks, 4);
  const found = read(mixed);
  assert.equal(found.ranks, 2);
  assert.deepEqual(
    found.rows.map(({ samples }) => samples),
    [2],
  );
  assert.match(
    found.notices[0] ?? '',
    /^times by size are those of 2 ranks; 1 operations of communicators of other sizes are left out/,
  );
});

test('a trace without collectives says how to profile', () => {
  assert.throws(
    () => read(trace(other(0, 1))),
    (error) => error instanceof ImportError && /ProfilerActivity\.CUDA/.test(error.lines.join(' ')),
  );
});

test('a packed trace is unpacked, and is no bundle; a damaged one is refused', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'trace.json.gz');
  const content = readFixture('kineto-torch-2.11-2xH200-p2p-resnet50.json');
  const packed = gzipSync(content);
  writeFileSync(file, packed);
  assert.equal(await isBundle(file), false);
  assert.equal((await contentOf(file)).toString(), content);
  writeFileSync(file, packed.subarray(0, packed.length / 2));
  await assert.rejects(contentOf(file), /cannot be unpacked/);
});

test('a trace that was cut off is read as far as it goes, and is not whole', () => {
  const whole = readFixture('kineto-torch-2.11-2xH200-p2p-resnet50.json');
  const { found } = readForeign(whole.slice(0, whole.length / 2), importHints());
  assert.equal(found.complete, false);
  assert.ok(found.rows.length > 0);
});

test('sizes and names that stand at the range of the host belong to the kernel that was launched in it', () => {
  const range = (name: string, ts: number, dims: number[][], tid = 1) => ({
    ...{ ph: 'X', cat: 'user_annotation', name: `nccl:${name}`, pid: 1, tid, ts, dur: 50 },
    args: { 'External id': ts, 'Input Dims': dims, 'Input type': ['float'] },
  });
  const launch = (correlation: number, ts: number, tid = 1) => ({
    ...{ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid, ts, dur: 5 },
    args: { 'External id': correlation, correlation },
  });
  const run = (correlation: number, ts: number, name: string) => ({
    ...{
      ph: 'X',
      cat: 'kernel',
      name: `ncclKernel_${name}_RING_LL_Sum_float(...)`,
      pid: 0,
      tid: 20,
      ts,
      dur: 100,
    },
    args: { correlation },
  });
  const found = read({
    distributedInfo: { backend: 'nccl', rank: 0, world_size: 8 },
    traceEvents: [
      range('all_to_all', 1000, [[6144], [2048]]),
      // A range of another thread at the same time.
      range('all_reduce', 1000, [[7]], 2),
      launch(70_001, 1020),
      run(70_001, 1100, 'SendRecv'),
      // Two kernels in one range: the bytes of each are unknown.
      range('all_reduce', 2000, [[1024]]),
      launch(70_002, 2010),
      run(70_002, 2100, 'AllReduce'),
      launch(70_003, 2020),
      run(70_003, 2200, 'AllReduce'),
    ],
  });
  assert.deepEqual(
    found.rows.map(({ operation, payloadBytes, timeNs }) => [operation, payloadBytes, timeNs]),
    [['alltoall', 4 * 8192, 100_000]],
  );
  assert.deepEqual(found.notices, [
    '2 operations are left out: without sizes (profile with record_shapes=True)',
    'the trace does not say which ranks take part in an operation: all 8 are assumed',
  ]);
});

test('a range at the host has the whole input of a reducescatter, and one part of a gather or scatter', () => {
  const events = ['reduce_scatter', 'scatter', 'gather', '_allgather_base'].flatMap((name, i) => {
    const ts = (i + 1) * 1000;
    const place = { ph: 'X', pid: 1, tid: 1, ts };
    const sizes = { 'Input Dims': [[4096]], 'Input type': ['float'] };
    return [
      { ...place, cat: 'user_annotation', name: `nccl:${name}`, dur: 50, args: sizes },
      { ...place, cat: 'cuda_runtime', name: 'cudaLaunchKernel', dur: 5, args: { correlation: i } },
      { ...place, cat: 'kernel', name: 'ncclKernel_SendRecv(...)', dur: 100, args: { correlation: i } },
    ];
  });
  const found = read({
    distributedInfo: { backend: 'nccl', rank: 0, world_size: 8 },
    traceEvents: events,
  });
  assert.deepEqual(
    new Set(found.rows.map(({ operation, payloadBytes, count }) => `${operation} ${payloadBytes} ${count}`)),
    new Set([
      'reducescatter 16384 512',
      'scatter 131072 4096',
      'gather 131072 4096',
      'allgather 131072 4096',
    ]),
  );
});

test('a gather or scatter of Gloo moves the parts of all ranks: the first tensor at its range is one part', () => {
  const range = (name: string, ts: number, dims: number[][]) => ({
    ...{ ph: 'X', cat: 'user_annotation', name: `gloo:${name}`, pid: 1, tid: 1, ts, dur: 50 },
    args: { 'Input Dims': dims, 'Input type': dims.map(() => 'float') },
  });
  const found = read({
    distributedInfo: { backend: 'gloo', rank: 0, world_size: 2 },
    traceEvents: [range('gather', 1000, [[256]]), range('scatter', 2000, [[256], [256]])],
  });
  assert.deepEqual(
    found.rows.map(({ operation, payloadBytes, count }) => [operation, payloadBytes, count]),
    [
      ['gather', 2048, 256],
      ['scatter', 2048, 256],
    ],
  );
});

test('kernels of NCCL of which no operation is known are refused for that', () => {
  const events = [{ ...kernel(0, 10), name: 'ncclDevKernel_SendRecv(...)', args: {} }];
  assert.throws(() => read(trace(...events)), /has 1 kernels of NCCL, and of none it says which operation/);
});

test('calls are rows by operation, data type and size: the same shape as int and as float is two rows', () => {
  // Sparse features of a recommendation model: ids as int and weights as float, both of the same length, which changes in
  // each step.
  const calls = [63_076, 65_687, 63_076].flatMap((elements) =>
    ['int', 'float'].map((type) => ({ type, elements })),
  );
  const events = calls.flatMap(({ type, elements }, i) => {
    const [correlation, ts] = [i + 1, 1000 * (i + 1)];
    const host = { ph: 'X', pid: 1, tid: 1, dur: 50 };
    const sizes = { 'Input Dims': [[elements]], 'Input type': [type] };
    return [
      { ...host, cat: 'user_annotation', name: 'nccl:all_to_all', ts, args: sizes },
      { ...host, cat: 'cuda_runtime', name: 'cudaLaunchKernel', ts: ts + 10, dur: 5, args: { correlation } },
      {
        ...kernel(ts + 100, 10 + i),
        name: 'ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)',
        args: { correlation },
      },
    ];
  });
  const { rows } = read({
    ...trace(...events),
    distributedInfo: { backend: 'nccl', rank: 3, world_size: 8 },
  });
  // Two lengths by two types; one length of each type is called twice.
  assert.deepEqual(
    rows
      .map(({ operation, dtype, payloadBytes, samples }) => [operation, dtype, payloadBytes, samples])
      .sort((a, b) => String(a).localeCompare(String(b))),
    [
      ['alltoall', 'float32', 4 * 63_076, 2],
      ['alltoall', 'float32', 4 * 65_687, 1],
      ['alltoall', 'int32', 4 * 63_076, 2],
      ['alltoall', 'int32', 4 * 65_687, 1],
    ],
  );
});
