import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BlockRecord,
  cellRecord,
  type OkCell,
  type RunPlan,
  sideOf,
  type TransportPlan,
} from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { type CellFacts, cellFacts } from '../../testing/cell.ts';
import { testPlan, testPoint } from '../../testing/plan.ts';
import { deriveCell } from './cell.ts';

function over(name: string, parts: Partial<TransportPlan> = {}): RunPlan {
  return testPlan({
    engine: 'nccl',
    transports: [{ name, medium: 'hardware', detail: {}, options: {}, ...parts }],
  });
}

function derived(plan: RunPlan, blocks: BlockRecord[]): Omit<OkCell, 'flags'> & CellFacts {
  const cell = deriveCell(plan, 0, 0, blocks);
  assert.equal(cell.status, 'ok');
  assert.deepEqual(cellRecord.parse(cell), cell);
  return { ...cell, ...cellFacts(cell) };
}

const steady = (ns: number, n = 20) => new Array<number>(n).fill(ns);
/** Bytes that `operations` allreduces of 1 KiB move over 2 ranks. */
const due = (operations: number) => operations * 2 * 1024;

const gated = (ns: number, parts: Partial<BlockRecord> = {}): BlockRecord =>
  testBlock(steady(ns), {
    clock: 'device',
    algorithm: '',
    markNs: 0,
    enqueueNs: [steady(3000), steady(5000)],
    paths: { 'P2P/CUMEM': 48 },
    interfaceBytes: { lo: due(22) + 5000 },
    ...parts,
  });

const attest = (parts: Partial<BlockRecord> = {}): BlockRecord =>
  testBlock([90_000], {
    trial: 'attest',
    launch: 3,
    algorithm: 'Ring',
    protocol: 'LL',
    paths: { 'P2P/CUMEM': 48 },
    interfaceBytes: { lo: due(3) + 500 },
    ...parts,
  });

test('device: a sample lasts from the last rank that ended the one before, less its marks, over the batch', () => {
  const block = gated(100_000, { batch: 25, markNs: 3000 });
  // Rank 1 ended the previous operation 7 us later, so the collective began then.
  block.startNs[1] = (block.startNs[1] as number[]).map((at) => at + 7000);
  const { latency, flags } = derived(over('p2p'), [block]);
  assert.equal(latency?.value, (100_000 - 7000 - 3000) / 25);
  assert.deepEqual([latency.batch, latency.p95, latency.p99], [25, null, null], 'no tails of means');
  assert.deepEqual(
    [latency.method.clock, latency.method.sync, latency.method.batch],
    ['CUDA events', 'hold', 25],
  );
  assert.ok(!flags.includes('skew'), 'ranks wait for one another in the operation before');
});

test('device: single operations have tails', () => {
  assert.equal(derived(over('p2p'), [gated(400_000)]).latency?.p95, 400_000);
});

test('device: marks that cost more than the operations, or spans near the step of an event, are no clean figure', () => {
  assert.deepEqual(derived(over('p2p'), [gated(2000, { markNs: 3000 })]).flags, ['timer-limited']);
  assert.ok(derived(over('p2p'), [gated(9000)]).flags.includes('timer-limited'));
});

test('attested choices are of the cell, their times are in no figure, and their checks count', () => {
  const blocks = [
    attest({ warmupNs: [[700_000], [900_000]] }),
    gated(400_000),
    testBlock(steady(100_000), { trial: 'pipelined', batch: 20, algorithm: '', paths: { 'P2P/CUMEM': 48 } }),
  ];
  const cell = derived(over('p2p'), blocks);
  assert.deepEqual([cell.choice.algorithm, cell.choice.protocol], ['Ring', 'LL']);
  assert.equal(cell.latency?.value, 400_000);
  assert.equal(cell.pipelined?.value, 5000);
  assert.equal(cell.pipelined.launches, 1);
  assert.deepEqual(cell.firstCallNs, [9001], 'the first call of the launches that are timed');
  assert.equal(cell.verification.checks, 3 * 2 * 2);
  assert.deepEqual(cell.pathsSeen, { 'P2P/CUMEM': 96 }, 'both launches');
});

test('launch cost: the slowest rank, median over samples, then over launches', () => {
  const cost = derived(over('p2p'), [
    gated(400_000),
    gated(400_000, { launch: 1, enqueueNs: [steady(4000), steady(1000)] }),
  ]);
  assert.deepEqual(sideOf(cost.cell, 'enqueue'), {
    kind: 'side',
    name: 'enqueue',
    unit: 'ns',
    value: 4500,
    launchValues: [5000, 4000],
  });
  assert.equal(sideOf(derived(testPlan(), [testBlock(steady(1000))]).cell, 'enqueue'), null);
});

test('a cell that was only attested has no figures; wrong data found there are told all the same', () => {
  const plan = over('p2p');
  const only = deriveCell(plan, 0, 0, [attest()], ['interrupted']);
  assert.equal(only.status, 'aborted');
  const first = { iteration: 1, index: 0, wanted: '1', got: '0', note: '' };
  const wrong = derived(plan, [
    attest({ wrong: [{ rank: 0, wrongElements: 2, comparedElements: 9, first }] }),
  ]);
  assert.equal(wrong.verification.wrongElements, 2);
  assert.equal(wrong.latency, null);
});

test('cells under other words of the engine are other cells', () => {
  const plan = { ...over('p2p'), settings: { cache: 'hot', nccl: '/opt/nccl', graph: '1' } };
  assert.equal(
    derived(plan, [gated(400_000)]).id,
    'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;bytes=1024;cache=hot;graph=1;ranks=2;nodes=1;engine=nccl;transport=p2p;medium=hardware',
  );
});

const evidence = (plan: RunPlan, blocks: BlockRecord[]) => derived(plan, blocks).evidence;

test('evidence: the way asked for, in every launch and no other, confirms', () => {
  const { verdict, reason } = evidence(over('p2p'), [
    attest({ paths: { 'P2P/CUMEM': 48, NVLS: 32 } }),
    gated(400_000),
  ]);
  assert.equal(verdict, 'confirmed');
  assert.equal(reason, 'NCCL made 128 connections over P2P or NVLS in 2 launches, none other');
});

for (const [transport, path, parts] of [
  ['shm', 'SHM/direct', {}],
  ['ib', 'NET/IB/GDRDMA', {}],
  ['sisci', 'NET/SISCI', { network: 'SISCI' }],
  ['plugin:/opt/libnccl-net-x.so', 'NET/AWS Libfabric', { network: 'AWS Libfabric' }],
  ['socket', 'NET/Socket', {}],
] as const) {
  test(`evidence: ${transport} is ${path}, and nothing else`, () => {
    const plan = over(transport, parts);
    assert.equal(evidence(plan, [gated(400_000, { paths: { [path]: 4 } })]).verdict, 'confirmed');
    const other = path === 'SHM/direct' ? 'P2P/IPC' : 'SHM/direct';
    const { verdict, reason } = evidence(plan, [gated(400_000, { paths: { [path]: 4, [other]: 2 } })]);
    assert.equal(verdict, 'contradicted');
    assert.ok(reason.includes(`2 connections over ${other}`), reason);
  });
}

test('evidence: a network of which the asked name is only the beginning is another one', () => {
  const plan = over('plugin:/x.so', { network: 'Socket' });
  assert.equal(evidence(plan, [gated(400_000, { paths: { 'NET/SocketX': 4 } })]).verdict, 'contradicted');
});

test('evidence: one launch that went another way is enough', () => {
  const { verdict, reason } = evidence(over('sisci'), [
    gated(400_000, { paths: { 'NET/SISCI': 4 } }),
    gated(400_000, { launch: 1, paths: { 'NET/Socket': 4 } }),
  ]);
  assert.equal(verdict, 'contradicted');
  assert.match(reason, /launch 2: NCCL made 4 connections over NET\/Socket, NET\/SISCI was asked for/);
});

test('evidence: no line, no proof', () => {
  const { verdict, reason } = evidence(over('p2p'), [gated(400_000, { paths: {} })]);
  assert.deepEqual([verdict, reason], ['unproven', "launch 1: NCCL's log names no connection"]);
  const nameless = evidence(over('plugin:/x.so'), [gated(400_000)]);
  assert.match(nameless.reason, /name of the plugin .* is not known/);
});

test('evidence: GPUs that left the network to the host are no proof of ibgda', () => {
  const by = (paths: Record<string, number>) => evidence(over('ibgda'), [gated(400_000, { paths })]).verdict;
  assert.equal(by({ 'NET/IB': 4 }), 'unproven');
  assert.equal(by({ 'NET/IB': 4, GIN: 2 }), 'confirmed');
});

test('evidence, socket: the interface must have carried it, too', () => {
  const paths = { 'NET/Socket': 4 };
  const idle = evidence(over('socket'), [
    gated(400_000, { paths, interfaceBytes: { lo: 100, eth0: due(22) } }),
  ]);
  assert.equal(idle.verdict, 'contradicted');
  assert.match(idle.reason, /lo carried 100 B, at least 45.1 kB expected/);
  const named = over('socket', { options: { interface: 'eth0/ipv4' } });
  assert.equal(
    evidence(named, [gated(400_000, { paths, interfaceBytes: { eth0: due(22) } })]).verdict,
    'confirmed',
  );
  const local = evidence(named, [gated(400_000, { paths })]);
  assert.match(local.reason, /lo and eth0 carried/, 'an address of this machine is reached through lo');
  const blind = evidence(named, [gated(400_000, { paths, interfaceBytes: { lo: 0 } })]);
  assert.deepEqual(
    [blind.verdict, blind.reason],
    ['confirmed', 'NCCL made 4 connections over NET/Socket in 1 launch, none other'],
    'where nothing is counted the log must do',
  );
});

test('evidence, sisci: the counters of the plugin speak where there are any', () => {
  const counted = (bytesSent: number) => ({
    bytesSent,
    bytesReceived: 0,
    messagesSent: 1,
    messagesReceived: 1,
  });
  const by = (sent: number) =>
    evidence(over('sisci'), [
      gated(400_000, { paths: { 'NET/SISCI': 4 }, counters: [counted(sent), counted(sent)] }),
    ]);
  assert.equal(by(0).verdict, 'confirmed');
  assert.match(by(due(22)).reason, /the plugin carried 90.1 kB, at least 45.1 kB expected/);
  assert.equal(by(100).verdict, 'contradicted');
});

test('evidence, ib: all bytes must go through the software card; a real one is not asked', () => {
  const by = (bytesSent: number, parts: Partial<TransportPlan>) => {
    const counters = [{ bytesSent, bytesReceived: 0, messagesSent: 1, messagesReceived: 1 }];
    return evidence(over('ib', parts), [gated(400_000, { paths: { 'NET/IB': 4 }, counters })]);
  };
  const software = {
    medium: 'emulated',
    detail: { library: 'NCCL 2.28.9', libraryTransport: 'ib', softwareCard: 'softmlx5', link: 'none' },
  } as const;
  assert.match(by(due(22), software).reason, /the software card carried 45.1 kB, at least 45.1 kB expected/);
  assert.equal(by(due(22), software).verdict, 'confirmed');
  assert.equal(by(0, software).verdict, 'contradicted');
  assert.equal(by(0, {}).verdict, 'confirmed');
});

test('evidence, sisci: of kernels that put over GIN only the counters of the plugin speak', () => {
  const by = (bytesSent: number) => {
    const counters = [{ bytesSent, bytesReceived: 0, messagesSent: 1, messagesReceived: 1 }];
    return evidence(over('sisci'), [gated(400_000, { algorithm: 'device-api GIN', paths: {}, counters })]);
  };
  assert.deepEqual(
    [by(due(22)).verdict, by(due(22)).reason],
    ['confirmed', 'our kernel puts over GIN; the plugin carried 45.1 kB, at least 45.1 kB expected'],
  );
  assert.equal(by(100).verdict, 'contradicted');
  assert.equal(by(0).verdict, 'unproven');
});

test('evidence, sisci: that NCCL 2.30 names the GIN of the plugin is no other way', () => {
  const paths = { 'NET/SISCI': 4, 'GIN/PROXY': 1 };
  assert.equal(evidence(over('sisci'), [gated(400_000, { paths })]).verdict, 'confirmed');
});

test('evidence: an algorithm that NCCL did not take contradicts; one it does not tell leaves it open', () => {
  const plan = over('p2p@collnetdirect/Simple', { settings: { algo: 'CollNetDirect', proto: 'Simple' } });
  const by = (algorithm: string, protocol = 'SIMPLE') =>
    evidence(plan, [attest({ algorithm, protocol }), gated(400_000)]);
  assert.equal(by('COLLNET_DIRECT').verdict, 'confirmed');
  assert.equal(by('').verdict, 'unproven');
  assert.match(by('RING').reason, /NCCL took the algorithm RING, CollNetDirect was asked for/);
  assert.match(by('COLLNET_DIRECT', 'LL').reason, /NCCL took the protocol LL, Simple was asked for/);
});

test('evidence: a single rank and an empty message prove nothing', () => {
  const alone = { ...over('p2p'), ranks: 1, hosts: [{ name: 'localhost', ranks: [0] }] };
  assert.match(evidence(alone, [gated(400_000)]).reason, /single rank/);
  const empty = { ...over('p2p'), points: [testPoint({ count: 0 })] };
  assert.match(evidence(empty, [gated(400_000)]).reason, /no payload/);
});
