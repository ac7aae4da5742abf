import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianInterval, singleLaunchInterval, timerQuantumNs } from '../../results/derive/index.ts';
import { collectiveNames } from '../../results/schema/index.ts';
import { InProcessLaunch } from './in-process.ts';
import {
  allgather,
  allreduce,
  broadcast,
  collectives,
  measure,
  NativeError,
  reduce,
  reducescatter,
  Sampler,
  transports,
} from './index.ts';

for (const transport of ['socket', 'sisci']) {
  test(`allreduce of 2 ranks over ${transport} is measured and every compared element is right`, async () => {
    const result = await allreduce({ count: 4099, ranks: 2, transport, samples: 12, check: 4, blocks: 2 });
    assert.equal(result.ranks, 2);
    assert.equal(result.blocks.length, 2);
    assert.equal(result.wrongElements, 0);
    assert.equal(result.comparedElements, result.checks * 4099);
    assert.ok(result.checks >= 2 * 2 * 2, 'first and last sample of each block on each rank');
    for (const block of result.blocks) {
      // Late samples are kept, and additional samples replace them.
      const taken = block.durationsNs.length + block.late;
      assert.equal(taken, block.ranks[0]?.startNs.length);
      assert.ok(taken >= 12 && taken <= 12 + block.late, `${taken} samples, ${block.late} late`);
      assert.ok(block.durationsNs.every((ns) => ns > 0));
      assert.ok(block.ranks.every((rank) => rank.counters.bytesSent > 0));
    }
    assert.equal(result.medium, transport === 'sisci' ? 'emulated' : 'hardware');
  });
}

test('the other collectives, pipelined and in place', async () => {
  const options = { count: 257, ranks: 3, samples: 5, check: 2, trial: 'pipelined', inPlace: true } as const;
  for (const run of [allgather, reducescatter, broadcast, reduce]) {
    const result = await run({ ...options, root: 1, dtype: 'int32', op: 'max' });
    assert.equal(result.wrongElements, 0, result.collective);
    assert.ok(result.comparedElements > 0, result.collective);
  }
});

test('collectives are those of the native table that the engine in this process has; others are refused by name', async () => {
  const offered = collectives();
  assert.ok(offered.length > 0);
  for (const name of offered) {
    const result = await measure(name, { count: 64, ranks: 2, samples: 4, check: 1 });
    assert.deepEqual([result.collective, result.wrongElements], [name, 0]);
    assert.ok(result.comparedElements > 0, name);
  }
  for (const name of collectiveNames.filter((one) => !offered.includes(one)))
    await assert.rejects(measure(name, { count: 64, ranks: 2 }), {
      code: 'invalid_argument',
      message: new RegExp(`does not offer collective ${name}; it offers ${offered[0]}`),
    });
});

test('a figure has the interval that every figure of one launch has, or the reason for none', async () => {
  const { blocks, medianNs, interval, intervalReason } = await allreduce({
    count: 64,
    samples: 200,
    blocks: 2,
  });
  const ns = blocks.flatMap(({ durationsNs }) => [...durationsNs]);
  const sizes = blocks.map(({ durationsNs }) => durationsNs.length);
  const wanted = singleLaunchInterval(medianInterval(ns, timerQuantumNs / 2, sizes), ns.length);
  assert.deepEqual(
    [interval?.lowNs, interval?.highNs, intervalReason],
    [wanted.interval?.low, wanted.interval?.high, wanted.reason],
  );
  if (interval !== null) assert.ok(interval.lowNs <= medianNs && medianNs <= interval.highNs);
  const few = await allreduce({ count: 64, samples: 2 });
  assert.equal(few.interval, null);
  assert.equal(few.intervalReason, singleLaunchInterval(null, few.blocks[0]?.durationsNs.length ?? 0).reason);
});

test('blocks arrive one by one while the event loop goes on', async () => {
  let turns = 0;
  let running = true;
  const turn = () => {
    turns++;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  const turnsAtBlock: number[] = [];
  await allreduce({ count: 65536, blocks: 20, onBlock: () => turnsAtBlock.push(turns) });
  running = false;
  assert.equal(turnsAtBlock.length, 20);
  // On a busy machine one turn of the event loop may deliver two blocks; a blocked loop would deliver all in one turn.
  assert.ok(new Set(turnsAtBlock).size > 2, `blocks arrived in turns ${turnsAtBlock}`);
});

test('an AbortSignal ends a measurement that would go on for long, with code cancelled', async () => {
  const controller = new AbortController();
  const running = allreduce({
    count: 1 << 18,
    blocks: 1_000_000,
    signal: controller.signal,
    onBlock: () => controller.abort(),
  });
  await assert.rejects(running, { name: 'NativeError', code: 'cancelled' });
  await assert.rejects(allreduce({ count: 1, signal: controller.signal }), { code: 'cancelled' });
});

test('an AbortSignal ends a measurement inside a block too', async () => {
  const controller = new AbortController();
  const running = allreduce({ count: 1 << 16, samples: 5_000_000, timeoutS: 600, signal: controller.signal });
  setImmediate(() => controller.abort());
  await assert.rejects(running, { code: 'cancelled' });
});

test('a block in which no rank makes progress for its time is a timeout', async () => {
  const trial = {
    kind: 'pipelined',
    firstIteration: 0,
    warmup: 0,
    minSamples: 1,
    maxSamples: 1,
    targetNs: 0,
  };
  const axes = {
    collective: 'allreduce',
    dtype: 'float32',
    op: 'sum',
    root: null,
    inPlace: false,
    bytes: 64,
  };
  const options = { token: '0'.repeat(32) };
  const launch = await InProcessLaunch.open({
    ...{ type: 'launch', launch: 0, engine: 'cpu', transport: 'socket', options, algorithm: null },
    ...{ ranks: 2, localRanks: [0, 1], seed: 1, environment: {}, deadlineMs: 60_000 },
  });
  const anHourAhead = Number(process.hrtime.bigint()) + 3.6e12;
  const measuring = launch.measure({
    ...{ type: 'measure', launch: 0, block: 0, workload: 'collective', axes, startAtNs: anHourAhead },
    ...{ trial: { ...trial, batch: 1, checkEvery: 0, check: false }, release: false, deadlineMs: 50 },
  } as Parameters<InProcessLaunch['measure']>[0]);
  await assert.rejects(measuring, { code: 'timeout', message: 'no rank made progress for 50 ms' });
  await launch.stop();
});

test('what cannot be is refused with value and range', async () => {
  await assert.rejects(allreduce({ count: 1.5 }), /count must be a whole number from 0, got 1.5/);
  await assert.rejects(allreduce({ count: 1, ranks: 0 }), /ranks must be a whole number from 1, got 0/);
  await assert.rejects(broadcast({ count: 1, root: 7, ranks: 2 }), /root 7 is no rank; there are 0 to 1/);
  await assert.rejects(allreduce({ count: 1, transport: 'carrier-pigeon' }), NativeError);
});

test('transports are listed with medium, or reason and remedy', () => {
  const list = transports();
  assert.deepEqual(
    list.map((one) => one.name),
    [...new Set(list.map((one) => one.name))],
  );
  assert.ok(list.find((one) => one.name === 'socket')?.available);
  for (const one of list) assert.ok(one.available || (one.reason && one.remedy), one.name);
});

test('the sampler yields rows of all channels in time order until it is stopped', async () => {
  const sampler = new Sampler({ intervalMs: 5 });
  const times: number[] = [];
  for await (const sample of sampler) {
    assert.deepEqual(
      Object.keys(sample.readings),
      sampler.channels.map(({ name }) => name),
    );
    const { value, unit, cumulative } = sample.readings['memory.available'] ?? {};
    assert.ok(typeof value === 'number' && value > 0);
    assert.deepEqual([unit, cumulative], ['bytes', false]);
    assert.ok(sample.costNs > 0);
    times.push(sample.timeNs);
    if (times.length === 4) sampler.stop();
  }
  assert.equal(times.length, 4);
  for (let i = 1; i < times.length; i++) assert.ok((times[i] ?? 0) > (times[i - 1] ?? 0));
  assert.ok(sampler.channels.some((channel) => channel.name === 'cpu0.user'));
  assert.equal(sampler.readRow().values.length, sampler.channels.length);
});

test('a sampler can be stopped while it waits, and refuses sources that do not exist', async () => {
  const sampler = new Sampler({ intervalMs: 3_600_000, sources: ['memory'] });
  assert.ok(sampler.channels.every((channel) => /^memory\./.test(channel.name)));
  let rows = 0;
  for await (const _ of sampler) {
    rows++;
    setImmediate(() => sampler.stop());
  }
  assert.equal(rows, 1);
  assert.throws(() => new Sampler({ sources: ['quantum'] }), { code: 'invalid_argument' });
  assert.throws(() => new Sampler({ intervalMs: 0 }), RangeError);
});
