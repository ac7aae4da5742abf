import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BindingPolicy, bindingText, bindRanks, type HostCpus, parseBinding } from './binding.ts';
import type { RankLine } from './rank-map.ts';

/** Two NUMA nodes with four CPUs each; CPUs 0-1 and 4-5 are the hyperthreads of node 0. */
const hostCpus: HostCpus = {
  cpus: '0-7',
  numa: [
    { node: 0, cpus: '0-1,4-5' },
    { node: 1, cpus: '2-3,6-7' },
  ],
  gpuNodes: [],
};
const oneNode: HostCpus = { cpus: '0-3', numa: [{ node: 0, cpus: '0-3' }], gpuNodes: [] };
const line = (rank: number, cpus: number[] | null, gpu: number | null = null): RankLine => ({
  rank,
  host: 'h',
  gpu,
  cpus,
});

test('nothing said: nothing is bound by us', () => {
  assert.equal(bindRanks('h', [0, 1], [], null, null, hostCpus), null);
  assert.equal(bindRanks('h', [0], [line(0, null)], null, null, hostCpus), null);
});

test('core: each rank gets a core of its own before any gets the second thread of one', () => {
  const cpusOf = (ranks: number, cpus: string, oneCpuPerCore: string) =>
    bindRanks(
      'h',
      Array.from({ length: ranks }, (_, rank) => rank),
      [],
      'core',
      null,
      {
        ...oneNode,
        cpus,
        oneCpuPerCore,
      },
    )
      ?.map((place) => place.cpus)
      .join(' ');
  assert.equal(cpusOf(4, '0-7', '0,2,4,6'), '0 2 4 6', 'siblings adjacent');
  assert.equal(cpusOf(6, '0-7', '0,2,4,6'), '0 2 4 6 1 3');
  assert.equal(cpusOf(4, '0-7', '0-3'), '0 1 2 3', 'siblings in halves');
  assert.equal(cpusOf(2, '0-15', '0,8'), '0 8', 'POWER, SMT8');
  assert.equal(cpusOf(2, '1-3', '1-2'), '1 2', 'one sibling of the first core');
});

test('none, core and numa', () => {
  assert.deepEqual(bindRanks('h', [4, 5], [], 'none', null, hostCpus), [
    { rank: 4, cpus: '', memoryNodes: '' },
    { rank: 5, cpus: '', memoryNodes: '' },
  ]);
  assert.deepEqual(bindRanks('h', [4, 5, 6], [], 'core', null, { ...hostCpus, cpus: '1-2,7' }), [
    { rank: 4, cpus: '1', memoryNodes: '0' },
    { rank: 5, cpus: '2', memoryNodes: '1' },
    { rank: 6, cpus: '7', memoryNodes: '1' },
  ]);
  assert.deepEqual(
    bindRanks('h', [0, 1, 2, 3], [], 'numa', null, hostCpus)?.map(({ cpus, memoryNodes }) => [
      cpus,
      memoryNodes,
    ]),
    [
      ['0-1,4-5', '0'],
      ['0-1,4-5', '0'],
      ['2-3,6-7', '1'],
      ['2-3,6-7', '1'],
    ],
  );
});

test('numa: a rank goes where its GPU is; where nobody knows that, as without', () => {
  const placements = bindRanks('h', [0, 1, 2], [], 'numa', 3, { ...hostCpus, gpuNodes: [1, 1, -1] });
  assert.deepEqual(
    placements?.map(({ memoryNodes }) => memoryNodes),
    ['1', '1', '1'],
  );
  assert.deepEqual(
    bindRanks('h', [0, 1], [], 'numa', 2, { ...hostCpus, gpuNodes: [1, 0] })?.map(({ cpus }) => cpus),
    ['2-3,6-7', '0-1,4-5'],
  );
});

test('a rank map binds those ranks it says; memory follows, where there is more than one node', () => {
  assert.deepEqual(bindRanks('h', [0, 1], [line(1, null), line(0, [1, 2, 3])], null, null, hostCpus), [
    { rank: 0, cpus: '1-3', memoryNodes: '0-1' },
    { rank: 1, cpus: '', memoryNodes: '' },
  ]);
  assert.deepEqual(bindRanks('h', [0], [line(0, [3])], null, null, oneNode), [
    { rank: 0, cpus: '3', memoryNodes: '' },
  ]);
});

test('ranks whose line names no GPU take those that are left', () => {
  const lines = [line(0, null), line(1, [0], 0), line(2, null), line(3, null, 2)];
  assert.deepEqual(
    bindRanks('h', [0, 1, 2, 3], lines, null, 4, oneNode)?.map(({ gpu }) => gpu),
    [1, 0, 3, 2],
  );
});

test('a rank map that names only GPUs leaves the CPUs to --bind; numa follows the GPUs of the map', () => {
  const lines = [line(0, null, 1), line(1, null, 0)];
  const bound = (bind: BindingPolicy) =>
    bindRanks('h', [0, 1], lines, bind, 2, { ...hostCpus, gpuNodes: [0, 1] })?.map(({ cpus, gpu }) => [
      cpus,
      gpu,
    ]);
  assert.deepEqual(bound('none'), [
    ['', 1],
    ['', 0],
  ]);
  assert.deepEqual(bound('core'), [
    ['0', 1],
    ['1', 0],
  ]);
  assert.deepEqual(bound([5, 3]), [
    ['5', 1],
    ['3', 0],
  ]);
  assert.deepEqual(bound('numa'), [
    ['2-3,6-7', 1],
    ['0-1,4-5', 0],
  ]);
});

test('what cannot be is refused, with host, rank and what there is', () => {
  const refusals: [() => unknown, RegExp][] = [
    [
      () => bindRanks('h', [0], [line(0, [3, 4, 9])], null, null, oneNode),
      /CPU 4,9 of h to rank 0; there are 0-3/,
    ],
    [
      () => bindRanks('h', [0, 1], [line(0, [0, 1]), line(1, [1])], null, null, oneNode),
      /CPU 1 of h to rank 0 and to rank 1/,
    ],
    [() => bindRanks('h', [0, 1, 2, 3, 4], [], 'core', null, oneNode), /5 ranks on h, which has 4 CPUs/],
    [() => bindRanks('h', [0], [line(0, [0])], 'core', null, oneNode), /both set where ranks run/],
    [() => bindRanks('h', [0], [line(0, null, 1)], null, null, oneNode), /cpu engine have none/],
    [
      () => bindRanks('h', [0, 1], [line(0, null, 0), line(1, null)], null, 1, oneNode),
      /no GPU of h for rank 1/,
    ],
    [
      () => bindRanks('h', [0], [], 'numa', null, { cpus: '0', numa: [], gpuNodes: [] }),
      /h reports no NUMA nodes/,
    ],
    [
      () => bindRanks('h', [0], [], 'core', null, { cpus: undefined, numa: [], gpuNodes: [] }),
      /agent on h does not report/,
    ],
  ];
  for (const [work, says] of refusals) assert.throws(work, says);
});

test('a list of CPUs binds the k-th rank of a host to the k-th; a CPU that is listed twice has two ranks', () => {
  assert.deepEqual(parseBinding('2,0-1'), [2, 0, 1]);
  assert.equal(parseBinding('numa'), 'numa');
  for (const wrong of ['2,', 'x', '1-', '123456']) assert.throws(() => parseBinding(wrong));
  const cpusOf = (list: string) =>
    bindRanks('h', [4, 5], [], parseBinding(list), null, hostCpus)?.map(({ cpus }) => cpus);
  assert.deepEqual(cpusOf('7,2'), ['7', '2']);
  assert.deepEqual(cpusOf('1,1'), ['1', '1']);
  assert.throws(() => cpusOf('3'), /--bind 3 names no CPU for rank 5 on h/);
  assert.throws(() => cpusOf('3,8'), /--bind 3,8 names CPU 8 of h for rank 5/);
});

test('people are told the first ranks, or that none is bound', () => {
  const placements = Array.from({ length: 10 }, (_, rank) => ({ rank, cpus: String(rank), memoryNodes: '' }));
  const told = bindingText([{ name: 'a', placements }]);
  assert.equal(told.length, 9);
  assert.equal(told[0], 'rank 0 on a: CPU 0');
  assert.equal(told.at(-1), '... and 2 more ranks, all in run.json');
  assert.deepEqual(bindingText([{ name: 'a', placements: [{ rank: 0, cpus: '', memoryNodes: '' }] }]), [
    'ranks are not bound to CPUs',
  ]);
  assert.deepEqual(
    bindingText([{ name: 'a', placements: [{ rank: 0, cpus: '0-3', memoryNodes: '0', gpu: 2 }] }]),
    ['rank 0 on a: GPU 2, CPU 0-3, memory of node 0'],
  );
  assert.deepEqual(bindingText([{ name: 'a' }]), []);
});
