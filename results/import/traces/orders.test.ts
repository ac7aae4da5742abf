import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chakraFile } from '../../testing/chakra.ts';
import { importHints, readFixture } from '../../testing/foreign.ts';
import { ImportError } from '../imported-output.ts';
import { readForeign } from '../read.ts';
import { runOf } from '../to-run.ts';
import { jobOfTrace } from './read-job.ts';

const wordsOf = (content: string | Uint8Array): string[] =>
  jobOfTrace(content, 'x').items.map((item) =>
    item.do === 'call'
      ? `${item.collective} ${item.dtype} ${item.bytes} ${item.group === undefined ? '' : `${item.group.size}x${item.group.stride}`}`.trim()
      : item.do,
  );

const groups = JSON.stringify([
  { pg_name: '0', ranks: [], group_size: 4 },
  { pg_name: '1', ranks: [0, 1], group_size: 2 },
]);
const collective = (kind: number, bytes: number, group = '0') => ({
  ...{ type: 7, attributes: { is_cpu_op: 0, comm_type: kind, comm_size: bytes, pg_name: group } },
});

test('Chakra in protobuf: collectives and sends in the order of their nodes, as bytes, with their groups', () => {
  const file = chakraFile([
    { type: 1, attributes: {}, values: groups },
    { type: 4, attributes: { num_ops: 5 } },
    collective(0, 4096, '1'),
    collective(2, 2048),
    collective(9, 0),
    { type: 5, attributes: { comm_size: 512 } },
    { type: 6, attributes: { comm_size: 512 } },
    collective(7, 64),
  ]);
  assert.deepEqual(wordsOf(file), [
    ...[
      'allreduce uint8 4096 2x1',
      'allgather uint8 2048',
      'sendrecv uint8 512',
      'reducescatter uint8 64',
      'wait',
    ],
  ]);
  const { format, found } = readForeign(file, importHints());
  assert.deepEqual([format, found.rows, found.job?.ranks, found.complete], ['chakra', [], 4, true]);
  assert.match(
    (found.says ?? []).join('\n'),
    /4 collectives in their order[\s\S]*no types: calls are replayed as bytes/,
  );
  const cut = readForeign(file.subarray(0, file.length - 9), importHints()).found;
  assert.deepEqual([cut.complete, (cut.job?.items ?? []).length], [false, 4]);
});

test('Chakra: a step that repeats is the job; groups that are not listed are refused, other binaries are no trace', () => {
  const steps = Array.from({ length: 3 }, () => [collective(0, 400, ''), collective(5, 8, '')]).flat();
  assert.deepEqual(wordsOf(chakraFile(steps)), ['allreduce uint8 400', 'broadcast uint8 8', 'wait']);
  assert.throws(
    () => jobOfTrace(chakraFile([collective(0, 4, '1'), collective(0, 4, '2')]), 'x'),
    /2 process groups, and does not list their ranks/,
  );
  for (const bytes of [Buffer.of(0, 1, 2), Buffer.from([5, 10, 3, 0, 1, 2]), Buffer.alloc(40, 0xff)])
    assert.throws(() => readForeign(bytes, importHints()), ImportError);
});

test('PARAM: sizes are elements, a wait is of the call before it, groups are those that were made', () => {
  const of = (comms: string, sent: number, received: number, parts = {}) => ({
    ...{ comms, req: 1, in_msg_size: sent, out_msg_size: received, dtype: 'float', world_size: 4, ...parts },
  });
  const trace = [
    { comms: 'init', pg_id: 0, global_ranks: [0, 1, 2, 3], world_size: 4, req: -1 },
    { comms: 'init', pg_id: 1, global_ranks: [0, 2], world_size: 2, req: -1 },
    of('all_reduce', 1024, 1024, { pg_id: 0 }),
    { comms: 'wait', req: 1 },
    { compute: 'gemm', mm_dim: 64 },
    of('all_gather', 256, 1024, { pg_id: 0, dtype: 'BFloat16' }),
    of('all_to_all_single', 400, 400, { pg_id: 0, dtype: 'long' }),
    of('reduce_scatter_base', 512, 256, { pg_id: 1 }),
    { comms: 'barrier', req: 2 },
  ];
  assert.deepEqual(wordsOf(JSON.stringify(trace)), [
    ...['allreduce float32 4096', 'wait', 'allgather bfloat16 2048', 'alltoall int64 3200'],
    ...['reducescatter float32 2048 2x2', 'wait'],
  ]);
  const { format, found } = readForeign(JSON.stringify(trace), importHints());
  assert.deepEqual([format, found.ranks], ['param', 4]);
  assert.match((found.says ?? []).join('\n'), /1 computations are not in the job/);
});

test('NCCL Inspector: the calls of its lowest rank, beside the times', () => {
  const { found } = readForeign(readFixture('inspector-2.30.7-2xH200-all_reduce.jsonl'), importHints());
  assert.ok(found.rows.length > 0);
  const calls = (found.job?.items ?? []).filter((item) => item.do === 'call');
  assert.ok(calls.length > 0 && calls.every((item) => item.collective === 'allreduce' && item.bytes > 0));
  assert.match((found.says ?? []).join('\n'), /that Inspector did not record are missing/);
});

test('an execution trace is imported as a run that has a job and no times', () => {
  const { format, found } = readForeign(readFixture('execution-torch-2.15-gloo.json'), importHints());
  assert.deepEqual([format, found.rows, found.ranks], ['execution', [], 2]);
  assert.ok((found.job?.items.length ?? 0) > 10);
});

test('Chakra without a version: the schema that a converter writes as an attribute stands for it', () => {
  const name = 'chakra-schema-attribute-made.et';
  const file = readFileSync(
    fileURLToPath(new URL(`../../../../results/import/fixtures/${name}`, import.meta.url)),
  );
  const { format, found } = readForeign(file, importHints({ ranks: 2 }));
  assert.equal(format, 'chakra');
  assert.match(found.program, /1\.0\.2-chakra\.0\.0\.4/);
  assert.deepEqual(wordsOf(file), ['allreduce uint8 1048576', 'allreduce uint8 1048576', 'wait']);
});

test('an execution trace without collectives is refused for that, whatever its schema', () => {
  const content = readFixture('execution-1.0.1-no-collectives-made.json');
  assert.throws(() => readForeign(content, importHints()), /the execution trace has no collectives/);
});

test('PARAM: calls without times have a name in titles', () => {
  const { found } = readForeign(readFixture('param-made.json'), importHints());
  const file = { name: 'x', bytes: 1, sha256: '' };
  const { plan } = runOf(found, { command: [], format: 'param', file, label: null });
  assert.equal(found.job?.items.length, 4);
  assert.equal(plan.points.length, 0);
});

test('a trace that does not say how many ranks there were says so, and takes --ranks', () => {
  const file = chakraFile([collective(0, 4096)]);
  const { found } = readForeign(file, importHints());
  assert.match(found.notices.join(), /does not say how many ranks/);
  assert.equal(found.job?.ranks, null);
  const stated = readForeign(file, importHints({ ranks: 16 })).found;
  assert.deepEqual([stated.ranks, stated.notices], [16, []]);
});
