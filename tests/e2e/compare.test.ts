// Compares real runs over a fast and a slow link. Other load of the machine may hide any difference between them. So copies of
// a run with invented times are compared, too: one with steady launches, and a slower one.
import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readOptions } from '../../bin/line/read-options.ts';
import { calibration, comparison } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { run, withFolder } from './harness.ts';

const measure = (folder: string, name: string, linkUs: number, launches: number) =>
  run(
    [
      ...['allreduce', '--sizes', '8,64K', '--launches', `${launches}`, '--iters', '4'],
      ...['--transport', 'sisci', '--out', path.join(folder, name), '--link'],
      `custom:gbps=4,dma-start-us=${linkUs},pio-write-us=${linkUs},pio-read-us=${linkUs}`,
    ],
    { cwd: folder },
  );

/** Copies a run and replaces the values of its launches: `factor` x 100,000, rising by 0.05 % from launch to launch. */
async function decreed(folder: string, from: string, to: string, factor: number): Promise<void> {
  await cp(path.join(folder, from), path.join(folder, to), { recursive: true });
  const file = path.join(folder, to, 'cells.ndjson');
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const changed = lines.map((line) => {
    const cell = JSON.parse(line);
    for (const figure of cell.figures) {
      if (figure.kind !== 'measured') continue;
      // Launches with invented values have no samples.
      delete figure.samplesAlone;
      figure.launchValues = figure.launchValues.map((_: number, i: number) => factor * (1e5 + 50 * i));
    }
    return JSON.stringify(cell);
  });
  await writeFile(file, `${changed.join('\n')}\n`);
}

test('a slower run is called slower, by series and size, and never the same; a run is no slower than itself', async () => {
  await withFolder(async (folder) => {
    for (const [name, linkUs, launches] of [
      ['quick', 40, 3],
      ['slow', 4000, 3],
      ['single', 40, 1],
    ] as const) {
      const measured = await measure(folder, name, linkUs, launches);
      assert.equal(measured.code, 0, measured.stderr);
    }
    await decreed(folder, 'quick', 'steady', 1);
    await decreed(folder, 'quick', 'slower', 1.06);
    // Other tests run at the same time and may disturb the runs.
    const compare = (...words: string[]) =>
      run(['compare', ...words, '--allow', 'disturbed'], { cwd: folder });

    const slower = await compare('steady', 'slower', '--fail-on', 'slower', '--html', 'page.html');
    assert.equal(slower.code, 4, slower.stdout + slower.stderr);
    assert.match(slower.stderr, /^REGRESSION \(/m);
    assert.match(slower.stdout, /^allreduce float32 sum, cpu over sisci \(emulated\), 2 ranks$/m);
    assert.match(slower.stdout, /^8 B +\+6\.0 % \[\+[1-5]\.\d, \+\d+\.\d\] +slower/m);
    assert.match(slower.stdout, /is slower in all 2 size ranges, .* over sisci/);
    assert.match(await readFile(path.join(folder, 'page.html'), 'utf8'), /<figure/);

    const json = await compare('quick', 'slow', 'quick', '--json');
    assert.equal(json.code, 0);
    const [real, itself] = comparison.parse(JSON.parse(json.stdout)).pairs;
    assert.ok(['slower', 'unconfirmed', 'not-enough-data'].includes(real?.verdict ?? ''), real?.summary);
    assert.ok(real?.cells.every(({ change }) => change.verdict !== 'same' && change.verdict !== 'faster'));
    const link = real?.settings.find(({ name }) => name === 'sisci link');
    assert.match(link?.other ?? '', /dma-start-us=4000/);
    assert.ok(['same', 'not-enough-data'].includes(itself?.verdict ?? ''));

    const markdown = await compare('single', 'quick', '--markdown', '--fail-on', 'slower');
    assert.equal(markdown.code, 5, 'the first has one launch');
    assert.match(markdown.stderr, /^(NO VERDICT|NOT CONFIRMED) .*two launches/m);
    assert.match(markdown.stdout, /^### collbench: /);
  });
});

test('what cannot be compared is one clear error', async () => {
  await withFolder(async (folder) => {
    for (const [words, pattern, exit = 1] of [
      [['compare', 'one'], /compare needs two runs, got 1[\s\S]*last~1 and last[\s\S]*Next: collbench runs/],
      [['compare', 'last~1', 'last'], /there are no runs in/, 2],
      [['compare', 'a', 'b', '--threshold', '0'], /--threshold 0: not above 0\n {2}allowed: above 0/],
      [['compare', 'a', 'b', '--allow', 'some'], /--allow some[\s\S]*medium, method/],
      [['compare', 'a', 'b', '--json', '--markdown'], /two formats/],
      [['compare', 'a', 'b', '--visible', '5%'], /--visible has no effect without --fail-on/],
    ] as const) {
      const { code, stderr } = await run([...words], { cwd: folder });
      assert.equal(code, exit);
      assert.match(stderr, pattern);
    }
  });
});

test('aa: pairs of equal runs, kept, and what they say of the machine', async () => {
  await withFolder(async (folder) => {
    const words = [
      'aa',
      'allreduce',
      '--sizes',
      '8,64K',
      '--launches',
      '2',
      '--iters',
      '40',
      '--rounds',
      '2',
    ];
    const { code, stdout, stderr } = await run([...words, '--transport', 'sisci', '--json'], { cwd: folder });
    const found = calibration.parse(JSON.parse(stdout));
    // Exit code 5 is for no answer: the machine was so busy that no regime could be tested.
    assert.equal(code, found.groups.tests === 0 ? 5 : 0, stderr);
    assert.equal(found.launches, 2);
    const [first, second] = found.runs;
    const compared = await Promise.all(
      found.runs.map(async ([a, b]) => {
        const again = await run(['compare', a, b, '--allow', 'disturbed', '--json'], { cwd: folder });
        return comparison.parse(JSON.parse(again.stdout)).pairs[0]?.groups ?? [];
      }),
    );
    assert.deepEqual(
      compared.map(({ length }) => length),
      [2, 2],
      'two regimes, two pairs',
    );
    // On a busy machine a size may have no usable interval; its regime is shown with the reason, but not tested.
    const changes = compared.flat().map(({ change }) => change);
    const untested = changes.filter(({ p }) => p === null);
    assert.equal(found.groups.tests, changes.length - untested.length);
    for (const { doubt, reason } of untested) assert.equal(doubt, 'no-interval', reason ?? '');
    const starts = await Promise.all(
      [...(first ?? []), ...(second ?? [])].map(async (id) => {
        const { stdout: shown } = await run(['show', id, '--json'], { cwd: folder });
        return JSON.parse(shown.trim().split('\n').at(-1) ?? '').startedAt as string;
      }),
    );
    const order = [0, 1, 2, 3].sort((a, b) => (starts[a] as string).localeCompare(starts[b] as string));
    assert.deepEqual(order, [0, 1, 3, 2], 'A B, then B A');
    const { record } = await openRun(first?.[0] ?? '', path.join(folder, 'collbench-runs'));
    const { command } = record.plan;
    assert.deepEqual(command.slice(0, 3), ['collbench', 'allreduce', '--sizes=8,64K']);
    assert.ok(readOptions('allreduce', command.slice(2)), 'what a run stores as its command can be typed');
  });
});

for (const [words, pattern] of [
  [['aa'], /aa needs a collective/],
  [['aa', 'alreduce'], /aa alreduce: no such collective/],
  [['aa', 'allreduce', '--launches', '1'], /nothing can be compared[\s\S]*--launches 5/],
  [['aa', 'allreduce', '--plan-only'], /--plan-only is for a single run/],
] as const) {
  test(`${words.join(' ')}: one clear error`, async () => {
    const { code, stderr } = await run([...words]);
    assert.equal(code, 1);
    assert.match(stderr, pattern);
  });
}
