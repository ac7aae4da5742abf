import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retypeCommand } from './retype-command.ts';

const cases: [typed: string[], change: Record<string, string | null>, shown: string][] = [
  [
    ['replay', 'runs/my job', '--engine', 'nccl', '--share-gpu', '--ranks', '1'],
    { ranks: '2' },
    "collbench replay 'runs/my job' --engine nccl --share-gpu --ranks 2",
  ],
  [['allreduce', '-b', '1M', '-e1K'], { min: null }, 'collbench allreduce -e1K'],
  [['allreduce', '-b1M', '--max=1K'], { min: null, max: '1G' }, 'collbench allreduce --max 1G'],
  [['put', '--share-gpu', '--ranks', '3'], { 'share-gpu': null }, 'collbench put --ranks 3'],
  [['put'], { 'share-gpu': '', ranks: '2' }, 'collbench put --share-gpu --ranks 2'],
  // Words after "--" belong to another program whose options have the same names.
  [
    ['train', '--ranks', '9', '--', 'python', 'x.py', '--ranks', '9'],
    { ranks: '2' },
    'collbench train --ranks 2 -- python x.py --ranks 9',
  ],
  [['allreduce', '--label', "it's"], { root: '0' }, "collbench allreduce --label 'it'\\''s' --root 0"],
];
test('words are replaced in place, also in lists and after "=", but not those of another program', () => {
  const retype = retypeCommand(['train', '--algoo=ring', '--transport', 'shm,sokcet', '--', 'x', '--algoo']);
  assert.equal(
    retype({ rename: { '--algoo': '--algo', sokcet: 'socket' } }),
    'collbench train --algo=ring --transport shm,socket -- x --algoo',
  );
  assert.equal(retype({ rename: { tere: 'tree' } }), null, 'the word came from a file');
});

for (const [typed, change, shown] of cases)
  test(`${typed.join(' ')} with ${JSON.stringify(change)}`, () =>
    assert.equal(retypeCommand(typed)({ change }), shown));

test('another command keeps options of the typed one, with their values', () => {
  const retype = retypeCommand(['history', 'put', '--root', 'all nights', '--since=3d', '--json']);
  const [words, other] = [['runs'], ['site', 'my site']];
  assert.equal(retype({ words, keep: ['root'] }), "collbench runs --root 'all nights'");
  assert.equal(retype({ words: other, keep: ['since', 'by'] }), "collbench site 'my site' --since=3d");
});
