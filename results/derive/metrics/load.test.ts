import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  CellRecord,
  LaunchRecord,
  MetricsChannel,
  MetricsHeader,
  MetricsTick,
  OkCell,
  RunPlan,
} from '../../schema/index.ts';
import { testBlock } from '../../testing/block.ts';
import { testPlan } from '../../testing/plan.ts';
import { deriveCell } from '../cells/cell.ts';
import { loadFlagMeanings, loadFlags } from './flags.ts';
import { type MetricsSeries, withLoads } from './load.ts';

const second = 1_000_000_000;
const plan = testPlan();

/** A cell with one block, measured from 1 s to 3 s. */
function cell(parts: Parameters<typeof testBlock>[1] = {}): OkCell {
  const commonStartNs = [0, second];
  const times = {
    commonStartNs,
    startNs: [commonStartNs, commonStartNs],
    endNs: [1, 2].map(() => [second, 2 * second]),
  };
  const made = deriveCell(plan, 1, 0, [testBlock([1, 1], { point: 1, baseNs: second, ...times, ...parts })]);
  assert.ok(made.status === 'ok');
  return made;
}

/** Readings once a second from 0 s to 4 s: counters grow by `perSecond`, gauges have this value. */
function series(
  values: Record<string, { perSecond: number; unit?: string; isGauge?: boolean }>,
  header: Partial<MetricsHeader> = {},
): MetricsSeries {
  const channels: MetricsChannel[] = Object.entries(values).map(([name, { unit = '', isGauge = false }]) => ({
    name,
    unit,
    cumulative: !isGauge,
  }));
  const ticks = [0, 1, 2, 3, 4].map(
    (s): MetricsTick => ({
      startNs: s * second,
      costNs: 1,
      values: Object.values(values).map(({ perSecond, isGauge = false }) =>
        isGauge ? perSecond : s * perSecond,
      ),
    }),
  );
  return {
    header: {
      kind: 'metrics',
      schema: 1,
      host: 'localhost',
      intervalUs: 1_000_000,
      channels,
      failed: [],
      clockOffsetNs: 0,
      clockUncertaintyNs: 0,
      ...header,
    },
    async *lines() {
      yield* ticks;
    },
  };
}

async function loaded(
  from: MetricsSeries | MetricsSeries[],
  one: OkCell = cell(),
  of: RunPlan = { ...plan, engine: 'nccl' },
  launches: LaunchRecord[] = [],
): Promise<OkCell> {
  const [found] = await withLoads(of, [one], [from].flat(), launches);
  assert.ok(found?.status === 'ok');
  return found;
}

test('a cell knows when it was measured, block by block', () => {
  const { windows } = cell();
  assert.deepEqual(windows, [{ fromNs: second, toNs: 3 * second, operations: 2 }]);
});

test('each host tells coverage, readings, processor time and energy of the cell', async () => {
  const { load } = await loaded(
    series({
      'cpu0.user': { perSecond: 0.5 * second },
      'cpu0.softirq': { perSecond: 0.1 * second },
      'cpu0.idle': { perSecond: 0.4 * second },
      'gpu0.energyMillijoule': { perSecond: 100_000 },
      'gpu0.powerMilliwatt': { perSecond: 7, isGauge: true },
      'gpu1.powerMilliwatt': { perSecond: 50_000, isGauge: true },
    }),
  );
  assert.ok(load !== undefined);
  const [host] = load.hosts;
  assert.ok(host !== undefined);
  assert.deepEqual([host.host, host.coverage, host.fill, host.ticks], ['localhost', 1, 1, 3]);
  assert.ok(Math.abs((host.cpuBusyShare ?? 0) - 0.6) < 1e-12);
  // The energy counter of a GPU takes precedence over its momentary power: 2 s of 100 W and of 50 W.
  assert.equal(host.energyJ, 300);
  assert.ok(Math.abs((load.joulesPerGB ?? 0) / (300 / (2 * 1048576e-9)) - 1) < 1e-9);
  assert.deepEqual(load.reasons, []);
});

test('energy is not told of a cell that is short beside the time between readings', async () => {
  const short = cell({ endNs: [1, 2].map(() => [1, second + 1]) });
  const { load } = await loaded(series({ 'gpu0.energyMillijoule': { perSecond: 1 } }), short);
  assert.equal(load?.hosts[0]?.energyJ, null);
  assert.equal(load?.joulesPerGB, null);
});

test('the clock of another host is taken into account, and one that is not known says nothing', async () => {
  const ahead = { ...cell(), clocks: { localhost: { offsetNs: -2 * second, uncertaintyNs: 10 } } };
  const { load } = await loaded(series({ 'cpu0.idle': { perSecond: 1 } }), ahead);
  assert.equal(load?.hosts[0]?.coverage, 0.5, 'on that clock it was measured from 3 s to 5 s');
  assert.equal((await loaded(series({ 'cpu0.idle': { perSecond: 1 } }, { host: 'b' }))).load, undefined);
});

test('readings of another start of the run are not those of the cell', async () => {
  const found = await loaded(series({ 'cpu0.idle': { perSecond: 1 } }, { attempt: 1 }));
  assert.equal(found.load, undefined);
});

test('cells without figures stay as they are', async () => {
  const missing = deriveCell(plan, 0, 0, []) as CellRecord;
  assert.deepEqual(await withLoads(plan, [missing], [series({})]), [missing]);
});

test('only cores that ranks may run on count as taken from them', async () => {
  const busy = { perSecond: second };
  const idle = { perSecond: 0 };
  const cores = {
    'cpu0.user': busy,
    'cpu1.user': busy,
    'cpu2.user': busy,
    'cpu3.user': idle,
    'cpu4.user': idle,
  };
  const more = { 'cpu5.user': idle, 'cpu6.user': idle, 'cpu7.user': idle };
  const ranks = { 'rank0.cpuNs': { perSecond: second }, 'rank1.cpuNs': { perSecond: 0.5 * second } };
  const of: RunPlan = { ...plan, engine: 'nccl' };
  const on = async (cpus: string) => {
    const told = { pid: 1, device: '', detail: {}, medium: 'hardware', cpus };
    const launch = { launch: 0, transport: 0, startedAtNs: 0, setupNs: 0 };
    const launches = [{ ...launch, ranks: [0, 1].map((rank) => ({ ...told, rank })) }];
    const { flags } = await loaded(series({ ...cores, ...more, ...ranks }), cell(), of, launches);
    return flags.find(({ name }) => name === 'cpu-busy')?.reason ?? null;
  };
  assert.equal(await on('0-7'), null);
  assert.equal(
    await on('0-2'),
    'other processes kept at least 1.50 of 3 cores that ranks may use busy beside 2 ranks, the limit is 0.50',
  );
  assert.equal(await on('3-7'), null);
});

test('ranks of another host that is this machine are not others', async () => {
  const busy = { perSecond: second };
  const values = { 'cpu0.user': busy, 'cpu1.user': busy, 'rank0.cpuNs': busy };
  const [host] = plan.hosts as [RunPlan['hosts'][number]];
  const flagged = async (parts: Partial<RunPlan['hosts'][number]>, cpus: string[] = []) => {
    const told = { pid: 1, device: '', detail: {}, medium: 'hardware' };
    const launch = { launch: 0, transport: 0, startedAtNs: 0, setupNs: 0 };
    const launches = [{ ...launch, ranks: cpus.map((list, rank) => ({ ...told, rank, cpus: list })) }];
    const hosts = [
      { ...host, ranks: [0] },
      { name: 'b', ranks: [1], ...parts },
    ];
    const { flags } = await loaded(series(values), cell(), { ...plan, hosts }, launches);
    return flags.some(({ name }) => name === 'cpu-busy');
  };
  const same = { machineOf: host.name };
  assert.deepEqual(
    [await flagged({}), await flagged(same), await flagged(same, ['0-1', '1-2'])],
    [true, false, false],
  );
  assert.equal(await flagged(same, ['0-1', '2-3']), true, 'they have cores of their own');
});

/** Readings that raise a flag, and readings below its limit, by flag. */
const cases: Record<
  string,
  { raised: Parameters<typeof series>[0]; fine: Parameters<typeof series>[0]; text: RegExp }
> = {
  throttled: {
    raised: { 'gpu0.throttleReasons': { perSecond: 0x41, unit: 'bits', isGauge: true } },
    fine: { 'gpu0.throttleReasons': { perSecond: 0x11, unit: 'bits', isGauge: true } },
    text: /gpu0 was slowed down \(hardware thermal slowdown\)/,
  },
  'link-downgraded': {
    raised: {
      'pci.0000:17:00.0.linkWidth': { perSecond: 4, isGauge: true },
      'pci.0000:17:00.0.maxLinkWidth': { perSecond: 16, isGauge: true },
    },
    fine: {
      'pci.0000:17:00.0.linkWidth': { perSecond: 16, isGauge: true },
      'pci.0000:17:00.0.maxLinkWidth': { perSecond: 16, isGauge: true },
    },
    text: /the link of pci.0000:17:00.0 ran at 4 lanes, it can do 16/,
  },
  'cpu-busy': {
    raised: {
      'cpu0.user': { perSecond: second },
      'cpu1.user': { perSecond: second },
      'rank0.cpuNs': { perSecond: second },
      'rank1.cpuNs': { perSecond: 0.7 * second },
    },
    fine: {
      'cpu0.user': { perSecond: second },
      'cpu1.user': { perSecond: second },
      'rank0.cpuNs': { perSecond: second },
      'rank1.cpuNs': { perSecond: 0.9 * second },
    },
    text: /at least 0.30 of 2 cores busy beside 2 ranks, the limit is 0.20/,
  },
  'cpu-stolen': {
    raised: { 'cpu0.user': { perSecond: 0.9 * second }, 'cpu0.steal': { perSecond: 0.1 * second } },
    fine: { 'cpu0.user': { perSecond: second }, 'cpu0.steal': { perSecond: 0.005 * second } },
    text: /took 10 % of the processor time/,
  },
  'cpu-quota': {
    raised: { 'cgroup.throttled': { perSecond: 0.4 * second } },
    fine: { 'cgroup.throttled': { perSecond: 0.01 * second } },
    text: /kept processes from running for 20 % of the time of 2 cores, the limit is 1 %/,
  },
  swap: {
    raised: { 'vmstat.pswpin': { perSecond: 3 }, 'vmstat.pswpout': { perSecond: 4 } },
    fine: { 'vmstat.pswpin': { perSecond: 0 }, 'vmstat.pswpout': { perSecond: 0.1 } },
    text: /14 pages were swapped/,
  },
  retransmits: {
    raised: { 'tcp.retransSegs': { perSecond: 5 } },
    fine: { 'tcp.retransSegs': { perSecond: 0 } },
    text: /10 TCP segments were sent again in 2 operations, the limit is 5 %/,
  },
  'link-errors': {
    raised: { 'pci.0000:17:00.0.aerCorrectable': { perSecond: 2 } },
    fine: { 'pci.0000:17:00.0.aerCorrectable': { perSecond: 0 } },
    text: /4 PCIe errors were reported, the limit is 1/,
  },
  'page-migrations': {
    raised: { 'vmstat.pgmigrateSuccess': { perSecond: 200 } },
    fine: { 'vmstat.pgmigrateSuccess': { perSecond: 10 } },
    text: /400 pages were moved, the limit is 256/,
  },
};

for (const { flag, source, limit } of loadFlags.filter((row) => row.flag !== 'clock-ramp')) {
  test(`${flag} is raised past its limit, with its reason, and not below it`, async () => {
    const one = cases[flag];
    assert.ok(one !== undefined, `no readings for ${flag}`);
    const found = await loaded(series(one.raised));
    assert.ok(found.flags.some(({ name }) => name === flag));
    assert.equal(found.load?.reasons.length, 1);
    assert.match(found.load?.reasons[0]?.text ?? '', one.text);
    const fine = await loaded(series(one.fine));
    assert.ok(!fine.flags.some(({ name }) => name === flag));
    assert.notEqual(loadFlagMeanings[flag], undefined);
    assert.ok(source !== '' && limit !== '');
  });
}

test('GPUs that no rank uses are no reason to doubt a figure, and their energy is not of the run', async () => {
  const throttled = (at: number) =>
    Object.fromEntries([
      [`gpu${at}.throttleReasons`, { perSecond: 0x08, isGauge: true }],
      [`gpu${at}.energyMillijoule`, { perSecond: 1000 }],
    ]);
  const of = (settings: RunPlan['settings'], engine: RunPlan['engine'] = 'nccl') =>
    loaded(series({ ...throttled(0), ...throttled(2) }), cell(), { ...plan, engine, settings });
  const seen = async (found: Promise<OkCell>) => {
    const { load } = await found;
    return [load?.reasons.map(({ text }) => text.split(' ')[0]), load?.hosts[0]?.energyJ];
  };
  assert.deepEqual(await seen(of({ gpus: '1' })), [['gpu2'], 2], 'the second of those that can be seen');
  assert.deepEqual(await seen(of({ gpus: '0' })), [['gpu0'], 2]);
  assert.deepEqual(await seen(of({ gpus: '3,4' })), [[], null]);
  assert.deepEqual(await seen(of({}, 'cpu')), [[], null]);
  assert.deepEqual(await seen(of({ backend: 'nccl' }, 'torch')), [['gpu0'], 4]);
});

test('packets that an RDMA port sent again count as retransmits', async () => {
  const from = series({ 'rdma.mlx5_0:1.packetSequenceErrors': { perSecond: 1 } });
  const found = await loaded(from, { ...cell(), transport: 'ib' });
  assert.deepEqual(
    found.load?.reasons.map(({ text }) => text),
    ['2 RDMA packets were sent again or came out of order in 2 operations, the limit is 5 %'],
  );
  assert.deepEqual((await loaded(from)).flags, [], 'over TCP they say nothing');
});

test('of several hosts the one that disturbs is named, whichever comes first', async () => {
  const clocks = Object.fromEntries(['a', 'b', 'c'].map((host) => [host, { offsetNs: 0, uncertaintyNs: 0 }]));
  const on = (host: string, perSecond: number) => series({ 'tcp.retransSegs': { perSecond } }, { host });
  const hosts = [on('a', 0.02), on('b', 50), on('c', 40)];
  const found = await loaded(hosts, { ...cell(), clocks } as OkCell);
  assert.deepEqual(found.flags, [
    {
      name: 'retransmits',
      level: 'disturbs',
      reason: 'b,c: 100 TCP segments were sent again in 2 operations, the limit is 5 %',
    },
  ]);
  assert.deepEqual(
    found.load?.reasons.map(({ host }) => host),
    ['b', 'c', 'a'],
  );
});

test('what the whole host sent again says nothing of a cell whose bytes do not go that way', async () => {
  const from = series({ 'tcp.retransSegs': { perSecond: 50 } });
  assert.equal((await loaded(from)).flags.length, 1);
  for (const transport of ['sisci', 'shm', 'p2p', 'ib'])
    assert.deepEqual((await loaded(from, { ...cell(), transport })).flags, []);
});

test('retransmits are told by how many operations they can have hit: nothing, a note, what disturbs the figure', async () => {
  const [window] = cell().windows ?? [];
  assert.ok(window !== undefined);
  const levelAt = async (operations: number) => {
    const one = { ...cell(), windows: [{ ...window, operations }] };
    const { flags } = await loaded(series({ 'tcp.retransSegs': { perSecond: 5 } }), one);
    return flags.map(({ name, level }) => `${name} ${level}`);
  };
  assert.deepEqual(await levelAt(10_000), []);
  assert.deepEqual(await levelAt(500), ['retransmits note']);
  assert.deepEqual(await levelAt(100), ['retransmits disturbs']);
});

test('clock-ramp is raised where a GPU had not come up to its highest clock of the run', async () => {
  const ramp = series({ 'gpu0.smClockMHz': { perSecond: 0, isGauge: true } });
  const clocks = [345, 345, 1980, 1980, 1980];
  const lines: MetricsSeries['lines'] = async function* () {
    for (const [s, mhz] of clocks.entries()) yield { startNs: s * second, costNs: 1, values: [mhz] };
  };
  const found = await loaded({ ...ramp, lines });
  assert.ok(found.flags.some(({ name }) => name === 'clock-ramp'));
  assert.match(found.load?.reasons[0]?.text ?? '', /gpu0 was 1571 MHz on average, its highest was 1980 MHz/);
});

test('looking a second time at the same readings changes nothing', async () => {
  const from = series({ 'tcp.retransSegs': { perSecond: 5 } });
  const once = await loaded(from);
  assert.deepEqual(await loaded(from, once), once);
});
