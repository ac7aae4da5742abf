import assert from 'node:assert/strict';
import test from 'node:test';
import { listOf } from '../../options/values.ts';
import { withSuffixes } from '../../testing/suffix.ts';
import { rejectionTexts } from '../named-series.ts';
import { ncclOptionRows } from '../nccl/options.ts';
import { seriesOf as ncclSeriesOf } from '../nccl/series.ts';
import { nvshmemOptionRows } from './options.ts';
import { commonOf, expandSweep } from './points.ts';
import { nvshmemAlgorithmOptions, seriesOf } from './series.ts';

const settingsOf = (series: ReturnType<typeof seriesOf>) =>
  series.series.map(({ settings }) => settings?.algo ?? null);

test('every algorithm is a series of its own, auto has no name; NCCL is one of them', () => {
  const made = seriesOf('allreduce', ['auto', 'one-shot', 'nccl-ring']);
  assert.deepEqual(withSuffixes(made.series), [
    { suffix: '', settings: undefined },
    { suffix: '@one-shot', settings: { algo: 'one-shot' } },
    { suffix: '@nccl-ring', settings: { algo: 'nccl-ring' } },
  ]);
  assert.deepEqual(made.leftOut, []);
});

test('what a collective does not have is left out with what it has', () => {
  const made = seriesOf('alltoall', ['ring', 'direct']);
  assert.deepEqual(settingsOf(made), ['direct']);
  assert.deepEqual(rejectionTexts(made.leftOut), [
    'ring: there is none for alltoall, only direct, nvshmem, nccl',
  ]);
});

test('messages have no algorithm to choose, but NCCL can move them', () => {
  const made = seriesOf('exchange', ['auto', 'ring', 'nccl']);
  assert.deepEqual(settingsOf(made), [null, 'nccl']);
  assert.deepEqual(rejectionTexts(made.leftOut), ['ring: exchange has no algorithm to choose']);
});

test('a word of the other engine is left out and says whose it is; all means all of the own', () => {
  assert.match(seriesOf('allreduce', ['collnetchain']).leftOut[0]?.reason ?? '', /of NCCL alone; take nccl/);
  assert.deepEqual(rejectionTexts(ncclSeriesOf('allreduce', ['one-shot'], ['auto']).leftOut), [
    'one-shot: an algorithm of another engine, not of NCCL',
  ]);
  const all = ncclOptionRows.algo.coerce('all');
  assert.doesNotMatch(rejectionTexts(ncclSeriesOf('allreduce', all, ['auto']).leftOut).join(' '), /nvshmem/);
  assert.deepEqual(rejectionTexts(seriesOf('allreduce', all).leftOut), [
    'direct: there is none for allreduce, only one-shot, two-shot, ring, simple-ring, alternating-rings, tree, nvshmem, nccl, nccl-ring, nccl-symmetric',
  ]);
  assert.deepEqual(listOf(nvshmemAlgorithmOptions)('all'), [...nvshmemAlgorithmOptions]);
});

const swept = (blocks: string, packet: string, signal: string) => ({
  blocks: nvshmemOptionRows.blocks.coerce(blocks),
  threads: nvshmemOptionRows.threads.coerce('0'),
  packet: nvshmemOptionRows.packet.coerce(packet),
  signal: nvshmemOptionRows.signal.coerce(signal),
});

test('options with several values make a series of each combination, named by what varies', () => {
  const { series } = seriesOf('exchange', ['auto', 'nccl']);
  const made = expandSweep(series, swept('64', '16K,0', 'fused,separate'));
  assert.deepEqual(withSuffixes(made), [
    { suffix: '@packet-16K,signal-fused', settings: { packet: '16384' } },
    { suffix: '@packet-16K,signal-separate', settings: { packet: '16384', signal: 'separate' } },
    { suffix: '@packet-tuned,signal-fused', settings: {} },
    { suffix: '@packet-tuned,signal-separate', settings: { signal: 'separate' } },
    { suffix: '@nccl', settings: { algo: 'nccl' } },
  ]);
  assert.deepEqual(commonOf(swept('64', '16K,0', 'fused,separate')), { blocks: '64' });
});

test('one value of each leaves the series as they are', () => {
  const { series } = seriesOf('allreduce', ['auto', 'ring']);
  assert.deepEqual(expandSweep(series, swept('0', '64K', 'separate')), series);
  assert.deepEqual(commonOf(swept('0', '64K', 'separate')), { packet: '65536', signal: 'separate' });
});

test('each value of a list is checked and named', () => {
  assert.throws(() => nvshmemOptionRows.packet.coerce('16K,17'), /17 is not allowed/);
  assert.throws(() => nvshmemOptionRows.threads.coerce('64,65'), /65 is no multiple of 32/);
});
