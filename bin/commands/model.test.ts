import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../results/package.ts';

const command = path.join(packageRoot, 'bin', 'collbench');
const run = path.join(packageRoot, 'results', 'reference', 'nccl-2-h200');
const call = (...words: string[]) => spawnSync(command, ['model', ...words], { encoding: 'utf8' });

test('a recorded run on two GPUs: its figures, its lines, and where NCCL changed its protocol', () => {
  const { status, stdout } = call(run);
  assert.equal(status, 0);
  assert.match(stdout, /^Model, not measured\.$/m);
  assert.match(stdout, /^model of p2p: latency 6\.\d+ [uµ]s, saturation at 3\d\d GB\/s/m);
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

test('steps of jobs: computations and collectives beside one another, and what the run does not know', () => {
  const { status, stdout } = call(run, '--step', 'resnet50,llama3-8b-train-fsdp');
  assert.equal(status, 0);
  assert.match(stdout, /^step of resnet50 \(PyTorch 2\.11 DDP/m);
  assert.match(stdout, /computations alone 18\.7 ms/);
  assert.match(stdout, /^p2p +1[89]\.\d ms/m);
  assert.match(stdout, /left out, because the run has not measured them: broadcast/);
  assert.match(stdout, /no prediction: the run has none of its collectives/);
  const steps = call(run, '--step', 'resnet50', '--json').stdout.trim().split('\n');
  const found = steps.map((text) => JSON.parse(text) as { transport: string; predicted: { stepNs: number } });
  const of = (name: string) => found.find(({ transport }) => transport === name)?.predicted.stepNs ?? 0;
  assert.ok(of('p2p') < of('sisci') && of('sisci') < of('socket'));
  assert.match(call(run, '--step', 'moon').stderr, /--step moon: 'moon' is no job of collbench/);
});

test('a predicted step beside the measured one: errors, changes, and where they come from', () => {
  const { status, stdout } = call(run, '--step', 'resnet50', '--measured', 'p2p=21900µs,socket=44.2ms');
  assert.equal(status, 0);
  assert.match(stdout, /^p2p +18\.7 ms +0\.0 % +21\.9 ms +- +-1\d % +over 10 %$/m);
  assert.match(stdout, /^socket +3\d\.\d ms +\d\.\d % +44\.2 ms +- +-2\d % +over 10 %$/m);
  assert.match(
    stdout,
    /^change from p2p +predicted +measured +error\nsocket +\+1\d\.\d ms +\+22\.3 ms +-\d\d % +over 15 %$/m,
  );
  assert.match(stdout, /over every transport the prediction is 3\.\d+ ms too short: computation of/);
  assert.match(stdout, /^predicted, not measured: sisci$/m);
  assert.ok(stdout.split('\n').every((line) => line.length <= 80));
  const { type, steps } = JSON.parse(
    call(run, '--step', 'resnet50', '--measured', 'p2p=19ms', '--json').stdout,
  ) as { type: string; steps: { isWithin: boolean }[] };
  assert.deepEqual([type, steps.map(({ isWithin }) => isWithin)], ['step-check', [true]]);
});

test('recorded on two H100: replayed steps beside trained ones, and what differs between both runs', () => {
  const reference = (name: string) => path.join(packageRoot, 'results', 'reference', name);
  const { status, stdout } = call(reference('replay-2-h100'), '--measured', reference('train-2-h100'));
  assert.equal(status, 0);
  const verdicts = stdout.match(/within 10 %|over 10 %/g) ?? [];
  assert.deepEqual([verdicts.length, verdicts.filter((one) => one.startsWith('over')).length], [11, 1]);
  assert.match(stdout, /^p2p +62\.3 ms +0\.\d % +74\.2 ms +28 % +-16 % +intervals overlap$/m);
  assert.match(
    stdout,
    /^socket was disturbed: predicted step \(retransmits\), measured step \(retransmits\)$/m,
  );
  assert.match(stdout, /^from the predicting to the measured run: [\s\S]* CPUs of a rank 10 -> 32$/m);
  assert.ok(stdout.split('\n').every((line) => line.length <= 80));
});

test('measured steps that are none, or of no job that is predicted, are refused', () => {
  assert.match(
    call(run, '--step', 'resnet50', '--measured', 'p2p=21').stderr,
    /'p2p=21' is no TRANSPORT=TIME/,
  );
  const ended = call(run, '--measured', 'p2p=21ms');
  assert.equal(ended.status, 1);
  assert.match(ended.stderr, /no step is both predicted and measured[\s\S]*--step/);
});
