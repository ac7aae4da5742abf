import assert from 'node:assert/strict';
import { test } from 'node:test';
import { railsCause } from './rails.ts';
import type { ExplainedOperation } from './variants.ts';

const machine = { cpus: 8, ranks: 1, loads: [], maxBufferBytes: null, numaNodes: 1 };
const operation = (shares: Readonly<Record<string, number>>, hosts = ['a', 'b']): ExplainedOperation => ({
  ...{ command: 'allreduce', ranks: 2, series: 'socket', transport: 'socket', medium: 'hardware' },
  ...{ payloadBytes: 1024, options: {}, algorithm: 'ring', environment: {} },
  ...{ competingCores: null, throttledShare: null, retransmitsPerOperation: null },
  hosts: hosts.map((name) => ({ name, ranks: 1, text: name })),
  rails: [
    { host: 'a', rails: Object.entries(shares).map(([name, bytes]) => ({ name, bytes: bytes * 1e6 })) },
  ],
});

test('rails of which one carries nothing are a suspect, and each is tried alone', () => {
  const dead = operation({ eth0: 10, eth1: 0 });
  assert.deepEqual(railsCause.suspicion?.(dead, machine), {
    share: 0.5,
    text: '2 rails: eth0 100 %, eth1 0 % on a',
  });
  assert.deepEqual(railsCause.interventions(dead, machine), {
    changes: [
      { title: 'eth0 alone', change: { interface: 'eth0' } },
      { title: 'eth1 alone', change: { interface: 'eth1' } },
    ],
  });
});

test('even rails, one machine and RDMA ports have a reason instead', () => {
  for (const [one, reason] of [
    [operation({ eth0: 5, eth1: 5 }), /^2 rails: eth0 50 %, eth1 50 %: even$/],
    [operation({ eth0: 5, eth1: 5 }, ['a']), /one machine/],
    [{ ...operation({}), rails: [] }, /no host is known to have several/],
    [
      { ...operation({ 'mlx5_0:1': 10, 'mlx5_1:1': 0 }), transport: 'ib' },
      /^2 rails: mlx5_0:1 100 %.*NCCL_IB_HCA/,
    ],
  ] as const) {
    const found = railsCause.interventions(one, machine);
    assert.match('changes' in found ? '' : 'absent' in found ? found.absent : found.reason, reason);
  }
});
