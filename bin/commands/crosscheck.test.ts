import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../results/package.ts';
import { defaultsOf } from '../../suites/options/option.ts';
import { readLine } from '../line/read.ts';
import { crosscheck, crosscheckOptions } from './crosscheck.ts';

const command = path.join(packageRoot, 'bin', 'collbench');
const call = (...words: string[]) => spawnSync(command, ['crosscheck', ...words], { encoding: 'utf8' });

/** The parsed options of a command line, without running it. */
const understood = (...words: string[]) =>
  crosscheckOptions({ ...defaultsOf(crosscheck.options), ...readLine(crosscheck, words).values } as never);

test('nothing but the folder: the collectives every training job uses, 8 B to 1 GiB, all GPUs', () => {
  assert.deepEqual(understood('--nccl-tests', 'x'), {
    collectives: ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast'],
    ncclTests: 'x',
    min: 8,
    max: 2 ** 30,
    factor: 2,
    rounds: 8,
    gpus: null,
    nccl: null,
    mpirun: null,
    dtype: 'float32',
    op: 'sum',
    timeoutS: 300,
    out: null,
    json: false,
  });
});

test('letters of nccl-tests mean what they mean there', () => {
  const words = '--nccl-tests x -b 1K -e4M -f 4 -d half -o max --gpus 1,3 --rounds 2 --json reduce gather';
  const { collectives, min, max, factor, dtype, op, gpus, rounds, json } = understood(...words.split(' '));
  assert.deepEqual(
    { collectives, min, max, factor, dtype, op, gpus, rounds, json },
    {
      collectives: ['reduce', 'gather'],
      min: 1024,
      max: 4 * 2 ** 20,
      factor: 4,
      dtype: 'float16',
      op: 'max',
      gpus: [1, 3],
      rounds: 2,
      json: true,
    },
  );
});

test('several collectives, before or after the options', () => {
  const both = ['allreduce', 'alltoall'];
  assert.deepEqual(understood('--nccl-tests', 'x', ...both).collectives, both);
  assert.deepEqual(understood(...both, '--nccl-tests', 'x').collectives, both);
});

for (const [words, pattern] of [
  ['', /crosscheck needs --nccl-tests DIR/],
  ['--nccl-tests', /--nccl-tests needs a value/],
  ['alreduce --nccl-tests x', /did you mean allreduce\?/],
  ['alltoallv --nccl-tests x', /nothing to compare/],
  ['--nccl-tests x --factor 1.5', /--factor 1.5: not a whole number\n {2}allowed: a whole number from 2/],
  ['--nccl-tests x --rounds 0', /--rounds 0: less than 1/],
  ['--nccl-tests x --gpus 0,0', /named twice/],
  ['--nccl-tests x --min 0', /no sizes/],
  ['--nccl-tests x --min 1M --max 1K', /no sizes/],
  ['--nccl-tests x --dtype all', /one at a time/],
  ['--nccl-tests x --rounds 2 --rounds 3', /--rounds 2,3: given 2 times, but it takes one value/],
  ['--nccl-tests x --gpu 0', /did you mean --gpus\?/],
] as const) {
  test(`crosscheck ${words}: one clear error, exit 1`, () => {
    const { status, stdout, stderr } = call(...words.split(' ').filter(Boolean));
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
  });
}

test('a folder without nccl-tests is no mistake in the command: exit 2', () => {
  const { status, stderr } = call('--nccl-tests', '/nowhere');
  assert.equal(status, 2);
  assert.match(
    stderr,
    /no such folder[\s\S]*looked for \/nowhere\/build\/all_reduce_perf\n[\s\S]*allowed: a checkout/,
  );
});
