import assert from 'node:assert/strict';
import { test } from 'node:test';
import { p2p } from '../../results/schema/index.ts';
import { exchangeRun } from '../fixtures/workloads.ts';
import { groupsOf, type SeriesGroup } from '../series.ts';
import { type ChartFigure, chartsOf } from './index.ts';
import { renderSvg } from './render.ts';

const series = [16, 64].flatMap((blocks) =>
  [16, 64, 256].map((kibibytes) => ({
    name: `p2p@blocks-${blocks},packet-${kibibytes}K`,
    settings: { blocks: String(blocks), packet: String(kibibytes * 1024) },
  })),
);

function drawn(run: ReturnType<typeof exchangeRun>): ChartFigure | null {
  const [group] = groupsOf([run]);
  const chart = chartsOf(p2p).find(({ id }) => id === 'bandwidth-by-setting');
  assert.ok(group !== undefined && chart !== undefined);
  return chart.draw(group as SeriesGroup);
}

test('packets by blocks: a line for each number of blocks, at the largest size, beside what was published', async () => {
  const figure = drawn(exchangeRun('hardware', series));
  assert.ok(figure !== null);
  assert.equal(figure.title, 'Bandwidth of exchange at 64 MiB by packet');
  assert.equal(figure.rows.length, 6);
  assert.deepEqual(
    [...new Set(figure.rows.map(({ series: one, packetBytes }) => `${one} ${packetBytes}`))],
    [16, 64, 256].flatMap((kibibytes) => [16, 64].map((b) => `p2p, blocks ${b} ${kibibytes * 1024}`)),
  );
  assert.match(figure.caption, /The best is p2p, blocks 64, packet 256 KiB: \d+ GB\/s/);
  assert.match(figure.caption, /Penny, put with fused signal: 733 GB\/s/);
  for (const size of ['wide', 'narrow'] as const) {
    const svg = await renderSvg(figure.spec(size), {
      title: figure.title,
      description: figure.caption,
      idPrefix: 'f',
    });
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    assert.match(svg, />256 KiB</);
    assert.match(svg, />[^<]*blocks 16</);
  }
});

test('a setting of one value draws nothing, and a setting that was left to the tuner has no place on the axis', () => {
  assert.equal(drawn(exchangeRun()), null);
  const two = [
    { name: 'p2p@packet-tuned', settings: {} },
    { name: 'p2p@packet-64K', settings: { packet: '65536' } },
  ];
  assert.equal(drawn(exchangeRun('hardware', two)), null);
});

test('where packets of one size alone ran at the largest size, the chart is over blocks', () => {
  const { cells, ...run } = exchangeRun('hardware', series);
  const largest = Math.max(...cells.map(({ point }) => point));
  const kept = cells.filter(({ point, transport }) => point < largest || transport.endsWith('packet-16K'));
  const figure = drawn({ ...run, cells: kept });
  assert.equal(figure?.title, 'Bandwidth of exchange at 64 MiB by thread blocks');
  assert.deepEqual(
    figure?.rows.map(({ series: one, blocks }) => `${one} ${blocks}`),
    [16, 64].map((blocks) => `p2p, packet 16 KiB ${blocks}`),
  );
});

test('a signal of its own is a line of its own', () => {
  const signals = ['fused', 'separate'].flatMap((signal) =>
    [16, 64].map((kibibytes) => ({
      name: `p2p@packet-${kibibytes}K,signal-${signal}`,
      settings: { packet: String(kibibytes * 1024), ...(signal === 'fused' ? {} : { signal }) },
    })),
  );
  const figure = drawn(exchangeRun('hardware', signals));
  assert.deepEqual(
    [...new Set(figure?.rows.map((row) => row.series))],
    ['p2p, signal fused', 'p2p, signal separate'],
  );
});
