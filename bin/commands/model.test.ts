import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../orchestration/build.ts';

const main = path.join(packageRoot, 'dist', 'bin', 'collbench.js');
const run = path.join(packageRoot, 'results', 'reference', 'nccl-2-h200');
const call = (...words: string[]) =>
  spawnSync(process.execPath, [main, 'model', ...words], { encoding: 'utf8' });

test('a recorded run on two GPUs: its figures, its lines, and where NCCL changed its protocol', () => {
  const { status, stdout } = call(run);
  assert.equal(status, 0);
  assert.match(stdout, /^All of this is model; nothing of it was measured\.$/m);
  assert.match(stdout, /^model of p2p: latency 6\.\d+ us, saturation at 3\d\d GB\/s/m);
  assert.match(stdout, /^ +2M +64M .* Ring\/LL to Ring\/Simple$/m);
  assert.match(stdout, /^no model of socket: the fit misses \S+ [KMG]?i?B by \d+ % \(limit 10 %\)/m);
});

test('more ranks are a range, marked as model; too many are refused with what to measure', () => {
  assert.match(call(run, '--predict', 'ranks=4').stdout, /size +from +to, 4 ranks\n +8 +\d/);
  assert.match(
    call(run, '--predict', 'ranks=16').stdout,
    /no prediction for 16 ranks:[\s\S]*? measure\s+with 4/,
  );
  const [first] = call(run, '--predict', 'ranks=4', '--json').stdout.split('\n');
  const { type, predicted } = JSON.parse(first ?? '') as {
    type: string;
    predicted: { at: { lowNs: number }[] };
  };
  assert.equal(type, 'model');
  assert.ok((predicted.at[0]?.lowNs ?? 0) > 1000);
});

test('a prediction that is none of a number of ranks is refused', () => {
  for (const word of ['16', 'ranks=1', 'ranks=x', 'nodes=4']) {
    const { status, stderr } = call(run, '--predict', word);
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`--predict ${word}: not a number of ranks\\n +allowed: ranks=N`));
  }
});
