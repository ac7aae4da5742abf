import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../results/package.ts';

const command = path.join(packageRoot, 'bin', 'collbench');
const reference = (name: string) => path.join(packageRoot, 'results', 'reference', name);
const call = (...words: string[]) => spawnSync(command, ['link', ...words], { encoding: 'utf8' });

test('a recorded run on two GPUs: one transport has a model, the times of the others follow none', () => {
  const { status, stdout, stderr } = call('fit', reference('nccl-2-h200'));
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^p2p, nccl engine, as softmlx5 models it: allreduce/);
  assert.match(stdout, /^bandwidth +2\d\d GB\/s +\d+ to \d+$/m);
  assert.match(stdout, /The steps of p2p are not known: each message counts as one write\./);
  assert.match(stdout, /^--link custom:gbps=[\d.]+,latency-us=[\d.]+$/m);
  assert.match(stdout, /^Next: collbench pingpong --transport ibgda --medium emulated --link custom:/m);
  assert.doesNotMatch(stdout, /EMULATED/);
  assert.match(stderr, /no link model of socket: half of the sizes are off by more than \d+ %/);
});

test('the same for other programs', () => {
  const { stdout } = call('fit', reference('nccl-2-h200'), '--json');
  const found = JSON.parse(stdout) as {
    link: string;
    parameters: { name: string; value: number; interval: { low: number; high: number } }[];
    sizes: unknown[];
  };
  assert.match(found.link, /^custom:gbps=/);
  assert.equal(found.sizes.length, 28);
  for (const { value, interval } of found.parameters)
    assert.ok(interval.low < value && value < interval.high);
});

test('a run whose steps on the link are not known is refused with those that are', () => {
  const { status, stderr } = call('fit', reference('nccl-2-h200-four-channels'));
  assert.equal(status, 2);
  assert.match(stderr, /has no series whose steps on the link are known\n {2}measured: allreduce/);
  assert.match(stderr, /allowed: pingpong, put with --window 16 or more/);
});

test('a run that is not there, no run, another action', () => {
  for (const [words, message, exit] of [
    [['fit', '/nowhere'], /nowhere/, 2],
    [['fit'], /link fit needs a run\n {2}allowed: one run, or several/, 1],
    [['fot', 'x'], /link fot: no such action\n {2}did you mean fit\?/, 1],
    [
      ['fit', reference('nccl-2-h200'), '--unpaced', reference('nccl-2-h200')],
      /did not measure an emulation/,
      2,
    ],
  ] as const) {
    const { status, stderr } = call(...words);
    assert.match(stderr, message);
    assert.equal(status, exit);
  }
});
