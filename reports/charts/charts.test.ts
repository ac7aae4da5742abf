import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collective, measuredOf, transports } from '../../results/schema/index.ts';
import { fixChoice, ncclRun, ncclSisciPlan, ncclSocketPlan, p2pPlan, sweepRun } from '../fixtures/nccl.ts';
import { matchesStored } from '../fixtures/snapshot.ts';
import {
  bytesOf,
  type SyntheticOptions,
  sisciPlan,
  slower,
  socketPlan,
  syntheticRun,
  syntheticTroubledRun,
  withFigures,
} from '../fixtures/synthetic.ts';
import { exchangeRun, nullRun, p2pRun } from '../fixtures/workloads.ts';
import { darkModeColours } from '../html/figure-style.ts';
import { groupsOf, type SeriesGroup } from '../series.ts';
import { mixWithWhite, palette, seriesStyles, transportLooks } from '../theme.ts';
import { shortTransport } from '../wording.ts';
import { averages, averagesOf, type ChartFigure, chartsOf, type GroupChart } from './index.ts';
import { renderSvg } from './render.ts';

/** True for charts over a setting. They need a run with several values of one setting: over-setting.test.ts. */
const isOverSetting = ({ id }: { id: string }): boolean => id.endsWith('-by-setting');
const groupCharts = chartsOf(collective).filter((chart) => !isOverSetting(chart));

function groupOf(run: ReturnType<typeof syntheticRun>): SeriesGroup {
  const [group] = groupsOf([run]);
  assert.ok(group !== undefined);
  return group;
}

const render = (figure: ChartFigure, size: 'wide' | 'narrow') =>
  renderSvg(figure.spec(size), { title: figure.title, description: figure.caption, idPrefix: 'f1' });

/** Returns a run for which the chart exists; some charts need an engine that queues on a device. */
function runFor(chart: GroupChart, options: SyntheticOptions) {
  const runs = [syntheticRun(options), ncclRun(options)];
  return runs.find((run) => chart.draw(groupOf(run)) !== null) ?? assert.fail(`no run has ${chart.id}`);
}

for (const chart of groupCharts) {
  const figure = chart.draw(groupOf(runFor(chart, { maxBytes: 2 ** 20 })));

  test(`${chart.id}: a name for its files, a caption, data with units, no drawing aids in the data`, () => {
    assert.ok(figure !== null);
    assert.equal(figure.name, `allreduce-float32-sum-out-${chart.id}`);
    assert.ok(figure.caption.length > 60);
    const keys = Object.keys(figure.rows[0] ?? {});
    assert.ok(keys.includes('payloadBytes'));
    for (const aid of ['tip', 'stretch', 'low', 'high']) {
      if (chart.id !== 'ratio') assert.ok(!keys.includes(aid), aid);
    }
  });

  for (const size of ['wide', 'narrow'] as const) {
    test(`${chart.id}, ${size}: an SVG with an accessible name, no inline style, emulated in the legend`, async () => {
      assert.ok(figure !== null);
      const svg = await render(figure, size);
      assert.match(
        svg,
        /^<svg [^>]*role="img" aria-labelledby="f1-t" aria-describedby="f1-d"><title id="f1-t">/,
      );
      assert.doesNotMatch(svg, /\sstyle=/);
      assert.match(svg, />[^<]*emulated[^<]*<\/t(ext|span)>/);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    });
  }

  test(`${chart.id}: nothing to draw from a run without figures, a single size can be drawn`, async () => {
    const empty = runFor(chart, { maxBytes: 64 });
    empty.cells = [];
    assert.equal(chart.draw(groupOf(empty)), null);
    const one = chart.draw(groupOf(runFor(chart, { minBytes: 1024, maxBytes: 1024 })));
    assert.ok(one !== null);
    assert.doesNotMatch(await render(one, 'wide'), /NaN|Infinity/);
  });
}

for (const run of [p2pRun(4096), nullRun()]) {
  for (const group of groupsOf([run])) {
    for (const chart of chartsOf(group.row)) {
      test(`${group.key}, ${chart.id}: drawn by axis and figures of its row, or nothing`, async () => {
        const figure = chart.draw(group);
        // One transport has no ratio; on the host there is no enqueue cost.
        const isNothing =
          isOverSetting(chart) || chart.id === 'calls' || (chart.id === 'ratio' && group.series.length === 1);
        if (isNothing) assert.equal(figure, null);
        if (chart.id === 'time' || chart.id === 'launches') assert.notEqual(figure, null);
        for (const size of ['wide', 'narrow'] as const) {
          if (figure === null) continue;
          const svg = await render(figure, size);
          assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
          assert.ok(svg.includes(`>${group.x.title}<`));
        }
      });
    }
  }
}

test('specifications are as stored', () => {
  const group = groupOf(syntheticRun({ minBytes: 1024, maxBytes: 2048 }));
  const specs = groupCharts.map((chart) => [chart.id, chart.draw(group)?.spec('wide')]);
  matchesStored('charts.json', `${JSON.stringify(Object.fromEntries(specs), null, 1)}\n`);
});

test('emulated series are dashed, hardware is solid', async () => {
  const figure = groupCharts.find((c) => c.id === 'busbw')?.draw(groupOf(syntheticRun()));
  assert.ok(figure != null);
  const svg = await render(figure, 'wide');
  const lines = [...svg.matchAll(/<path [^>]*>/g)]
    .map(([tag]) => [/stroke="(#\w+)"/.exec(tag)?.[1], /stroke-dasharray="([\d,]+)"/.exec(tag)?.[1]] as const)
    .filter(([colour, dash]) => (colour === '#D55E00' || colour === '#0072B2') && dash !== undefined);
  assert.ok(lines.length >= 2);
  for (const [colour, dash] of lines) assert.equal(dash, colour === '#D55E00' ? '6,4' : '1,0');
});

test('bandwidth axes start at zero, time axes are logarithmic', () => {
  const group = groupOf(syntheticRun());
  const scaleOf = (id: string) => {
    const spec = groupCharts
      .find((c) => c.id === id)
      ?.draw(group)
      ?.spec('wide') as {
      layer: { encoding: { y: { scale: object } } }[];
    };
    return spec.layer[1]?.encoding.y.scale as { zero?: boolean; type?: string };
  };
  assert.equal(scaleOf('algbw').zero, true);
  assert.equal(scaleOf('busbw').zero, true);
  assert.equal(scaleOf('time').type, 'log');
});

test('a line is broken where a cell failed and where the algorithm changes', () => {
  const spec = groupCharts
    .find((c) => c.id === 'time')
    ?.draw(groupOf(syntheticTroubledRun()))
    ?.spec('wide') as {
    data: { values: { transport: string; payloadBytes: number; stretch: string }[] };
  };
  const stretches = (transport: string) =>
    new Set(spec.data.values.filter((v) => v.transport === transport).map((v) => v.stretch)).size;
  assert.equal(stretches('socket'), 3); // no point at 1 KiB, ring from 64 KiB
  assert.equal(stretches('sisci'), 2);
});

test('a ceiling is drawn where the link has a rate of its own, and its absence is said', () => {
  const busbw = groupCharts.find((c) => c.id === 'busbw');
  const modelled = { ...sisciPlan, detail: { softwareCard: 'softntb' as const, link: 'pcie-gen3-x8' } };
  const wired = { ...socketPlan, detail: { networkInterface: 'eth0' } };
  const figure = busbw?.draw(groupOf(syntheticRun({ transports: [wired, modelled] })));
  const text = JSON.stringify(figure?.spec('wide'));
  assert.match(text, /PCIe gen 3 x8: 7\.88 GB\/s/);
  assert.match(text, /eth0: 125 MB\/s/);
  assert.match(figure?.caption ?? '', /Dotted lines are ceilings/);
  assert.match(busbw?.draw(groupOf(syntheticRun()))?.caption ?? '', /No ceiling is drawn/);
});

test('figures that others published are lines beside those measured on hardware', () => {
  const drawn = (medium: 'hardware' | 'emulated') => {
    const group = groupOf(exchangeRun(medium));
    const figure = chartsOf(group.row)
      .find(({ id }) => id === 'bandwidth')
      ?.draw(group);
    assert.ok(figure != null);
    return figure;
  };
  const figure = drawn('hardware');
  const lines = ['Penny, put with fused signal: 733 GB/s', 'Penny, put, fence, signal: 560 GB/s'];
  for (const line of lines) {
    assert.ok(JSON.stringify(figure.spec('wide')).includes(line), line);
    assert.ok(figure.caption.includes(line), figure.caption);
  }
  assert.ok(!drawn('emulated').caption.includes('Penny'));
});

const seven = ['p2p', 'shm', 'socket', 'ib', 'sisci', 'plugin:/opt/lib/libnccl-net-x.so', 'ibgda'].map(
  (name) => ({
    ...(name === 'sisci' ? ncclSisciPlan : ncclSocketPlan),
    name,
  }),
);

test('rates that lie orders apart have a logarithmic axis, and the caption says so', async () => {
  const run = syntheticRun({ maxBytes: 4096 });
  run.cells = run.cells.map((cell) =>
    cell.status === 'ok' && cell.transport === 'socket'
      ? withFigures(cell, (one) => slower(one, 1000))
      : cell,
  );
  const figure = chartsOf(groupOf(run).row)[0]?.draw(groupOf(run));
  assert.ok(figure != null);
  assert.match(figure.caption, /The vertical axis is logarithmic: the series are orders apart\./);
  assert.doesNotMatch(await render(figure, 'wide'), /NaN|undefined|Infinity/);
});

test('a transport has the colour and the symbol of its row, whatever stands beside it and in whatever order', () => {
  const names = seven.map((t) => t.name);
  const lists = [names, names.toReversed(), ['socket', 'shm'], ['shm', 'socket'], [...names, ...names]];
  for (const order of lists)
    for (const [i, name] of order.entries())
      if (order.indexOf(name) === i)
        assert.deepEqual(seriesStyles(order)[i], transportLooks.get(name.replace(/:.*/, '')), name);
  for (const row of transports) assert.deepEqual(seriesStyles([row.name])[0]?.colour, palette[row.colour]);
});

test('series of one transport beside others share its hue and differ in their symbols; no two look alike', () => {
  const names = seven.flatMap(({ name }) => [name, `${name}@ring/LL`, `${name}@tree/Simple`]);
  const looks = seriesStyles(names);
  assert.equal(new Set(looks.map((l) => `${l.colour} ${l.shape}`)).size, 21);
  for (const [i, { colour }] of looks.entries()) {
    const own = looks[i - (i % 3)]?.colour ?? '';
    assert.ok([own, mixWithWhite(own, 0.45)].includes(colour), names[i]);
  }
});

test('where all series are of one transport its own colour comes first, and none a third time before all came twice', () => {
  const alike = seriesStyles(Array.from({ length: 14 }, () => 'sisci')).map((l) => l.colour);
  assert.equal(alike[0], palette.vermillion);
  for (const colour of alike) assert.equal(alike.filter((other) => other === colour).length, 2, colour);
});

test('colours of transports can be told apart on white and on dark paper', () => {
  const onDark = new Map(darkModeColours);
  for (const [i, one] of transports.entries())
    for (const other of transports.slice(i + 1)) {
      const pair = [palette[one.colour], palette[other.colour]] as const;
      const inDark = pair.map((colour) => onDark.get(colour) ?? colour) as [string, string];
      assert.ok(distance(...pair) >= 25, `${one.name} and ${other.name}`);
      assert.ok(distance(...inDark) >= 25, `${one.name} and ${other.name} in the dark`);
    }
});

/** Distance of two colours in CIE L*a*b* (1976). */
function distance(one: string, other: string): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(...a.map((part, i) => part - (b[i] ?? 0)));
}

function labOf(colour: string): number[] {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const xyz = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116));
  const [x = 0, y = 0, z = 0] = xyz;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

for (const chart of groupCharts) {
  test(`${chart.id}: seven transports, a sweep and more series than colours can be drawn`, async () => {
    const twice = seven.flatMap((t) => [t, fixChoice(t, 'ring', 'LL')]);
    let drawn = 0;
    for (const run of [
      ncclRun({ transports: seven, minBytes: 1024, maxBytes: 4096 }),
      sweepRun({ minBytes: 1024, maxBytes: 4096 }),
      ncclRun({ transports: twice, minBytes: 1024, maxBytes: 4096 }),
    ]) {
      const figure = chart.draw(groupOf(run));
      if (figure === null) continue;
      drawn += 1;
      const names = new Set(figure.rows.map((r) => r.series));
      // A chart of ratios has no line for the series that it divides by.
      assert.ok(names.size >= run.record.plan.transports.length - 1);
      const svg = await render(figure, 'wide');
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
      if (chart.id !== 'calls')
        for (const s of run.record.plan.transports.slice(1))
          assert.ok(svg.includes(shortTransport(s.name)), s.name);
    }
    assert.ok(drawn > 0 || chart.draw(groupOf(ncclRun())) === null);
  });
}

test('calls: the three times of a message, each with its unit, and none without an enqueue cost', () => {
  const chart = groupCharts.find((c) => c.id === 'calls');
  const figure = chart?.draw(groupOf(ncclRun({ transports: [p2pPlan], maxBytes: 8 })));
  assert.deepEqual(
    figure?.rows.map((r) => r.figure),
    ['pipelined, as nccl-tests', 'enqueue cost on the host', 'latency on the GPUs'],
  );
  assert.equal(chart?.draw(groupOf(syntheticRun({ maxBytes: 64 }))), null);
});

test('the copy rate of host memory is the ceiling of an emulated adapter where ranks measured it or the plan knows it', () => {
  const busbw = groupCharts.find((c) => c.id === 'busbw');
  const planned = busbw?.draw(groupOf(ncclRun({ settings: { hostCopyGBps: '12.4' } })));
  assert.match(JSON.stringify(planned?.spec('wide')), /one copying thread: 12\.4 GB\/s/);
  assert.match(planned?.caption ?? '', /ceilings: the rate of memory copies of this machine/);
  const run = ncclRun();
  for (const { transport, ranks } of run.record.launches)
    if (transport === 1 && ranks[0]?.facts) ranks[0].facts['host.copyGBps'] = '11.9';
  assert.match(JSON.stringify(busbw?.draw(groupOf(run))?.spec('wide')), /one copying thread: 11\.9 GB\/s/);
  for (const { transport, ranks } of run.record.launches)
    if (transport === 1 && ranks[0]?.facts) ranks[0].facts['host.copyGBps.4'] = '31.2';
  const engines = busbw?.draw(groupOf(run))?.spec('wide');
  assert.match(
    JSON.stringify(engines),
    /four copying threads: 31\.2 GB\/s/,
    'its engines copy at the same time',
  );
  assert.match(busbw?.draw(groupOf(ncclRun()))?.caption ?? '', /No ceiling is drawn/);
});

test('averages divide all bytes by all time, over the sizes every transport has', () => {
  const run = syntheticRun({ minBytes: 1024, maxBytes: 4096 });
  run.cells = run.cells.filter((c) => bytesOf(c) !== 4096 || c.transport === 'socket');
  const [socket] = averagesOf(groupsOf([run]));
  const ns = run.cells.flatMap((c) =>
    c.transport === 'socket' && bytesOf(c) < 4096 ? [measuredOf(c, 'latency')?.value ?? 0] : [],
  );
  assert.equal(socket?.bytes.length, 2);
  const [algbw] = socket?.rates ?? [];
  assert.equal(algbw?.of.name, 'algbw');
  assert.equal(algbw?.GBps, 3072 / ns.reduce((a, b) => a + b, 0));
  assert.deepEqual(averages([]), []);
});

test('text from a run cannot leave its place in an SVG', async () => {
  const hostile = { ...sisciPlan, detail: { adapter: '</text><script>alert(1)</script>' } };
  const figure = groupCharts[0]?.draw(groupOf(syntheticRun({ transports: [hostile], maxBytes: 64 })));
  assert.ok(figure != null);
  assert.doesNotMatch(await render(figure, 'wide'), /<script/);
});

for (const [what, options] of [
  ['several sizes', { maxBytes: 4096 }],
  ['a single size', { minBytes: 1024, maxBytes: 1024 }],
] as const) {
  test(`bandwidth of ${what}: an interval that tells next to nothing does not stretch the axis`, async () => {
    const run = syntheticRun(options);
    run.cells = run.cells.map((cell) =>
      cell.status === 'ok'
        ? withFigures(cell, ({ interval, ...one }) => ({
            ...one,
            interval: interval && { ...interval, low: one.value / 40 },
          }))
        : cell,
    );
    const figure = groupCharts.find(({ id }) => id === 'busbw')?.draw(groupOf(run));
    assert.ok(figure != null);
    assert.match(figure.caption, /Bands beyond the axis are cut/);
    const highest = Math.max(...figure.rows.map((row) => Number(row.busGBps)));
    const svg = await render(figure, 'wide');
    assert.doesNotMatch(svg, /NaN|Infinity/);
    const labels = [...svg.matchAll(/>([\d.]+)<\/text>/g)].map(([, text]) => Number(text));
    assert.ok(Math.max(...labels) < 3 * highest, `${Math.max(...labels)} of ${highest}`);
  });
}
