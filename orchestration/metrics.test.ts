import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricsLine, MetricsTick } from '../results/schema/index.ts';
import { metricsLine } from '../results/schema/index.ts';
import { testBlocks, testPlan } from '../results/testing/plan.ts';
import { MetricsStream, type SamplerOpener } from './metrics.ts';
import { runSession, type SessionEvent, type SessionOptions } from './session/session.ts';
import { mockLauncher } from './testing/mock.ts';

const plan = testPlan({ metricsIntervalUs: 1000 });

async function metricsOf(
  asked: typeof plan,
  options: Partial<SessionOptions> = {},
): Promise<{ byHost: Map<string, MetricsLine[]>; events: SessionEvent[] }> {
  const byHost = new Map<string, MetricsLine[]>();
  const events: SessionEvent[] = [];
  const all = { agentPath: '', signal: new AbortController().signal, launcher: mockLauncher(), ...options };
  for await (const event of runSession(asked, testBlocks(asked), all)) {
    events.push(event);
    if (event.type !== 'metrics') continue;
    byHost.set(event.host, [...(byHost.get(event.host) ?? []), ...event.lines]);
  }
  return { byHost, events };
}

const ticksIn = (lines: readonly MetricsLine[]): MetricsTick[] =>
  lines.flatMap((line) => ('values' in line ? [line] : []));

test('readings of an agent come as lines of its file: header, readings in order, what they cost', async () => {
  const { byHost, events } = await metricsOf(plan);
  assert.deepEqual([...byHost.keys()], ['localhost']);
  const lines = byHost.get('localhost') ?? [];
  for (const line of lines) metricsLine.parse(line);
  const [header] = lines;
  assert.ok(header !== undefined && 'kind' in header && header.kind === 'metrics');
  assert.equal(header.intervalUs, 1000);
  assert.equal(header.clockOffsetNs, 0);
  assert.deepEqual(header.failed, [{ source: 'nvml', reason: 'mock: no GPU' }]);
  const ticks = ticksIn(lines);
  assert.ok(ticks.length > 10);
  assert.ok(ticks.every((tick, i) => i === 0 || tick.startNs - (ticks[i - 1]?.startNs ?? 0) === 1_000_000));
  const last = lines.at(-1);
  assert.ok(last !== undefined && 'kind' in last && last.kind === 'sampled');
  assert.equal(last.ticks, ticks.length);
  const blocks = events.flatMap((event) => (event.type === 'block' ? [event.record] : []));
  assert.equal(blocks.length, testBlocks(plan).length);
  const ends = blocks.map((block) => block.baseNs + Math.max(...block.endNs.flat()));
  assert.ok(
    (ticks.at(-1)?.startNs ?? 0) + 1_000_000 >= Math.max(...ends),
    'readings reach to the last block',
  );
});

test('only the sources that the plan names are read', async () => {
  const { byHost } = await metricsOf(testPlan({ metricsIntervalUs: 1000, metricsSources: ['memory'] }));
  const [header] = byHost.get('localhost') ?? [];
  assert.ok(header !== undefined && 'kind' in header && header.kind === 'metrics');
  assert.deepEqual(
    header.channels.map(({ name }) => name),
    ['memory.available'],
  );
});

test('without an interval nothing is asked for', async () => {
  assert.equal((await metricsOf(testPlan())).byHost.size, 0);
});

test('several hosts: each has a file of its own, and only the clock of rank 0 is known beforehand', async () => {
  const hosts = [
    { name: 'a', ranks: [1] },
    { name: 'b', ranks: [0] },
  ];
  const { byHost } = await metricsOf({ ...plan, hosts });
  const offsets = ['a', 'b'].map((host) => {
    const header = byHost.get(host)?.[0];
    return header !== undefined && 'clockOffsetNs' in header ? header.clockOffsetNs : 'none';
  });
  assert.deepEqual(offsets, [null, 0]);
});

test('an agent that dies: what it had sent counts', async () => {
  const { byHost, events } = await metricsOf(plan, { launcher: mockLauncher('die:5') });
  assert.equal(events.at(-1)?.type, 'failure');
  const lines = byHost.get('localhost') ?? [];
  assert.ok(ticksIn(lines).length > 0);
  assert.ok(lines.every((line) => !('kind' in line && line.kind === 'sampled')));
});

test('readings that are not what was announced are nonsense of the agent', async () => {
  const { events } = await metricsOf(plan, { launcher: mockLauncher('sampler') });
  const last = events.at(-1);
  assert.ok(last?.type === 'failure');
  assert.match(`${last.failure.message} ${last.failure.details.join(' ')}`, /4 values for 5 channels/);
});

test('without agents a sampler of this process takes their place', async () => {
  const told: string[] = [];
  const openSampler: SamplerOpener = ({ intervalUs }, tell) => {
    tell({ type: 'sampling', intervalUs, channels: [], failed: [] });
    return {
      stop: () => {
        told.push('stopped');
        const jitterNs = { median: 0, p99: 0, max: 0 };
        return { type: 'sampled', ticks: 0, missedTicks: 0, cpuNs: 0, residentBytes: 0, jitterNs };
      },
    };
  };
  const openLaunch: SessionOptions['openLaunch'] = () => Promise.reject(new Error('no ranks here'));
  const { byHost } = await metricsOf(plan, { openLaunch, openSampler });
  assert.deepEqual(told, ['stopped']);
  const kinds = byHost.get('localhost')?.map((line) => ('kind' in line ? line.kind : 'tick'));
  assert.deepEqual(kinds, ['metrics', 'sampled']);
});

test('a stream that contradicts itself is refused, with what was wrong', () => {
  const stream = new MetricsStream('a', true);
  const samples = { type: 'samples', startNs: [1, 2], costNs: [1], values: [[1], [2]] } as const;
  const asked = { ...samples, startNs: [1, 2], costNs: [1], values: [[1], [2]] };
  assert.throws(() => stream.lines(asked), /'samples' came before 'sampling'/);
  stream.lines({ type: 'sampling', intervalUs: 1000, channels: [], failed: [] });
  assert.throws(() => stream.lines(asked), /2 times, 1 costs and 2 readings/);
  assert.throws(
    () => stream.lines({ type: 'sampling', intervalUs: 1000, channels: [], failed: [] }),
    /came twice/,
  );
});
