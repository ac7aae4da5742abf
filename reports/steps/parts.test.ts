import assert from 'node:assert/strict';
import { test } from 'node:test';
import pc from 'picocolors';
import { measuredOf, type OkCell, sideOf } from '../../results/schema/index.ts';
import type { ChartRow } from '../charts/chart.ts';
import { renderSvg } from '../charts/render.ts';
import { members } from '../fixtures/side-by-side.ts';
import { sisciPlan, slower } from '../fixtures/synthetic.ts';
import { controlpathRun, nullRun, replayRun, trainRun } from '../fixtures/workloads.ts';
import { buildPage } from '../html/page.ts';
import { groupsOf, isOk, type ReportRun, type SeriesGroup } from '../series.ts';
import { comparisonsOf } from '../series-comparison.ts';
import { steps } from './chart.ts';
import { coalescingGains } from './coalescing.ts';
import { countsOf, sideCountText } from './counts.ts';
import { partLines } from './document.ts';
import { partsSum } from './parts-sum.ts';
import { ratesOver } from './rates.ts';
import { partSentences } from './sentences.ts';
import { speedOrder } from './speed-order.ts';
import { partGroups } from './variants.ts';

const partOf = (run: ReportRun): SeriesGroup => {
  const [group, ...others] = partGroups(groupsOf([run]));
  assert.ok(group !== undefined && others.length === 0);
  return group;
};

const seriesOf = (group: SeriesGroup, name: string) => {
  const found = group.series.find((one) => one.name === name);
  assert.ok(found !== undefined, `${name} of ${group.series.map((one) => one.name)}`);
  return found;
};

/** Returns a run with the given latency and interval of each path at the smallest size. */
function decreed(times: Record<string, [low: number, ns: number, high: number] | null>): SeriesGroup {
  const run = controlpathRun({ sizes: [8] });
  const cells = run.cells.filter(isOk).map((cell): OkCell => {
    const time = times[String(cell.axes.path)];
    if (time === undefined) return cell;
    const figures = cell.figures.map((one) => {
      if (one.kind !== 'measured' || one.name !== 'latency') return one;
      if (time === null) return { ...one, interval: null, intervalReason: 'one launch' };
      const [low, value, high] = time;
      return { ...one, value, interval: { low, high, scope: 'launches' as const } };
    });
    return { ...cell, figures };
  });
  return partOf({ ...run, cells });
}

const levels = (group: SeriesGroup) =>
  speedOrder(group, 8).levels.map(({ members }) => members.map(({ series }) => series.name));

test('variants are named by their axes; one that does not apply is left out', () => {
  assert.deepEqual(
    partOf(controlpathRun()).series.map(({ name }) => name),
    ['host', 'stream', 'proxy', 'triggered by block', 'kernel'],
  );
  const [first] = partOf(controlpathRun({ batches: [1, 32] })).series;
  assert.equal(first?.name, 'host, batch 1');
});

test('counts: one row where they are the same at every size; the fewest and the most where operations differ', () => {
  const rows = countsOf(partOf(controlpathRun()));
  assert.deepEqual(
    rows.map(({ xs, counts }) => [xs, counts.map(sideCountText)]),
    [
      [
        [8, 4096],
        ['32', '32', '2', '2'],
      ],
      [
        [8, 4096],
        ['32', '32', '2', '1'],
      ],
      [
        [8, 4096],
        ['32', '32', '1', '2.50 (2 to 3)'],
      ],
      [
        [8, 4096],
        ['32', '32', '1', '1'],
      ],
      [
        [8, 4096],
        ['32', '32', '1', '1'],
      ],
    ],
  );
});

test('different work is not ordered; over several transports each has a table of its own', () => {
  const models = ['resnet50', 'efficientnet_b0'];
  const plain = (groups: SeriesGroup[]) => groups.filter(({ title }) => !title.includes('profiler'));
  const wide = plain(partGroups(groupsOf([trainRun(models, [8], [sisciPlan])])));
  assert.deepEqual(
    wide.map(({ title, series }) => [title, series.map(({ name }) => name)]),
    models.map((model) => [`train ${model} image 64`, ['socket', 'sisci']]),
  );
  const [beside, ...more] = plain(partGroups(groupsOf([trainRun(models, [8])])));
  assert.deepEqual([beside?.series.map(({ name }) => name), more], [models, []]);
  assert.doesNotMatch(partSentences(beside as SeriesGroup).join('\n'), /order|takes|no difference/);
});

test('steps under a profiler have parts, but nothing is compared', () => {
  const groups = groupsOf([trainRun(['resnet50'], [8], [sisciPlan])]);
  assert.deepEqual(
    groups.map((group) => [group.title.includes('profiler'), comparisonsOf(group).length]),
    [
      [false, 1],
      [true, 0],
    ],
  );
  const profiled = groups.find(({ title }) => title.includes('profiler')) as SeriesGroup;
  assert.doesNotMatch(partSentences(profiled).join('\n'), /order/);
});

test('an order is claimed only between intervals that do not overlap, of all before and all behind', () => {
  const apart = { stream: [70, 71, 72], triggered: [71, 72, 73], kernel: [72, 73, 74] } as const;
  const group = (host: [number, number, number], proxy: [number, number, number] | null) =>
    decreed({
      stream: [...apart.stream],
      triggered: [...apart.triggered],
      kernel: [...apart.kernel],
      host,
      proxy,
    });
  // stream and kernel do not overlap, but triggered overlaps both, so the three share a level.
  assert.deepEqual(levels(group([80, 81, 82], [90, 91, 92])), [
    ['stream', 'triggered by block', 'kernel'],
    ['host'],
    ['proxy'],
  ]);
  assert.deepEqual(levels(group([80, 81, 91], [90, 91, 92])).length, 2);
  assert.deepEqual(levels(group([60, 90, 120], [90, 91, 92])).length, 1);
  // Times that print as 1.00x have no order, however narrow the intervals are.
  assert.deepEqual(levels(group([74.1, 74.2, 74.3], [74.31, 74.32, 74.33])), [
    ['stream', 'triggered by block', 'kernel'],
    ['host', 'proxy'],
  ]);
  const without = group([80, 81, 82], null);
  assert.deepEqual(
    speedOrder(without, 8).unplaced.map(({ name }) => name),
    ['proxy'],
  );
  assert.match(partSentences(without).join('\n'), /no interval, so no place: proxy/);
});

test('without intervals there is no order', () => {
  const text = partSentences(
    decreed({ host: null, stream: null, proxy: null, triggered: null, kernel: null }),
  );
  assert.ok(text.includes('order at 8 B: none, there are no intervals'), text.join('\n'));
});

test('intervals of one launch are named as such', () => {
  const run = controlpathRun({ sizes: [8] });
  const cells = run.cells.filter(isOk).map((cell): OkCell => {
    const figures = cell.figures.map((one) =>
      one.kind === 'measured' && one.interval !== null
        ? { ...one, interval: { ...one.interval, scope: 'this-launch' as const } }
        : one,
    );
    return { ...cell, figures };
  });
  assert.match(
    partSentences(partOf({ ...run, cells })).join('\n'),
    /order at 8 B \(one launch only; others may differ\)/,
  );
  assert.doesNotMatch(partSentences(partOf(run)).join('\n'), /one launch/);
});

test('two that overlap and whose ratio decides are not said to have no order', () => {
  const others = { proxy: null, triggered: null, kernel: null };
  const near = decreed({ host: [90, 100, 110], stream: [108, 118, 128], ...others });
  assert.equal(levels(near).length, 1);
  assert.doesNotMatch(partSentences(near).join('\n'), /order at 8 B: none/);
  const alike = decreed({ host: [90, 100, 110], stream: [92, 102, 112], ...others });
  assert.match(partSentences(alike).join('\n'), /order at 8 B: none/);
});

test('all alike: no order', () => {
  const one: [number, number, number] = [60, 70, 80];
  const same = decreed({ host: one, stream: one, proxy: one, triggered: one, kernel: one });
  const text = partSentences(same).join('\n');
  assert.match(text, /order at 8 B: none, the 95 % intervals overlap/);
  assert.doesNotMatch(text, /more than|, then/);
});

test('what a path adds: the steps that take longer beyond their intervals, the most first, and other counts', () => {
  const group = partOf(controlpathRun());
  const {
    ns,
    steps: longer,
    counts,
  } = partsSum(group, seriesOf(group, 'proxy'), seriesOf(group, 'kernel'), 8);
  assert.ok(ns !== null && ns > 1500 && ns < 2500, String(ns));
  assert.deepEqual(
    longer
      .slice(0, 2)
      .map(({ of }) => of.name)
      .sort(),
    ['handover', 'resume'],
  );
  assert.deepEqual(
    counts.map(({ of, by }) => [of.name, by]),
    [['wakeups', 1.5]],
  );
  const back = partsSum(group, seriesOf(group, 'kernel'), seriesOf(group, 'proxy'), 8);
  assert.equal(back.ns, null);
});

test('unattributed time is named where it is more than 15 %', () => {
  assert.match(
    partSentences(partOf(controlpathRun())).join('\n'),
    /at most 1\.\d % is unattributed .*limit 15 %/,
  );
  const text = partSentences(partOf(controlpathRun({ unattributed: 0.2 }))).join('\n');
  assert.match(text, /unattributed: more than 15 % of the time in 10 of 10 configurations/);
  assert.match(text, /50 % of them/);
});

test('coalescing: doorbells and time of the fewest and the most puts for each', () => {
  const group = partOf(controlpathRun({ batches: [1, 4, 32] }));
  const all = coalescingGains(group, 8);
  assert.deepEqual(
    all.map(({ name, from, to, counts }) => [
      name,
      from.value,
      to.value,
      counts.map((one) => [one.of.name, one.from, one.to]),
    ]),
    ['host', 'stream', 'proxy', 'triggered by block', 'kernel'].map((name) => [
      name,
      1,
      32,
      [['doorbells', 32, 1]],
    ]),
  );
  assert.ok(all.every(({ time }) => time?.isApart === true && time.from > time.to));
  const text = partSentences(group).join('\n');
  assert.match(
    text,
    /kernel, 1 to 32 puts per doorbell: doorbells 32 to 1, time at 8 B 1\d\.\d µs to .* µs, 1\.\d+x faster/,
  );
});

test('coalescing: groups of ranks are compared each with itself, and named', () => {
  const run = controlpathRun({ batches: [1, 32], sizes: [8] });
  // The second group takes ten times as long.
  const cells = run.cells.filter(isOk).flatMap((cell) =>
    members.map(({ name, ranks }, index): OkCell => {
      const figures = cell.figures.map((one) =>
        one.kind === 'measured' && index === 1 ? slower(one, 10) : one,
      );
      return { ...cell, figures, group: { rule: 'node', index, name, ranks } };
    }),
  );
  const plan = { ...run.record.plan, ranks: 4, groups: { rule: 'node', members } };
  const all = coalescingGains(partOf({ ...run, cells, record: { ...run.record, plan } }), 8);
  assert.deepEqual(
    all
      .filter(({ name }) => name.startsWith('kernel'))
      .map(({ name, from, to }) => [
        name,
        from.value,
        from.series.member?.name,
        to.value,
        to.series.member?.name,
      ]),
    members.map(({ name }) => [`kernel, ${name}`, 1, name, 32, name]),
  );
  assert.equal(all.length, 5 * members.length);
  assert.ok(
    all.every(({ time }) => time?.isApart === true && time.from > time.to && time.from < 2 * time.to),
  );
});

test('an engine that measures what a launch costs has it beside the paths', () => {
  const run = controlpathRun();
  assert.doesNotMatch(partSentences(partOf(run)).join('\n'), /empty kernel/);
  const launched = { launch: 0, transport: 0, startedAtNs: 0, setupNs: 0 };
  const facts = { 'launch.kernelNs': '4000', 'launch.graphNs': '5000' };
  const ranks = [{ rank: 0, pid: 1, device: '', detail: {}, medium: 'emulated', facts }];
  const record = { ...run.record, launches: [{ ...launched, ranks }] };
  const text = partSentences(partOf({ ...run, record })).join('\n');
  assert.match(text, /an empty kernel takes 4\.00 µs .*as a graph 5\.00 µs; .* takes 2\.\dx of that/);
});

test('the bars of a variant add up to its total', () => {
  const run = controlpathRun();
  const figure = steps.draw(partOf(run));
  assert.ok(figure !== null);
  for (const name of ['host', 'proxy']) {
    const rows: ChartRow[] = figure.rows.filter((row) => row.series === name && row.payloadBytes === 8);
    const sum = rows.reduce((all, { timeNs }) => all + Number(timeNs), 0);
    assert.ok(Math.abs(sum - Number(rows[0]?.totalNs)) < 0.01);
    const cell = run.cells.filter(isOk).find(({ axes }) => axes.path === name && axes.bytes === 8);
    assert.equal(rows[0]?.totalNs, cell === undefined ? null : sideOf(cell, 'total')?.value);
    assert.ok(cell !== undefined && measuredOf(cell, 'latency') !== null);
  }
});

test('a bar many times as long as the others is cut, with its time behind it', async () => {
  const figure = steps.draw(partOf(controlpathRun({ sizes: [8], slower: { stream: 2_000_000 } })));
  assert.ok(figure !== null);
  assert.match(figure.caption, /^A bar that ends with a time is longer than its axis/);
  assert.match(
    await renderSvg(figure.spec('wide'), { title: '', description: '', idPrefix: 'f' }),
    />2\.0\d ms</,
  );
  const whole = steps.draw(partOf(controlpathRun({ sizes: [8] })));
  assert.doesNotMatch(whole?.caption ?? '', /longer than its axis/);
});

test('rates are drawn over numbers that differ, and over no others', () => {
  assert.deepEqual(ratesOver(groupsOf([controlpathRun()])), []);
  const [figure, ...others] = ratesOver(groupsOf([controlpathRun({ batches: [1, 4, 32] })]));
  assert.equal(others.length, 0);
  assert.match(figure?.title ?? '', /Put rate over puts per doorbell, 8 B/);
  assert.equal(figure?.rows.length, 5 * 3);
});

test('terminal: within 80 columns, with names that do not fit on lines of their own; nothing for other workloads', () => {
  const plain = pc.createColors(false);
  for (const run of [controlpathRun(), controlpathRun({ batches: [1, 4, 32] })]) {
    const lines = partLines(groupsOf([run]), 80, plain);
    assert.ok(
      lines.every((text) => text.length <= 80),
      lines.find((text) => text.length > 80),
    );
    assert.ok(lines.some((text) => /^unattributed +0\.1/.test(text)));
  }
  const narrow = partLines(groupsOf([controlpathRun({ batches: [1, 32] })]), 60, plain);
  assert.ok(narrow.every((text) => text.length <= 60));
  assert.deepEqual(partLines(groupsOf([nullRun()]), 80, plain), []);
});

test('terminal: beside a path of milliseconds the steps of microseconds can be read', () => {
  const lines = partLines(
    groupsOf([controlpathRun({ slower: { stream: 2_000_000 } })]),
    80,
    pc.createColors(false),
  );
  assert.match(lines.find((text) => /^total /.test(text)) ?? '', /^total +10\.\d µs +2\.0\d ms +10\.\d µs /);
});

test('report: counts, order and steps stand in a section of their own, and the first figure has the steps', async () => {
  const { html, figures } = await buildPage([controlpathRun({ batches: [1, 32], sizes: [8] })]);
  assert.match(html, /<h2>1 Counts and steps<\/h2>/);
  assert.match(figures[0]?.figure.title ?? '', /^Steps of one operation/);
  // Bars show means, tables show medians, so the two have different names.
  const replayed = await buildPage([replayRun()]);
  const drawn = replayed.figures.find(({ figure }) => figure.title.includes('of one step'));
  assert.match(drawn?.figure.title ?? '', /^Mean time of one step, /);
  assert.match(replayed.html, />time of one step/);
  assert.match(html, /2\.50 \(2 to 3\)/);
  assert.match(html, /Order at 8 B: /);
  assert.doesNotMatch((await buildPage([nullRun()])).html, /Counts and steps/);
});
