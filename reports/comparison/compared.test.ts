import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrate } from '../../results/compare/calibrate.ts';
import { compareRuns } from '../../results/compare/compare-runs.ts';
import type { RunRecord } from '../../results/schema/index.ts';
import { syntheticRecord } from '../../results/testing/run.ts';
import { calibrationText } from './calibration.ts';
import { comparisonMarkdown, comparisonPage, comparisonText } from './document.ts';

const base = syntheticRecord({ seed: 1 });
const slow = syntheticRecord({ id: 'bbbbbb', seed: 2, factor: (bytes) => (bytes >= 2 ** 22 ? 1.06 : 1) });
const text = (columns = 80, runs = [base, slow]) =>
  comparisonText(compareRuns(runs), { columns, color: false, all: false });

test('the terminal names regime, sizes, interval and verdict, and ends in a sentence', () => {
  const shown = text();
  assert.match(shown, /^base {2}aaaaaa {2}2026-11-21 01:00 {2}5 launches/);
  assert.match(shown, /^8 B - 32 KiB +[+-]0\.\d % \[-\d\.\d, \+\d\.\d\] +same +isolated +\d\.\d %$/m);
  assert.match(shown, /^4 MiB - 64 MiB +\+\d\.\d % \[\+\d\.\d, \+\d\.\d\] +slower +pipelined +\d\.\d %$/m);
  assert.match(shown, /^ {2}16 MiB +\+\d\.\d % .*slower +\d\.\d\d ms +\d\.\d\d ms$/m);
  assert.doesNotMatch(shown, /^ {2}4 KiB/m, 'sizes that did not change are details');
  assert.match(shown, /^smallest detectable change: \d\.\d % \(large\)/m);
  assert.match(shown, /^bbbbbb is slower in 1 of 3 size ranges, allreduce over socket from 4 MiB/m);
  assert.match(shown, /No recorded setting of bbbbbb differs\./);
});

test('no line is longer than the terminal, from 40 columns on', () => {
  const third = syntheticRecord({ id: 'cccccc', seed: 5, sd: 0.05 });
  for (const columns of [20, 40, 60, 79, 80, 100, 160]) {
    for (const runs of [
      [base, slow],
      [base, slow, third],
      [base, slow, third, slow, third, slow],
    ]) {
      for (const line of text(columns, runs).split('\n')) {
        assert.ok(line.length <= Math.max(40, columns), `${columns}: ${line}`);
      }
    }
  }
});

test('several runs: a row each, one below the other for each size range', () => {
  const shown = text(80, [base, slow, syntheticRecord({ id: 'cccccc', seed: 5, factor: () => 0.5 })]);
  assert.match(
    shown,
    /^4 MiB - 64 MiB +bbbbbb +\+\d\.\d % .* slower .*\n4 MiB - 64 MiB +cccccc +-\d+\.\d % .* faster /m,
  );
});

test('a run that did not come to its end says how it ended', () => {
  const failed = { ...slow, record: { ...slow.record, state: 'failed' as const } };
  assert.match(
    text(120, [base, failed]),
    /^with {2}bbbbbb {2}2026-11-21 01:00 {2}5 launches, it failed {2}/m,
  );
});

test('one launch: says what to type', () => {
  const shown = text(80, [syntheticRecord({ launches: 1 }), syntheticRecord({ id: 'bbbbbb', launches: 1 })]);
  assert.match(shown, /measure aaaaaa and bbbbbb again with --launches 5/);
  assert.match(shown, /no verdict/);
});

test('many size ranges without a verdict are one line with the reason, in text, Markdown and page', async () => {
  const { transports } = syntheticRecord().record.plan;
  const several = ['socket', 'sisci'].map((name) => ({ ...(transports[0] as (typeof transports)[0]), name }));
  const run = (id: string) => syntheticRecord({ id, launches: 1, transports: several });
  const comparison = compareRuns([run('aaaaaa'), run('bbbbbb')]);
  const line =
    /no verdict in 6 of 6 size ranges \(0\.0 % time\): scatter between launches needs two launches/;
  const short = comparisonText(comparison, { columns: 200, color: false, all: false });
  assert.match(short, new RegExp(`^${line.source}.*\\(--all lists them\\)$`, 'm'));
  assert.doesNotMatch(short, /4 MiB - 64 MiB/);
  assert.match(comparisonText(comparison, { columns: 200, color: false, all: true }), /4 MiB - 64 MiB/);
  const details = new RegExp(`<details><summary>${line.source}`);
  assert.match(comparisonMarkdown(comparison), details);
  assert.match(await comparisonPage(comparison), details);
});

const hostile = '<script>alert(1)</script>|`x`\u001b[31m @everyone [a](https://evil.example) **b**\nnext';
const hostileRun = (): { record: RunRecord; cells: typeof slow.cells } => ({
  record: {
    ...slow.record,
    title: hostile,
    environment: { [hostile]: hostile },
    versions: { ...slow.record.versions, nccl: hostile },
  },
  cells: slow.cells.map((cell) => ({ ...cell, transport: hostile })),
});
const hostileComparison = () => compareRuns([{ ...base, cells: hostileRun().cells }, hostileRun()]);

test('Markdown: tables, verdict in the head, settings folded', () => {
  const shown = comparisonMarkdown(compareRuns([base, slow]));
  assert.match(shown, /^### collbench: bbbbbb is slower in 1 of 3 size ranges/);
  assert.match(shown, /^\| 🔴 slower \| .* \| 4 MiB - 64 MiB \| \+\d\.\d % /m);
  assert.match(shown, /<details><summary>Sizes<\/summary>/);
});

test('Markdown: text of machines is text', () => {
  const shown = comparisonMarkdown(hostileComparison());
  for (const bad of ['<script', '@everyone', '](', '**b', '`', 'https://', '\u001b']) {
    assert.ok(!shown.includes(bad), bad);
  }
  const rows = shown.split('\n').filter((line) => line.startsWith('|'));
  assert.ok(
    rows.every((row) => [6, 8].includes(row.split('|').length)),
    'no cell of its own',
  );
});

test('the page stands alone, under its own policy, and shows text', async () => {
  const page = await comparisonPage(hostileComparison());
  assert.ok(page.includes('Content-Security-Policy'));
  assert.ok(!page.includes('<script>alert'));
  assert.ok(!page.includes('href="figures/'), 'no files beside it');
  assert.ok(!/(src|href)="https?:/.test(page));
  assert.ok(!/ style="/.test(page));
  const plain = await comparisonPage(compareRuns([base, slow]));
  assert.equal(plain.match(/<figure/g)?.length, 2, 'isolated and pipelined, never in one chart');
  assert.ok(plain.includes('equally fast'));
  assert.ok(plain.includes('ratio of times'));
});

test('the terminal obeys nothing that a machine says', () => {
  const shown = comparisonText(hostileComparison(), { columns: 80, color: false, all: true });
  assert.ok(!shown.includes('\u001b'));
  assert.ok(!shown.includes('\nnext'));
});

test('equal runs: alarms, scatter and what would have been seen, by group; narrow screens too', () => {
  const pair = (seed: number) =>
    [syntheticRecord({ seed, sd: 0.02 }), syntheticRecord({ seed: seed + 1, sd: 0.02 })] as const;
  const found = calibrate([pair(10), pair(20)]);
  const shown = calibrationText(found, { columns: 80, color: false });
  assert.match(shown, /^size +alarms +launches ± +one size ± +detectable$/m);
  assert.match(shown, /^8 B - 32 KiB +0\/2 +0\.\d % +\d\.\d % +\d\.\d %$/m);
  assert.match(shown, /^2 pairs of equal runs: 0 of 6 size ranges and 0 of 22 sizes were called changed/m);
  for (const columns of [40, 60]) {
    const lines = calibrationText(found, { columns, color: false }).split('\n');
    assert.ok(lines.every((line) => line.length <= columns));
  }
});
