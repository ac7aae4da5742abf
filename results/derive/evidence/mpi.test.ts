import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransportPlan } from '../../schema/index.ts';
import { mpiEvidence } from './mpi.ts';

const over = (name: string): TransportPlan => ({ name, medium: 'hardware', detail: {}, options: {} });

const notWatched = { verdict: 'unproven', reason: 'interface lo was not watched' } as const;

for (const [what, transport, own, interfaces, verdict, gone = 0] of [
  ['TCP that the ranks and the interface counted', 'socket', 1100, { lo: 1200 }, 'confirmed'],
  ['TCP that the ranks did not receive, whatever others moved', 'socket', 40, { lo: 9000 }, 'contradicted'],
  ['TCP that went over another interface', 'socket', 1100, { lo: 10 }, 'contradicted'],
  ['TCP over an interface that nobody watched', 'socket', 1100, {}, 'unproven'],
  ['shared memory, and no socket received what had to move', 'shm', 40, { lo: 9000 }, 'confirmed'],
  ['shared memory, but the sockets received it', 'shm', 1100, { lo: 1200 }, 'contradicted'],
  ['shared memory, and no interface carried it', 'shm', null, { lo: 10 }, 'confirmed'],
  ['sockets that the kernel does not count', 'shm', null, { lo: 9000 }, 'unproven'],
  ['TCP that the sockets left over received', 'socket', 1100, { lo: 1200 }, 'confirmed', 1],
  ['TCP of which a socket that closed may have had a share', 'socket', 900, { lo: 1200 }, 'unproven', 1],
  ['shared memory, where a socket that closed may have had it', 'shm', 40, { lo: 9000 }, 'unproven', 1],
] as const)
  test(`an MPI over ${what}: ${verdict}`, () => {
    const lo = 'lo' in interfaces ? { names: 'lo', bytes: interfaces.lo, networks: 1 } : notWatched;
    const found = mpiEvidence(
      over(transport),
      { expected: 1000, own, socketsGone: gone, interfaces },
      lo,
      new Map(),
    );
    assert.equal(found.verdict, verdict);
    assert.match(found.reason, /any algorithm must move 1 kB/);
  });

for (const [what, launches, own, verdict, reason] of [
  [
    'lanes over TCP in every launch',
    [{ 'UCX/tcp/lo': 2 }, { 'UCX/tcp/lo': 1 }],
    1100,
    'confirmed',
    /^UCX reported tcp\/lo; /,
  ],
  [
    'a lane over an adapter',
    [{ 'UCX/tcp/lo': 2 }, { 'UCX/rc_mlx5/mlx5_0:1': 2 }],
    1100,
    'contradicted',
    /lane rc_mlx5/,
  ],
  ['no report in one launch', [{ 'UCX/tcp/lo': 2 }, {}], 1100, 'unproven', /^UCX reported no lane; /],
  ['no launch', [], 1100, 'unproven', /^UCX reported no lane; /],
  ['lanes over TCP, but no bytes', [{ 'UCX/tcp/lo': 2 }], 40, 'contradicted', /^the TCP sockets/],
] as const)
  test(`UCX that reported ${what}: ${verdict}`, () => {
    const seen = { expected: 1000, own, socketsGone: 0, interfaces: { lo: 1200 } };
    const carried = { names: 'lo', bytes: 1200, networks: 1 };
    const found = mpiEvidence(over('ucx'), seen, carried, new Map(launches.entries()));
    assert.equal(found.verdict, verdict);
    assert.match(found.reason, reason);
  });
