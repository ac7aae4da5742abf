import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupLines, groupsPlanOf } from '../orchestration/preparing/groups.ts';
import type { CollectiveName } from '../results/schema/index.ts';
import { commandNamed } from '../suites/workloads/index.ts';
import { readOptions } from './line/read-options.ts';
import { runRefusal } from './testing/run-refusal.ts';

/** The groups of a command line for ranks of two hosts, half of them on each. */
function groups(collective: CollectiveName, ...words: string[]) {
  const options = readOptions(collective, words);
  const ranks = options.ranks ?? 2;
  const half = Math.ceil(ranks / 2);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  return groupsPlanOf(commandNamed(collective), options, [
    { name: 'a', ranks: all.slice(0, half) },
    { name: 'b', ranks: all.slice(half) },
  ]);
}

test('groups come from rule and hosts; none asked for, none there', () => {
  assert.equal(groups('allreduce', '--ranks', '4'), undefined);
  const rails = groups('allreduce', '--ranks', '4', '--groups', 'rail');
  assert.deepEqual(rails, {
    rule: 'rail',
    members: [
      { name: 'rail 0', ranks: [0, 2] },
      { name: 'rail 1', ranks: [1, 3] },
    ],
  });
  assert.deepEqual(rails === undefined ? [] : groupLines(rails), [
    '2 groups (rail) work at the same time',
    '  rail 0: ranks 0, 2',
    '  rail 1: ranks 1, 3',
  ]);
});

test('groups of unlike size: where every rank has all the data', () => {
  const unlike = ['--ranks', '5', '--groups', 'div:3'];
  assert.equal(groups('allreduce', ...unlike)?.members.length, 2);
  assert.match(
    runRefusal(() => groups('allgather', ...unlike)).text,
    /groups of 2 and 3 ranks, and allgather divides its data/,
  );
});

test('roots count within each group', () => {
  const words = ['--ranks', '4', '--groups', 'mod:2', '--root'];
  assert.equal(groups('broadcast', ...words, '1')?.members.length, 2);
  assert.equal(groups('broadcast', ...words, 'all')?.members.length, 2);
  assert.match(runRefusal(() => groups('broadcast', ...words, '2')).text, /roots count within each group/);
});

for (const [words, text] of [
  [['mod:3'], /mod:3 leaves rank 1 alone in its group.*groups of two ranks or more/s],
  [['xor:1'], /unknown rule for groups.*allowed: node, rail, mod:N/s],
  [['colors:0,1'], /2 colors for 4 ranks.*one color for each rank/s],
  [['mod:2', '--in-process'], /--groups and --in-process exclude each other/s],
  [['mod:2', '--engine', 'nccl', '--share-gpu'], /--groups and --share-gpu exclude each other/],
] as const) {
  test(`refused: --groups ${words.join(' ')}`, () => {
    assert.match(runRefusal(() => groups('allreduce', '--ranks', '4', '--groups', ...words)).text, text);
  });
}
