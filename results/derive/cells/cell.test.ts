import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type BlockRecord,
  cellRecord,
  derivedOf,
  kv,
  type OkCell,
  type RunPlan,
  sideOf,
  storedRow,
} from '../../schema/index.ts';
import { seededNormal, testBlock } from '../../testing/block.ts';
import { type CellFacts, cellFacts } from '../../testing/cell.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from './cell.ts';
import { isUnsteady, machineFlags } from './flags.ts';

function derived(
  blocks: BlockRecord[],
  plan: RunPlan = testPlan(),
  transport = 0,
  flags: string[] = [],
): CellFacts & Pick<OkCell, 'firstCallNs' | 'verification' | 'evidence'> {
  const cell = deriveCell(plan, 0, transport, blocks, flags);
  assert.equal(cell.status, 'ok');
  assert.deepEqual(cellRecord.parse(cell), cell);
  const { firstCallNs, verification, evidence } = cell;
  return { ...cellFacts(cell), firstCallNs, verification, evidence };
}

const normal = seededNormal(11);
const noisy = (n: number, mean: number): number[] =>
  Array.from({ length: n }, () => Math.round(mean * Math.exp(0.02 * normal())));

test('isolated: the slowest rank counts, from the common start', () => {
  const block = testBlock(new Array(20).fill(1000));
  (block.endNs[1] as number[]).forEach((_, i, ends) => {
    ends[i] = (ends[i] as number) + 234;
  });
  const { latency, pipelined } = derived([block]);
  assert.equal(latency?.value, 1234);
  assert.equal(latency.method.sync, 'window');
  assert.equal(pipelined, null);
});

test('pipelined: elapsed of the slowest rank over the batch, whenever each began', () => {
  const block = testBlock(new Array(20).fill(5000), { trial: 'pipelined', batch: 5 });
  block.startNs[1] = (block.startNs[1] as number[]).map((at) => at - 500);
  const { latency, pipelined } = derived([block]);
  assert.equal(latency, null);
  assert.equal(pipelined?.value, 1100);
  assert.equal(pipelined.batch, 5);
  assert.deepEqual([pipelined.p95, pipelined.p99], [null, null], 'a mean of five says nothing about tails');
});

test('late ranks: the figure is from the last arrival, the delay and the time from the first arrival are beside it', () => {
  const plan = testPlan();
  const [over] = plan.transports;
  assert.ok(over !== undefined);
  const skewed = { ...plan, transports: [{ ...over, name: 'socket@250us', settings: { skew: '250us' } }] };
  const block = testBlock(new Array(20).fill(1024));
  // Rank 1 comes 250 us before the instant at which rank 0 is due, and a bit late for its own start.
  block.startNs[1] = block.commonStartNs.map((at) => at - 250_000 + 300);
  const { cell, latency } = derived([block], skewed);
  assert.equal(latency?.value, 1024);
  assert.equal(latency.method.summary, 'max over ranks of end - due start of the last rank');
  assert.equal(derivedOf(cell, 'busbw', 'latency')?.value, 1, 'bandwidth without the delay');
  assert.equal(sideOf(cell, 'skew')?.value, 249_700);
  assert.equal(sideOf(cell, 'fromFirst')?.value, 250_724);
  assert.match(cell.id, /;skew=250us;/);
  assert.deepEqual(
    cell.flags.map(({ name }) => name).includes('skew'),
    true,
    '300 ns off are 30 % of the time',
  );
  const plain = derived([testBlock(new Array(20).fill(1024))]);
  assert.equal(sideOf(plain.cell, 'skew'), null);
  assert.doesNotMatch(plain.cell.id, /skew/);
});

test('kv: the time to the first page has the samples and the mean of the time, so that it is never longer', () => {
  const axes = {
    ...{
      transfer: 'push',
      schedule: 'at-once',
      layout: 'page',
      model: '2x1x64',
      layers: 2,
      tensors: 2,
      heads: 1,
    },
    ...{ headBytes: 128, pageTokens: 16, tokens: 64, prefill: 1, decode: 1 },
  } as const;
  const point = { workload: kv.name, axes, requestedX: 64, count: 0 };
  const plan = testPlan({ workloads: [storedRow(kv)], points: [point] });
  // Few launches of very different times, as on a busy machine; the longest operation of each began late.
  const blocks = [100_000, 900_000, 250_000].map((ns, launch) => {
    const times = [ns, 1.2 * ns, 1.1 * ns, 40 * ns];
    const columns = { firstPage: [[], times.map((one) => one - 1000)], firstLayer: [[], times] };
    const block = testBlock(times, { launch, columns });
    comesLate(block, 1, 3, 39 * ns);
    return block;
  });
  const { cell, latency } = derived(blocks, plan);
  assert.ok(latency !== null);
  const firstPage = sideOf(cell, 'firstPage')?.value ?? Number.NaN;
  assert.ok(firstPage < latency.value && firstPage > latency.value - 2000, `${firstPage}, ${latency.value}`);
  assert.equal(sideOf(cell, 'firstLayer')?.value.toFixed(3), latency.value.toFixed(3));
});

test('bandwidth follows from payload, median and factor', () => {
  const { cell } = derived([testBlock(new Array(20).fill(1024))]);
  assert.equal(derivedOf(cell, 'algbw', 'latency')?.value, 1);
  assert.equal(derivedOf(cell, 'busbw', 'latency')?.value, 1);
  assert.equal(derivedOf(cell, 'busbw', 'latency')?.factor, 1);
});

/** Delays a rank's start of one sample after the common start, and marks the sample as late. */
function comesLate(block: BlockRecord, rank: number, sample: number, byNs: number): void {
  (block.late[rank] as number[])[sample] = 1;
  (block.startNs[rank] as number[])[sample] = (block.commonStartNs[sample] as number) + byNs;
}

test('a miss of the start that cannot move the figure by 0.2 % still counts', () => {
  const block = testBlock([1_000_000, 1_000_000]);
  comesLate(block, 0, 0, 1_900);
  comesLate(block, 1, 1, 2_100);
  const { latency } = derived([block]);
  assert.equal(latency?.samples, 1);
  assert.equal(latency.lateShare, 0.5);
});

test('late samples are counted and not used; beyond 5 % the cell is flagged', () => {
  const block = testBlock([...new Array(18).fill(1000), 9000, 9000]);
  comesLate(block, 0, 18, 8000);
  comesLate(block, 1, 19, 8000);
  const { latency, flags } = derived([block]);
  assert.equal(latency?.samples, 18);
  assert.equal(latency.lateShare, 0.1);
  assert.equal(latency.max, 1000);
  assert.ok(flags.includes('late'));
});

test('if every sample is late there is no figure at all', () => {
  const block = testBlock([1000, 1000]);
  comesLate(block, 0, 0, 600);
  comesLate(block, 0, 1, 600);
  const { latency, flags } = derived([block]);
  assert.equal(latency, null);
  assert.deepEqual(flags, ['late']);
});

test('one launch: interval of this launch only, or the reason for none', () => {
  const [few, many] = [derived([testBlock(noisy(8, 1000))]), derived([testBlock(noisy(100, 1000))])];
  assert.equal(few.latency?.interval, null);
  assert.match(few.latency?.intervalReason ?? '', /8 samples of one launch: too few/);
  assert.equal(many.latency?.interval?.scope, 'this-launch');
  assert.equal(many.latency.interval.basis, 'order-statistics');
  assert.equal(many.latency.intervalReason, null);
});

test('several launches: the interval is between them and the centre is the geometric mean of their medians', () => {
  const medians = [1000, 1210, 1100, 1100];
  const plan = testPlan({ sampling: { ...testPlan().sampling, launches: 4 } });
  const blocks = medians.map((ns, launch) =>
    testBlock([...new Array(20).fill(ns), 700, 1900], { launch, block: launch }),
  );
  const { latency, firstCallNs, flags } = derived(blocks, plan);
  assert.equal(Math.round(latency?.value ?? 0), 1100);
  // The sd of the logarithms is 0.07782 and t(.975, 3) = 3.182: from 1100 / 1.1318 to 1100 * 1.1318, within the samples.
  assert.deepEqual(
    [latency?.interval?.low, latency?.interval?.high].map((ns) => Math.round(ns ?? 0)),
    [972, 1245],
  );
  assert.equal(latency?.interval?.scope, 'launches');
  assert.deepEqual(latency.launchValues, medians);
  assert.deepEqual(firstCallNs, [9001, 9001, 9001, 9001]);
  assert.deepEqual(flags, []);
});

test('blocks of one launch are one series; fewer launches than planned are flagged', () => {
  const plan = testPlan({ sampling: { ...testPlan().sampling, launches: 2 } });
  const blocks = [testBlock(noisy(30, 1000)), testBlock(noisy(30, 1000), { block: 1 })];
  const { latency, flags } = derived(blocks, plan);
  assert.equal(latency?.launches, 1);
  assert.equal(latency.samples, 60);
  assert.ok(flags.includes('few-launches'));
});

test('percentiles only where enough samples stand behind them', () => {
  const at = (n: number) => derived([testBlock(noisy(n, 1000))]).latency;
  assert.deepEqual([at(19)?.p95, at(20)?.p99], [null, null]);
  assert.ok((at(20)?.p95 ?? 0) > 0);
  assert.ok((at(100)?.p99 ?? 0) >= (at(100)?.p95 ?? Number.POSITIVE_INFINITY) - 100);
});

test('wrong data make the row say how many and where first', () => {
  const first = { iteration: 3, index: 0, wanted: '3.5', got: '0', note: 'poison' };
  const block = testBlock(noisy(20, 1000));
  block.wrong[1] = { rank: 1, wrongElements: 256, comparedElements: 512, first };
  const { verification } = derived([block]);
  assert.deepEqual(verification, {
    enabled: true,
    checks: 4,
    share: 4 / (2 * 22),
    wrongElements: 256,
    comparedElements: 1024,
    first: { rank: 1, ...first },
  });
});

test('ranks that start far apart are flagged as skewed', () => {
  const block = testBlock(new Array(20).fill(1000));
  block.startNs[1] = (block.startNs[1] as number[]).map((at) => at + 300);
  assert.ok(derived([block]).flags.includes('skew'));
});

test('clocks of two hosts: an error above 5 % of an isolated figure is flagged, on one host there is none', () => {
  const flagsWith = (clockUncertaintyNs: (number | null)[] | undefined) =>
    derived([
      {
        ...testBlock(new Array(20).fill(1000)),
        ...(clockUncertaintyNs === undefined ? {} : { clockUncertaintyNs }),
      },
    ]).flags.includes('clock-unsure');
  assert.deepEqual(
    [flagsWith([0, 51]), flagsWith([0, 49]), flagsWith([0, null]), flagsWith(undefined)],
    [...[true, false, false, false]],
  );
});

test('blocks with an unsure clock are left out where half of the samples of a launch remain', () => {
  const block = (ns: number, error: number, index: number) => ({
    ...testBlock(new Array(20).fill(ns), { block: index }),
    clockUncertaintyNs: [0, error],
  });
  const mostlySure = derived([block(1000, 10, 0), block(1000, 10, 1), block(1400, 400, 2)]);
  assert.deepEqual([mostlySure.latency?.samples, mostlySure.latency?.max], [40, 1000]);
  assert.ok(!mostlySure.flags.includes('clock-unsure'));
  const mostlyUnsure = derived([block(1000, 10, 0), block(1400, 400, 1), block(1400, 400, 2)]);
  assert.equal(mostlyUnsure.latency?.samples, 60);
  assert.ok(mostlyUnsure.flags.includes('clock-unsure'));
});

test('spans that the reading of the clock dominates are flagged', () => {
  assert.ok(derived([testBlock(new Array(20).fill(90))]).flags.includes('timer-limited'));
});

test('an operation of many short units is not dominated by the clock, nor skewed by a part of it', () => {
  const axes = {
    operation: 'device-signal',
    mover: 'nvshmem',
    scope: 'thread',
    callers: 1,
    window: 1,
    bytes: 0,
  };
  const plan = { ...testPlan(), points: [{ workload: 'onesided', axes, requestedX: 0 }] };
  const block = testBlock(new Array(20).fill(512 * 90));
  block.startNs[1] = (block.startNs[1] as number[]).map((at) => at + 300);
  const { latency, flags } = derived([block], plan);
  assert.equal(latency?.value, 90);
  assert.deepEqual(
    flags.filter((flag) => ['timer-limited', 'skew'].includes(flag)),
    [],
  );
});

test('a launch that still drifts at its half is unsteady, a noisy one is not', () => {
  assert.equal(
    isUnsteady(Array.from({ length: 100 }, (_, i) => 1000 + 2000 * Math.exp(-i / 20) + (i % 3))),
    true,
  );
  assert.equal(isUnsteady(noisy(100, 1000)), false);
  assert.equal(isUnsteady([1, 2, 3]), false);
});

test('two hardware threads of one core count as one: ranks need cores of their own', () => {
  const flagsOf = (coreCount: number | undefined, ...ranks: { cpus: string; cores?: string }[]): string[] => {
    const inventory = { localhost: { cpuCount: 64, coreCount } } as unknown as Parameters<
      typeof machineFlags
    >[1];
    const launches = [{ ranks: ranks.map((one, rank) => ({ rank, detail: {}, ...one })) }];
    return machineFlags(testPlan(), inventory, launches as unknown as Parameters<typeof machineFlags>[2]);
  };
  const crowded = ['oversubscribed'];
  assert.deepEqual(flagsOf(1), crowded, 'one core with 64 threads');
  assert.deepEqual(flagsOf(2), []);
  assert.deepEqual(flagsOf(undefined), [], 'cores not known');
  const siblings = [
    { cpus: '0', cores: '0' },
    { cpus: '1', cores: '0' },
  ];
  assert.deepEqual(flagsOf(32, ...siblings), crowded, 'bound to the two threads of a core');
  const container = { cpus: '0-1', cores: '0' };
  assert.deepEqual(flagsOf(32, container, container), crowded, 'a container of one core');
  const second = { cpus: '3', cores: '2' };
  assert.deepEqual(flagsOf(32, { cpus: '1', cores: '0' }, second), [], 'one sibling of each of two cores');
});

test('a host with more ranks than processors is oversubscribed', () => {
  const inventory = { localhost: { cpuCount: 1 } } as unknown as Parameters<typeof machineFlags>[1];
  assert.deepEqual(machineFlags(testPlan(), inventory, []), ['oversubscribed']);
  assert.deepEqual(machineFlags(testPlan(), {}, []), []);
  assert.deepEqual(derived([testBlock(noisy(20, 1000))], testPlan(), 0, ['oversubscribed']).flags, [
    'oversubscribed',
  ]);
});

test('every result of a run whose ranks share a GPU has a flag that says whether they take turns', () => {
  const flagsOf = (...details: { sharesGpu?: boolean; usesMps?: boolean }[]): string[] => {
    const ranks = details.map((detail, rank) => ({ rank, detail }));
    return machineFlags(testPlan(), {}, [{ ranks }] as unknown as Parameters<typeof machineFlags>[2]);
  };
  assert.deepEqual(flagsOf({ sharesGpu: true }, { sharesGpu: true }), ['shared-gpu']);
  assert.deepEqual(flagsOf({ sharesGpu: true, usesMps: true }), ['mps']);
  assert.deepEqual(flagsOf({}, {}), []);
});

test('a host with more ranks than processors that they may use is oversubscribed', () => {
  const inventory = { localhost: { cpuCount: 64 } } as unknown as Parameters<typeof machineFlags>[1];
  const flagsOf = (...cpus: (string | undefined)[]): string[] => {
    const ranks = cpus.map((list, rank) => ({ rank, cpus: list, detail: {} }));
    return machineFlags(testPlan(), inventory, [{ ranks }] as unknown as Parameters<typeof machineFlags>[2]);
  };
  assert.deepEqual(flagsOf('1', '1'), ['oversubscribed']);
  assert.deepEqual(flagsOf('0', '1'), []);
  assert.deepEqual(flagsOf('0-1', '0-1'), []);
  assert.deepEqual(flagsOf('1', undefined), []);
});

test('without blocks the cell says so: failed, or aborted when the run was interrupted', () => {
  const failed = deriveCell(testPlan(), 0, 1, []);
  assert.equal(failed.status, 'failed');
  const aborted = deriveCell(testPlan(), 0, 1, [], ['interrupted']);
  assert.equal(aborted.status, 'aborted');
  assert.match(aborted.reason, /interrupted before it was measured/);
  assert.equal(
    aborted.id,
    'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;bytes=1024;ranks=2;nodes=1;engine=cpu;transport=sisci;medium=emulated',
  );
  assert.deepEqual(cellRecord.parse(aborted), aborted);
});

test('blocks of another cell and cells that are not planned are refused', () => {
  assert.throws(() => deriveCell(testPlan(), 0, 1, [testBlock([1])]), /block 0 is of point 0, transport 0/);
  assert.throws(() => deriveCell(testPlan(), 7, 0, []), /there is no cell 7, 0/);
});

/** Bytes of 22 operations: a ring allreduce of 1 KiB over 2 ranks moves 2 * 1024 bytes. */
const due = 22 * 2 * 1024;
const counters = (sent: number) =>
  [0, 1].map(() => ({
    bytesSent: sent / 2,
    bytesReceived: sent / 2,
    messagesSent: 44,
    messagesReceived: 44,
  }));
const evidence = (transport: number, sent: number, interfaceBytes: Record<string, number>) =>
  derived(
    [testBlock(noisy(20, 1000), { transport, counters: counters(sent), interfaceBytes })],
    testPlan(),
    transport,
  ).evidence;

test('evidence, socket: the interface carried the payload with its headers', () => {
  // 88 messages, each with a header of 16 B, in a packet with 86 B of headers that another packet acknowledges.
  assert.deepEqual(evidence(0, due, { lo: due + 3000 }), {
    verdict: 'confirmed',
    reason: 'lo carried 48.1 kB, expected 45.1 kB payload and up to 16.7 kB headers',
  });
});

test('evidence, socket: what is more than payload and headers is of other processes, and said to be', () => {
  const { verdict, reason } = evidence(0, due, { lo: due + 60_000 });
  assert.equal(verdict, 'confirmed');
  assert.match(reason, /up to 16.7 kB headers; 43.3 kB more: lo also counts other processes$/);
});

test('evidence, socket: small messages are mostly headers, and yet the payload alone contradicts where it is missing', () => {
  const small = (lo: number) =>
    derived(
      [
        testBlock(noisy(20, 1000), {
          transport: 0,
          counters: counters(due).map((one) => ({ ...one, messagesSent: 5000 })),
          interfaceBytes: { lo },
        }),
      ],
      testPlan(),
      0,
    ).evidence;
  assert.deepEqual(small(1_020_000), {
    verdict: 'confirmed',
    reason: 'lo carried 1.02 MB, expected 45.1 kB payload and up to 1.88 MB headers',
  });
  assert.equal(small(due - 1).verdict, 'contradicted');
});

test('evidence, socket: an interface that stayed quiet contradicts, and the one that did not is named', () => {
  const { verdict, reason } = evidence(0, due, { lo: 100, eth0: due });
  assert.equal(verdict, 'contradicted');
  assert.match(
    reason,
    /lo carried 100 B, expected 45.1 kB payload and up to .* headers; eth0 carried 45.1 kB/,
  );
});

test('evidence, socket: much foreign traffic leaves it unproven', () => {
  const { verdict, reason } = evidence(0, due, { lo: due * 100 });
  assert.equal(verdict, 'unproven');
  assert.match(reason, /4.44 MB more: lo also counts other processes, which hide the share of this run/);
});

test('evidence, sisci: counters match and no interface could have carried it', () => {
  const { verdict, reason } = evidence(1, due, { lo: 800, eth0: 0 });
  assert.equal(verdict, 'confirmed');
  assert.match(reason, /moved 45.1 kB, expected 45.1 kB; lo carried no more than 800 B/);
});

test('evidence, sisci: an interface as busy as that leaves it unproven', () => {
  assert.equal(evidence(1, due, { lo: due + 1000 }).verdict, 'unproven');
});

const withSockets = (transport: number, received: number | undefined, lo: number) =>
  derived(
    [
      testBlock(noisy(20, 1000), {
        transport,
        counters: counters(due).map((one) =>
          received === undefined ? one : { ...one, socketBytesReceived: received / 2 },
        ),
        interfaceBytes: { lo },
      }),
    ],
    testPlan(),
    transport,
  ).evidence;

test('evidence, sisci: others use lo, and the sockets of the ranks received too little to have carried it', () => {
  const { verdict, reason } = withSockets(1, 1000, due * 100);
  assert.equal(verdict, 'confirmed');
  assert.match(reason, /lo carried 4.51 MB, of which the ranks received no more than 1 kB/);
  assert.equal(withSockets(1, due, due * 100).verdict, 'unproven');
  assert.equal(withSockets(1, undefined, due * 100).verdict, 'unproven');
});

test('evidence, socket: others use lo, and the sockets of the ranks received what had to pass', () => {
  const { verdict, reason } = withSockets(0, due + 500, due * 100);
  assert.equal(verdict, 'confirmed');
  assert.match(reason, /the sockets of the ranks received 45.6 kB of it/);
  assert.equal(withSockets(0, due - 500, due * 100).verdict, 'unproven');
});

test('evidence: a transport that counted less than must pass is contradicted', () => {
  assert.equal(evidence(1, due / 2, { lo: 0 }).verdict, 'contradicted');
});

test('evidence: an algorithm that was asked for and not taken is contradicted', () => {
  const plan = testPlan();
  const asked = (algo: string) => {
    const transports = plan.transports.map((one) => ({
      ...one,
      name: `${one.name}@${algo}`,
      settings: { algo },
    }));
    const block = testBlock(noisy(20, 1000), {
      transport: 1,
      counters: counters(due),
      interfaceBytes: { lo: 0 },
    });
    return derived([block], { ...plan, transports }, 1).evidence;
  };
  assert.equal(asked('ring').verdict, 'confirmed');
  const { verdict, reason } = asked('halving-doubling');
  assert.equal(verdict, 'contradicted');
  assert.match(reason, /took the algorithm ring, halving-doubling was asked for/);
});

test('evidence: the messages that carried flags bear out the protocol that ranks name', () => {
  const named = (protocol: string, flaggedSent?: number) =>
    derived(
      [
        testBlock(noisy(20, 1000), {
          ...{ transport: 1, protocol, interfaceBytes: { lo: 0 } },
          counters: counters(due).map((one) => (flaggedSent === undefined ? one : { ...one, flaggedSent })),
        }),
      ],
      testPlan(),
      1,
    ).evidence;
  assert.deepEqual(
    [named('ll', 100), named('simple'), named('ll'), named('simple', 1)].map(({ verdict }) => verdict),
    ['confirmed', 'confirmed', 'contradicted', 'contradicted'],
  );
  assert.match(
    named('simple', 1).reason,
    /named the protocol simple, and 2 messages of \d+ operations carried flags/,
  );
});

test('evidence: one rank, an empty message or an unknown algorithm prove nothing', () => {
  const alone = testPlan({ ranks: 1, hosts: [{ name: 'localhost', ranks: [0] }] });
  assert.match(derived([testBlock(noisy(20, 1000), {}, 1)], alone).evidence.reason, /single rank/);
  const unknown = derived([testBlock(noisy(20, 1000), { algorithm: 'tree' })]).evidence;
  assert.equal(unknown.verdict, 'unproven');
});
