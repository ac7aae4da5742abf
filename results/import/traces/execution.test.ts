import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFixture } from '../../testing/foreign.ts';
import { jobOfTrace } from './read-job.ts';

const wordsOf = (content: string): string[] =>
  jobOfTrace(content, 'et.json').items.map((item) =>
    item.do === 'call'
      ? `${item.collective} ${item.dtype} ${item.bytes} ${item.group === undefined ? '' : `${item.group.size}x${item.group.stride}`}`.trim()
      : item.do,
  );

test('an execution trace over Gloo is its calls in order, without times; the job waits for those that block', () => {
  const content = readFixture('execution-torch-2.15-gloo.json');
  const step = ['broadcast float32 64', 'broadcast int64 8', 'allreduce float32 1320'];
  assert.deepEqual(wordsOf(content), [
    ...step,
    ...step,
    ...['allgather float32 48', 'wait', 'broadcast float32 20', 'wait', 'reduce float32 20', 'wait'],
    ...['allgather float32 48', 'wait', 'reducescatter float32 48', 'wait', 'alltoall float32 24', 'wait'],
    ...['sendrecv float32 20', 'wait'],
  ]);
  const { ranks, hasTimes, name, source } = jobOfTrace(content, 'runs/et.json');
  assert.deepEqual([ranks, hasTimes, name], [2, false, 'et']);
  assert.match(source, /execution trace of PyTorch, all of its calls, without times/);
});

const node = (id: number, name: string, parts: object) => ({
  ...{ id, name, ctrl_deps: 1, inputs: { values: [], shapes: [], types: [] }, attrs: [] },
  ...parts,
});
const init = (groups: object[]) =>
  node(1, '## process_group:init ##', { inputs: { values: [JSON.stringify(groups)] } });
const trace = (...nodes: object[]) => JSON.stringify({ schema: '1.1.1-chakra.0.0.4', nodes });
const recorded = (id: number, collective: string, group: string, elements = 1024) =>
  node(id, 'record_param_comms', {
    attrs: Object.entries({
      ...{ collective_name: collective, dtype: 'BFloat16', pg_name: group },
      ...{ in_msg_nelems: elements, out_msg_nelems: elements },
    }).map(([name, value]) => ({ name, type: '', value })),
  });

test('an execution trace over NCCL keeps groups, and is the step that repeats', () => {
  const groups = init([
    { pg_name: '0', ranks: [], group_size: 4 },
    { pg_name: '1', ranks: [0, 1], group_size: 2 },
    { pg_name: '2', ranks: [0, 2], group_size: 2 },
  ]);
  const step = (id: number) => [
    recorded(id, 'allreduce', '1'),
    recorded(id + 1, 'wait', '1', 0),
    recorded(id + 2, 'all_reduce', '2', 2048),
    recorded(id + 3, 'allreduce', '0', 8),
  ];
  assert.deepEqual(wordsOf(trace(groups, ...[10, 20, 30].flatMap(step))), [
    ...['allreduce bfloat16 2048 2x1', 'allreduce bfloat16 4096 2x2', 'allreduce bfloat16 16', 'wait'],
  ]);
});

test('what an execution trace lacks for a job is said', () => {
  const two = init([
    { pg_name: '0', ranks: [], group_size: 4 },
    { pg_name: '1', ranks: [0, 1], group_size: 2 },
  ]);
  const gloo = node(5, 'c10d::allreduce_', {
    inputs: { values: [[[1, 2, 0, 330, 4, 'cpu']]], types: ['GenericList[Tensor(float)]'] },
  });
  const why = (content: string): string => {
    try {
      return jobOfTrace(content, 'et.json').name;
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  assert.match(why(trace(gloo)), /does not list its process groups/);
  assert.match(why(trace(two)), /has no collectives/);
  assert.match(why(trace(two, gloo)), /2 process groups, and of a call of Gloo it does not say which one/);
  assert.match(
    why(trace(two, recorded(6, 'allreduce', '1', 0))),
    /no collective has a size, a type and a group/,
  );
});
