// Real runs, some of them over a link so much slower that no other load of the machine can hide it: it is called slower, by name.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { calibration, comparison } from '../../results/schema/index.ts';
import { inFolder, run } from './harness.ts';

const measure = (folder: string, factor: number, launches: number) =>
  run(
    [
      ...['allreduce', '--sizes', '8,64K', '--launches', `${launches}`, '--iters', '4'],
      ...['--transport', 'sisci', '--out', path.join(folder, `runs/${factor}-${launches}`), '--link'],
      `custom:gbps=4,dma-start-us=${40 * factor},pio-write-us=${40 * factor},pio-read-us=${40 * factor}`,
    ],
    { cwd: folder },
  );

test('a slower link is called slower, by series and size; a run is no slower than itself', async () => {
  await inFolder(async (folder) => {
    for (const [factor, launches] of [
      [1, 4],
      [100, 4],
      [100, 1],
    ] as const) {
      const measured = await measure(folder, factor, launches);
      assert.equal(measured.code, 0, measured.stderr);
    }
    const compare = (...words: string[]) => run(['compare', ...words], { cwd: path.join(folder, 'runs') });

    const slower = await compare('1-4', '100-4', '--fail-on', 'slower', '--html', 'page.html');
    assert.equal(slower.code, 4, slower.stdout + slower.stderr);
    assert.match(slower.stderr, /^REGRESSION \(/m);
    assert.match(slower.stdout, /^allreduce float32 sum, cpu over sisci \(emulated\), 2 ranks$/m);
    assert.match(slower.stdout, /^8 B +x\d.* slower/m);
    assert.match(slower.stdout, /sisci link custom:gbps=4,\S+=40 ->\s+custom:gbps=4,\S+=4000/);
    assert.match(slower.stdout, /is slower in .* over sisci/);
    assert.match(await readFile(path.join(folder, 'runs/page.html'), 'utf8'), /<figure/);

    const json = await compare('1-4', '100-4', '1-4', '--json');
    assert.equal(json.code, 0);
    const found = comparison.parse(JSON.parse(json.stdout));
    assert.equal(found.pairs[0]?.verdict, 'slower');
    assert.ok(['same', 'not-enough-data'].includes(found.pairs[1]?.verdict ?? ''));

    const markdown = await compare('100-1', '100-4', '--markdown', '--fail-on', 'slower');
    assert.equal(markdown.code, 5, 'the first has one launch');
    assert.match(markdown.stderr, /^NO VERDICT .*two launches/m);
    assert.match(markdown.stdout, /^### collbench: /);
  });
});

test('what cannot be compared is one clear error', async () => {
  await inFolder(async (folder) => {
    for (const [words, pattern] of [
      [['compare', 'one'], /compare needs two runs, got 1[\s\S]*compare last~1 last/],
      [['compare', 'last~1', 'last'], /there are 0 runs in/],
      [['compare', 'a', 'b', '--threshold', '0'], /--threshold 0: not above 0\n {2}allowed: above 0/],
      [['compare', 'a', 'b', '--allow', 'some'], /--allow some[\s\S]*medium, method/],
      [['compare', 'a', 'b', '--json', '--markdown'], /two formats/],
      [['compare', 'a', 'b', '--visible', '5%'], /--visible says nothing without --fail-on/],
    ] as const) {
      const { code, stderr } = await run([...words], { cwd: folder });
      assert.equal(code, 1);
      assert.match(stderr, pattern);
    }
  });
});

test('aa: pairs of equal runs, kept, and what they say of the machine', async () => {
  await inFolder(async (folder) => {
    const words = ['aa', 'allreduce', '--sizes', '8,64K', '--launches', '2', '--iters', '4', '--rounds', '2'];
    const { code, stdout, stderr } = await run([...words, '--transport', 'sisci', '--json'], { cwd: folder });
    assert.equal(code, 0, stderr);
    const found = calibration.parse(JSON.parse(stdout));
    assert.equal(found.groups.tests, 4, 'two regimes, two pairs');
    assert.equal(found.launches, 2);
    const [first, second] = found.runs;
    const again = await run(['compare', first?.[0] ?? '', first?.[1] ?? '', '--json'], { cwd: folder });
    assert.equal(comparison.parse(JSON.parse(again.stdout)).pairs[0]?.groups.length, 2);
    const starts = await Promise.all(
      [...(first ?? []), ...(second ?? [])].map(async (id) => {
        const { stdout: shown } = await run(['show', id, '--json'], { cwd: folder });
        return JSON.parse(shown.trim().split('\n').at(-1) ?? '').startedAt as string;
      }),
    );
    const order = [0, 1, 2, 3].sort((a, b) => (starts[a] as string).localeCompare(starts[b] as string));
    assert.deepEqual(order, [0, 1, 3, 2], 'A B, then B A');
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
