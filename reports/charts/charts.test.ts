import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesStored } from '../fixtures/snapshot.ts';
import { sisciPlan, socketPlan, syntheticRun, troubledRun } from '../fixtures/synthetic.ts';
import { type Group, groupsOf } from '../series.ts';
import { averages, averagesOf, type Figure, groupCharts } from './index.ts';
import { renderSvg } from './render.ts';

function groupOf(run: ReturnType<typeof syntheticRun>): Group {
  const [group] = groupsOf([run]);
  assert.ok(group !== undefined);
  return group;
}

const render = (figure: Figure, size: 'wide' | 'narrow') =>
  renderSvg(figure.spec(size), { title: figure.title, description: figure.caption, idPrefix: 'f1' });

for (const chart of groupCharts) {
  const figure = chart.draw(groupOf(syntheticRun({ maxBytes: 2 ** 20 })));

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
      assert.match(svg, />[^<]*emulated[^<]*<\/text>/);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    });
  }

  test(`${chart.id}: nothing to draw from a run without figures, a single size can be drawn`, async () => {
    const empty = syntheticRun({ maxBytes: 64 });
    empty.cells = [];
    assert.equal(chart.draw(groupOf(empty)), null);
    const one = chart.draw(groupOf(syntheticRun({ minBytes: 1024, maxBytes: 1024 })));
    assert.ok(one !== null);
    assert.doesNotMatch(await render(one, 'wide'), /NaN|Infinity/);
  });
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
      ?.spec('wide') as unknown as {
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
    ?.draw(groupOf(troubledRun()))
    ?.spec('wide') as unknown as {
    data: { values: { transport: string; payloadBytes: number; stretch: string }[] };
  };
  const stretches = (transport: string) =>
    new Set(spec.data.values.filter((v) => v.transport === transport).map((v) => v.stretch)).size;
  assert.equal(stretches('socket'), 3); // hole at 1 KiB, ring from 64 KiB
  assert.equal(stretches('sisci'), 2);
});

test('a ceiling is drawn where the link has a rate of its own, and its absence is said', () => {
  const busbw = groupCharts.find((c) => c.id === 'busbw');
  const modelled = { ...sisciPlan, detail: 'softntb, link pcie-gen3-x8' };
  const wired = { ...socketPlan, detail: 'TCP over eth0' };
  const figure = busbw?.draw(groupOf(syntheticRun({ transports: [wired, modelled] })));
  const text = JSON.stringify(figure?.spec('wide'));
  assert.match(text, /PCIe gen 3 x8: 7\.88 GB\/s/);
  assert.match(text, /eth0: 125 MB\/s/);
  assert.match(figure?.caption ?? '', /Dotted lines are ceilings/);
  assert.match(busbw?.draw(groupOf(syntheticRun()))?.caption ?? '', /No ceiling is drawn/);
});

test('averages divide all bytes by all time, over the sizes every transport has', () => {
  const run = syntheticRun({ minBytes: 1024, maxBytes: 4096 });
  run.cells = run.cells.filter((c) => c.payloadBytes !== 4096 || c.transport === 'socket');
  const [socket] = averagesOf(groupsOf([run]));
  const ns = run.cells.flatMap((c) =>
    c.status === 'ok' && c.transport === 'socket' && c.payloadBytes < 4096 ? [c.isolated?.medianNs ?? 0] : [],
  );
  assert.equal(socket?.sizes, 2);
  assert.equal(socket?.algGBps, 3072 / ns.reduce((a, b) => a + b, 0));
  assert.equal(averages([]), null);
});

test('text from a run cannot leave its place in an SVG', async () => {
  const hostile = { ...sisciPlan, detail: '</text><script>alert(1)</script>' };
  const figure = groupCharts[0]?.draw(groupOf(syntheticRun({ transports: [hostile], maxBytes: 64 })));
  assert.ok(figure != null);
  assert.doesNotMatch(await render(figure, 'wide'), /<script/);
});
