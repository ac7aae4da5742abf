import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inventory } from '../../results/schema/index.ts';
import { differences, type RunEnvironment } from './differences.ts';

const inventory: Inventory = {
  hostname: 'node1',
  os: 'Debian 12',
  kernel: '6.1.0',
  architecture: 'x86_64',
  cpuModel: 'EPYC',
  cpuCount: 64,
  numaNodes: 2,
  memoryBytes: 2 ** 36,
  virtualization: null,
  interfaces: [],
};
const before: RunEnvironment = {
  versions: { collbench: '0.1.0', agent: '0.1.0', gpus: '2 GPUs (H200)', node: '20.1.0' },
  inventory: { node1: inventory },
  environment: { NCCL_ALGO: 'Ring', COLLBENCH_PIN: '1', COLLBENCH_LOG: 'debug' },
  transports: [{ name: 'sisci', medium: 'emulated', detail: { softwareCard: 'softntb', link: 'none' } }],
};

test('the same surroundings do not differ', () => {
  assert.deepEqual(differences(before, structuredClone(before)), []);
});

for (const [what, now, told] of [
  [
    'another version of the agent',
    { versions: { ...before.versions, agent: '0.2.0' } },
    ['agent was 0.1.0, is 0.2.0'],
  ],
  [
    'other GPUs',
    { versions: { ...before.versions, gpus: '2 GPUs (H100)' } },
    ['gpus was 2 GPUs (H200), is 2 GPUs (H100)'],
  ],
  [
    'another Node.js: the controller measures nothing',
    { versions: { ...before.versions, node: '22.0.0' } },
    [],
  ],
  [
    'a version that was not recorded before it ended',
    { versions: { ...before.versions, protocol: '1' } },
    [],
  ],
  [
    'another kernel and fewer cores',
    { inventory: { node1: { ...inventory, kernel: '6.2.0', cpuCount: 32 } } },
    ['kernel of node1 was 6.1.0, is 6.2.0', 'cpuCount of node1 was 64, is 32'],
  ],
  ['another host', { inventory: { node2: inventory } }, ['the hosts were node1, are node2']],
  [
    'a device where it was emulated',
    { transports: [{ name: 'sisci', medium: 'hardware' as const, detail: { adapter: 'PXH830' } }] },
    ['transport sisci was softntb, link none (emulated), is PXH830 (hardware)'],
  ],
  [
    'variables: one gone, one new, one changed',
    { environment: { COLLBENCH_PIN: '0', UCX_TLS: 'tcp', COLLBENCH_LOG: 'debug' } },
    ["COLLBENCH_PIN was '1', is '0'", "NCCL_ALGO was 'Ring', is not set", "UCX_TLS was not set, is 'tcp'"],
  ],
  [
    'variables that change no figure',
    {
      environment: {
        NCCL_ALGO: 'Ring',
        COLLBENCH_PIN: '1',
        COLLBENCH_DEBUG: '1',
        COLLBENCH_TEST_MARKER: 'x',
      },
    },
    [],
  ],
] as const) {
  test(what, () => {
    assert.deepEqual(differences(before, { ...before, ...now } as RunEnvironment), told);
  });
}
