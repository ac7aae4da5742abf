// Checks that a command without --budget ends within two minutes or prints why not. Sizes and launches that the command line
// names are never left out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RunPlan, runPlan } from '../../results/schema/plan.ts';
import { estimateMinS, estimateRunS } from '../../suites/sampler/estimate.ts';
import { run } from './harness.ts';

interface PlanWithNote {
  plan: RunPlan;
  note: string;
}

async function plannedBy(line: string): Promise<PlanWithNote> {
  const { code, stdout, stderr } = await run([...line.split(' '), '--plan-only', '--json']);
  assert.equal(code, 0, `${line}\n${stderr}`);
  return { plan: runPlan.parse(JSON.parse(stdout)), note: stderr };
}

const sizesOf = ({ points }: RunPlan): number[] =>
  [...new Set(points.map(({ requestedX }) => requestedX ?? 0))].sort((a, b) => a - b);

/** Estimated seconds of a run on an idle machine. */
const secondsOf = (plan: RunPlan): number => Math.max(estimateRunS(plan), estimateMinS(plan));

/** Command lines, each with the note that it prints; null if it chooses nothing. */
const withinTwoMinutes: [line: string, note: RegExp | null][] = [
  ['allreduce', null],
  ['allreduce --min 8 --max 1G --transport socket,sisci', null],
  ['alltoall --ranks 4', null],
  ['put', null],
  ['stencil', null],
  ['kv', null],
  ['replay resnet50', null],
  [
    'put --window 1,64 --direction uni,bi --transport socket,shm,sisci',
    /^collbench: chose --max \w+ to end within 2 min; --max 16M takes about \d+ min/m,
  ],
  ['get --window 1,16,64', null],
  ['allreduce --dtype all --op all', /chose --(factor|max) .* takes about/],
  [
    'allreduce --dtype all --op all --beside compute --max 16M',
    /chose --factor \d+ to end .*; --factor 2 takes about/,
  ],
  [
    'allreduce -b 8 -e 1G -f 2 -n 20',
    /chose --launches 1 --warmup 1 to end within 2 min; --launches 3 --warmup 5 takes/,
  ],
  ['allreduce -b 8 -e 256M -f 2 -n 20', null],
  [
    'allreduce -b 8 -e 512M -f 2 -n 20',
    /chose --launches [12] to end within 2 min; --launches 3 takes about/,
  ],
  ['allreduce --precision off', null],
];

for (const [line, note] of withinTwoMinutes)
  test(`${line} ends within two minutes`, async () => {
    const planned = await plannedBy(line);
    assert.ok(secondsOf(planned.plan) <= 120, `${secondsOf(planned.plan)} s`);
    assert.ok((planned.plan.sampling.adaptive?.budgetS ?? 0) <= 120);
    if (note !== null) assert.match(planned.note, note);
    else assert.doesNotMatch(planned.note, /chose/);
  });

test('the rest that a note names can be asked for', async () => {
  const line = 'put --window 1,64 --direction uni,bi --transport socket,shm,sisci';
  const { plan, note } = await plannedBy(line);
  assert.ok(Math.max(...sizesOf(plan)) < 2 ** 24);
  const [, rest = ''] = /within 2 min; (.*) takes/.exec(note) ?? [];
  assert.equal(Math.max(...sizesOf((await plannedBy(`${line} ${rest}`)).plan)), 2 ** 24);
});

test('messages between two ranks end at 16 MiB, collectives at 64 MiB, unless the command line says more', async () => {
  const largest = async (line: string) => Math.max(...sizesOf((await plannedBy(line)).plan));
  for (const command of ['pingpong', 'put', 'get', 'exchange', 'incast'])
    assert.equal(await largest(command), 2 ** 24, command);
  assert.equal(await largest('get --max 64M'), 2 ** 26);
  assert.equal(await largest('allreduce'), 2 ** 26);
});

test('sizes and launches that the command line names are kept, and the time is announced', async () => {
  const named = await plannedBy('put --window 1,64 --direction uni,bi --min 8 --max 64M --factor 2');
  assert.equal(sizesOf(named.plan).length, 24);
  assert.match(named.note, /one launch of 96 configurations takes about .*; --budget \w+ has \d launches/);
  const ofFour = await plannedBy('put --window 1,64 --direction uni,bi --max 64M --factor 2 --launches 4');
  assert.equal(ofFour.plan.sampling.launches, 4);
  assert.match(ofFour.note, /4 launches of 96 configurations: the time budget is .*; --budget sets a limit/);
  const samples = await plannedBy('allreduce -b 8 -e 1G -f 2 -n 100 --warmup 7');
  const { launches, warmup, iterations } = samples.plan.sampling;
  assert.deepEqual([launches, warmup, iterations, sizesOf(samples.plan).length], [1, 7, 100, 28]);
  assert.match(samples.note, /28 configurations with these samples take about/);
});
