import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suffixOf, withSuffixes } from '../../testing/suffix.ts';
import { commandNamed } from '../../workloads/index.ts';
import { amongRanks, rejectionTexts } from '../index.ts';
import { ncclOptionRows } from '../nccl/options.ts';
import { seriesOf as seriesOfCommand } from './series.ts';

type OtherOptions = Parameters<typeof seriesOfCommand> extends [unknown, ...infer Others] ? Others : never;

/** Returns the series of a command by its name, and one text for each reason why others are left out. */
function seriesOf(command: string, ...options: OtherOptions) {
  const { series, leftOut } = seriesOfCommand(commandNamed(command), ...options);
  return { series, leftOut: rejectionTexts(leftOut) };
}

const namesOf = (command: string, words: readonly string[]): string[] =>
  seriesOf(command, words).series.map(suffixOf);

test('every algorithm is a series of its own, with the word that ranks know', () => {
  assert.deepEqual(withSuffixes(seriesOf('allreduce', ['auto', 'recursive-doubling']).series), [
    { suffix: '', settings: undefined },
    { suffix: '@recursive-doubling', settings: { algo: 'recursive-doubling' } },
  ]);
});

test('"all" is what the collective has', () => {
  assert.deepEqual(namesOf('reduce', ncclOptionRows.algo.coerce('all')), [
    '',
    '@direct',
    '@ring',
    '@binomial',
    '@double-binary-tree',
  ]);
});

test('a step of several collectives takes any algorithm; messages have none', () => {
  assert.deepEqual(namesOf('replay', ['ring', 'halving-doubling']), ['@ring', '@halving-doubling']);
  assert.deepEqual(seriesOf('put', ['ring']).leftOut, ['ring: put has no algorithm to choose']);
});

test('what takes a power of two ranks only is left out with others, beside loads and groups too', () => {
  const { series } = seriesOf('reducescatter', ['ring', 'halving-doubling'], ['simple'], ['shm']);
  const left = (...sizes: number[]) => {
    const { choices, leftOut } = amongRanks(series, sizes);
    return [choices.map(suffixOf), rejectionTexts(leftOut)];
  };
  const reason = 'halving-doubling: reducescatter takes it with a power of two ranks only, not 6';
  assert.deepEqual(left(8), [['@ring/simple', '@halving-doubling/simple'], []]);
  assert.deepEqual(left(4, 6), [['@ring/simple'], [reason]]);
  const allreduce = seriesOf('allreduce', ['halving-doubling', 'recursive-doubling']).series;
  assert.deepEqual(amongRanks(allreduce, [6]).leftOut, []);
});

test('one hop takes up to 64 ranks; what only one hop can do is refused by more', () => {
  const left = (command: string, words: string[], ranks: number) => {
    const { choices, leftOut } = amongRanks(seriesOf(command, words).series, [ranks]);
    return [choices.map(suffixOf), rejectionTexts(leftOut)];
  };
  assert.deepEqual(left('alltoall', ['auto', 'direct', 'bruck'], 64), [['', '@direct', '@bruck'], []]);
  assert.deepEqual(left('alltoall', ['auto', 'direct', 'bruck'], 66), [
    ['', '@bruck'],
    ['direct: alltoall in one hop takes up to 64 ranks, not 66'],
  ]);
  assert.deepEqual(left('gather', ['auto'], 66), [
    [],
    ['gather: it goes in one hop, by up to 64 ranks, not 66'],
  ]);
  assert.deepEqual(left('sendrecv', ['auto', 'direct'], 66), [['', '@direct'], []]);
});

test('what has the same reason is told in one line', () => {
  assert.deepEqual(seriesOf('gather', ['ring', 'direct', 'bruck']).leftOut, [
    'ring, bruck: gather has only direct',
  ]);
});

test('protocols are series, too; ll only over transports whose senders store into memory of the receiver', () => {
  const { series, leftOut } = seriesOf('allreduce', ['auto', 'ring'], ['simple', 'LL'], ['shm', 'socket']);
  assert.deepEqual(
    withSuffixes(series).map(({ suffix, settings, isOver }) => [
      suffix,
      settings,
      isOver?.('shm'),
      isOver?.('socket'),
    ]),
    [
      ['@simple', { proto: 'simple' }, undefined, undefined],
      ['@ll', { proto: 'll' }, true, false],
      ['@ring/simple', { algo: 'ring', proto: 'simple' }, undefined, undefined],
      ['@ring/ll', { algo: 'ring', proto: 'll' }, true, false],
    ],
  );
  assert.deepEqual(leftOut, [
    'll over socket: flags in the data need memory that senders store into, as --transport sisci or shm has it',
  ]);
});

test('where no transport is named, ll stays for those that have it', () => {
  const { series, leftOut } = seriesOf('allreduce', ['auto'], ['ll']);
  assert.deepEqual(
    series.map((one) => [suffixOf(one), one.isOver?.('shm'), one.isOver?.('socket')]),
    [['@ll', true, false]],
  );
  assert.deepEqual(leftOut, []);
});

test('"all" leaves out protocols of NCCL silently, and what no transport has; messages have no protocol', () => {
  const all = ncclOptionRows.proto.coerce('all');
  const suffixes = (transports: string[]) =>
    seriesOf('allreduce', ['auto'], all, transports).series.map(suffixOf);
  assert.deepEqual(suffixes(['sisci']), ['', '@ll', '@simple']);
  assert.deepEqual(suffixes(['socket', 'plugin:/x.so']), ['', '@simple']);
  assert.deepEqual(seriesOf('allreduce', ['auto'], ['LL128'], ['shm']).leftOut, [
    'll128: engine cpu has only auto, simple, ll',
  ]);
  assert.deepEqual(seriesOf('put', ['auto'], ['LL'], ['shm']).leftOut, ['LL: put has no protocol to choose']);
});

test('numbers of channels are series, too, of what is cut into parts', () => {
  const of = (command: string, channels: number[]) =>
    seriesOf(command, ['auto', 'ring'], ['auto'], ['shm'], channels);
  assert.deepEqual(withSuffixes(of('allreduce', [1, 4]).series), [
    { suffix: '', settings: undefined },
    { suffix: '@ring', settings: { algo: 'ring' } },
    { suffix: '@4ch', settings: { channels: '4' } },
    { suffix: '@ring/4ch', settings: { algo: 'ring', channels: '4' } },
  ]);
  assert.deepEqual(of('allgather', [1, 2]).series.map(suffixOf), ['', '@ring']);
  assert.deepEqual(of('allgather', [2]), {
    series: [],
    leftOut: ['2 channels: only the vectors of allreduce, broadcast, reduce are cut into parts'],
  });
});
