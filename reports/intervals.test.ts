// Every surface shows the same interval: terminal, report and exports print the stored one. A figure without an interval is
// compared nowhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BisectionSession } from '../results/bisect/session.ts';
import { compareRuns } from '../results/compare/compare-runs.ts';
import { gateOf } from '../results/compare/gate.ts';
import { deriveCell, refineIntervals } from '../results/derive/index.ts';
import { cellsToCsv } from '../results/export/csv.ts';
import { intervalText } from '../results/judge/verdict-text.ts';
import { allMeasuredFigures, type CellRecord, measuredOf } from '../results/schema/index.ts';
import { figureAt as figureAtColumn, pointsAt } from '../results/store/run-index/figures.ts';
import { lineOf } from '../results/store/run-index/line.ts';
import { testBisection } from '../results/testing/bisection.ts';
import { seededNormal, testBlock } from '../results/testing/block.ts';
import { testPlan, testPoint, testRecord } from '../results/testing/plan.ts';
import { endsText, plusMinus, plusMinusHalf, spreadText } from '../results/units.ts';
import { bisectionDocument } from './bisection/document.ts';
import { terminalText } from './document/terminal.ts';
import { buildPage } from './html/page.ts';
import { runMarkdown } from './run-markdown.ts';
import { columnSpread } from './terminal/figures.ts';
import { createTable } from './terminal/table.ts';
import { formatPercent, halfWidth } from './wording.ts';

const sizes = [8, 64, 512, 1024, 4096, 8192];
const stalledSize = 64;

/** Returns a noisy run with one size at which one launch of three is stalled for most samples. */
function made(id: string, seed: number, factor = 1) {
  const normal = seededNormal(seed);
  const points = sizes.map((bytes) => testPoint({ count: bytes / 4 }));
  const base = testPlan({ points });
  const plan = { ...base, sampling: { ...base.sampling, launches: 3 } };
  const cells = refineIntervals(
    sizes.map((bytes, point) => {
      const blocks = [0, 1, 2].map((launch) => {
        const level = factor * 10_000 * Math.exp(0.01 * normal());
        const isStalled = bytes === stalledSize && launch === 1;
        const ns = Array.from({ length: 60 }, (_, i) =>
          Math.round(level * Math.exp(0.03 * normal()) * (isStalled && i > 20 ? 1000 : 1)),
        );
        return testBlock(ns, { point, launch, block: launch });
      });
      const cell = deriveCell(plan, point, 0, blocks);
      const evidence = { verdict: 'confirmed' as const, reason: 'decreed' };
      return cell.status === 'ok' ? { ...cell, evidence } : cell;
    }),
  );
  return { dir: '', warnings: [], record: testRecord({ id, plan }), cells };
}

const run = made('aaaaaa', 5);
const figureAt = (cells: readonly CellRecord[], bytes: number) => {
  const found = measuredOf(cells[sizes.indexOf(bytes)], 'latency');
  assert.ok(found !== null);
  return found;
};
const reason = figureAt(run.cells, stalledSize).intervalReason ?? '';

test('a launch of stalls leaves one size without an interval, and the others have theirs', () => {
  for (const bytes of sizes) {
    const { interval, intervalReason } = figureAt(run.cells, bytes);
    assert.equal(interval === null, bytes === stalledSize);
    assert.equal(intervalReason !== null, bytes === stalledSize);
  }
  assert.match(reason, /^medians of 3 launches \(.* to .*\) too far apart: the interval would span/);
});

test('terminal, Markdown and CSV say the interval that is stored, or its reason', () => {
  const { plan, id } = run.record;
  const table = createTable({ plan, columns: 200, color: false, runId: id });
  const text = plan.points
    .map((_, i) =>
      table.row(
        i,
        run.cells.filter((c) => c.point === i),
      ),
    )
    .join('');
  const foot = table.foot({ cells: run.cells, elapsedS: 1, reportPath: null });
  assert.ok(
    /no interval for \d+ values?: /.test(foot) && foot.replaceAll(/\s+/g, ' ').includes(reason),
    foot,
  );
  const markdown = runMarkdown(run);
  const [head = '', ...rows] = cellsToCsv(run.cells).trim().split('\n');
  const columnAt = (name: string) => head.split(',').indexOf(name);
  for (const bytes of sizes) {
    const { value, interval } = figureAt(run.cells, bytes);
    const shown = text
      .split('\n')
      .find((row) => row.trim().split(/\s+/)[0] === (bytes < 1024 ? `${bytes}` : `${bytes / 1024}K`));
    const row =
      rows
        .filter((one) => one.includes('latency') || rows.length === sizes.length)
        [sizes.indexOf(bytes)]?.split(',') ?? [];
    assert.equal(row[columnAt('interval_low_ns')], interval === null ? '' : String(interval.low));
    assert.equal(row[columnAt('interval_high_ns')], interval === null ? '' : String(interval.high));
    if (interval === null) {
      assert.match(shown ?? '', / - /);
      continue;
    }
    assert.ok(shown?.includes(formatPercent(halfWidth(value, interval))), shown);
    assert.ok(markdown.includes(`| ${spreadText(value, interval)} |`), markdown);
  }
});

test('a wide interval is printed from its low to its high end, never as more than ±50 %', () => {
  assert.equal(plusMinus(100, { low: 97, high: 103 }), '±3.0 %');
  assert.equal(plusMinus(100, { low: 40, high: 260 }), 'x0.4-2.6');
  assert.equal(plusMinusHalf(0.021), '±2.1 %');
  assert.equal(plusMinusHalf(1.11), 'x0.4-2.6');
  for (const high of [1.7, 2.6, 9.9, 9.96, 28, 130, 5000]) {
    for (const low of [0.0001, 0.02, 0.3, 0.96]) {
      const text = columnSpread(100, { low: 100 * low, high: 100 * high });
      const isKnown = low >= 0.1 || high <= 10;
      assert.ok(text.length <= 7 && (high - low <= 1 || text.startsWith(isKnown ? 'x' : 'unknown')), text);
    }
  }
});

test('an end that is ten times the value or more is not printed: after few pairs it says nothing', () => {
  const rounded = (end: number) => end.toFixed(2);
  const textOf = (low: number | null, high: number | null) => endsText(1.62, { low, high }, rounded);
  assert.equal(textOf(1.54, 1.7), '1.54 to 1.70');
  assert.equal(textOf(1.54, 1539), 'at least 1.54');
  assert.equal(textOf(1.54, null), 'at least 1.54');
  assert.equal(textOf(0.001, 1.7), 'at most 1.70');
  assert.equal(textOf(0.001, 1539), 'not yet known');
  assert.equal(textOf(null, null), 'not yet known');
  const observed = [1.58, 1.66] as const;
  const changeOf = (low: number | null, high: number | null) =>
    intervalText({ ratio: 1.62, low, high, observed });
  assert.equal(changeOf(1.54, 1.7), '+62.0 % [+54.0, +70.0]');
  assert.equal(changeOf(1.54, 1539), '+62.0 % [at least +54.0]');
  assert.equal(changeOf(0.0001, 1539), '+62.0 % (+58.0 to +66.0)');
  assert.equal(spreadText(10, { low: 0.001, high: 15_390 }), 'unknown');
  assert.equal(plusMinus(10, { low: 0.001, high: 15_390 }), 'unknown');
  assert.equal(plusMinus(10, { low: 10, high: 10.001 }), '±<0.1 %');
});

test('a bisection prints the open interval of a change after few pairs', () => {
  const session = new BisectionSession(testBisection(2, { maxPairs: 6 }));
  for (let pair = 0; session.question !== null && pair < 5; pair += 1) session.add(0.5, 1);
  const [probe] = session.record.probes;
  assert.ok(
    probe !== undefined && (probe.high ?? Number.POSITIVE_INFINITY) > 10 * probe.ratio,
    probe?.verdict ?? '',
  );
  const text = terminalText(bisectionDocument(session.record, null), { columns: 120, color: false });
  assert.match(text, / 1\.65 +(at least \d\.\d\d|not yet known) /);
  assert.doesNotMatch(text, /\d{3}\.\d\d/);
});

test('terminal, report, Markdown and figures print a wide interval in the same way', async () => {
  const wide = {
    ...run,
    cells: run.cells.map(
      (cell): CellRecord =>
        cell.status === 'ok'
          ? {
              ...cell,
              figures: cell.figures.map((figure) =>
                figure.kind === 'measured' && figure.interval !== null
                  ? {
                      ...figure,
                      interval: { ...figure.interval, low: figure.value * 0.6, high: figure.value * 1.9 },
                    }
                  : figure,
              ),
            }
          : cell,
    ),
  };
  const { plan, id } = wide.record;
  const table = createTable({ plan, columns: 200, color: false, runId: id });
  const rows = plan.points.map((_, i) =>
    table.row(
      i,
      wide.cells.filter((c) => c.point === i),
    ),
  );
  const texts = {
    terminal: rows.join(''),
    foot: table.foot({ cells: wide.cells, elapsedS: 1, reportPath: null }),
    markdown: runMarkdown(wide),
    report: (await buildPage([wide])).html,
  };
  for (const [surface, text] of Object.entries(texts)) {
    assert.doesNotMatch(text, /±\s?(?:[5-9]\d|\d{3,}) ?%|half width \d{3}/, surface);
    assert.match(text, /x0?\.\d-\d/, surface);
  }
});

test('compare and gate give no verdict on what is shown without an interval, for the same reason', () => {
  const comparison = compareRuns([run, made('bbbbbb', 6, 1.5)]);
  const [pair] = comparison.pairs;
  const open = pair?.cells.find(({ x }) => x === stalledSize)?.change;
  assert.equal(open?.verdict, 'not-enough-data');
  assert.deepEqual([open?.low, open?.high, open?.reason], [null, null, `the base: ${reason}`]);
  assert.equal(pair?.cells.filter(({ change }) => change.verdict === 'slower').length, sizes.length - 1);
  assert.equal(pair?.groups[0]?.change.verdict, 'slower', 'the others speak for the range');
  const alone = compareRuns([
    { ...run, cells: [run.cells[1] as CellRecord] },
    { ...run, cells: [run.cells[1] as CellRecord] },
  ]);
  const { outcome, reasons } = gateOf(alone, { failOn: 'slower', visible: 0.1 });
  assert.equal(outcome, 'no-verdict');
  assert.ok(reasons.some((one) => one.includes(reason)));
});

test('no difference is known better than the samples of both sides allow', () => {
  const [pair] = compareRuns([run, made('bbbbbb', 6)]).pairs;
  for (const { x, change } of pair?.cells ?? []) {
    if (change.low === null || change.high === null) continue;
    const own = figureAt(run.cells, x).samplesAlone;
    assert.ok(own !== undefined);
    assert.ok(Math.log(change.high / change.low) >= Math.log(own.high / own.low));
  }
});

test('a history names it, and its figure is of the others', () => {
  const { line, set } = lineOf({ ...run, stamp: { bytes: 0, mtimeMs: 0 } }, 'x');
  assert.deepEqual(
    set.columns.map(({ figure, xs }) => [figure, xs]),
    [['latency', sizes]],
  );
  assert.deepEqual(
    sizes.filter((_, i) => pointsAt(line.points, 0, sizes.length)[i] === null),
    [stalledSize],
  );
  const others = sizes.filter((bytes) => bytes !== stalledSize).map((bytes) => figureAt(run.cells, bytes));
  const logs = others.flatMap(({ launchValues }) => launchValues.map(Math.log));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  assert.ok(Math.abs((figureAtColumn(line.figures, 0)?.log ?? 0) - mean) < 1e-5);
  assert.equal(
    run.cells.flatMap((cell) => (cell.status === 'ok' ? allMeasuredFigures(cell) : [])).length,
    sizes.length,
  );
});
