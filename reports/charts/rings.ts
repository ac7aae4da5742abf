import type { PairsOverview } from '../../results/derive/index.ts';
import { type ChartSize, chartSizes, palette } from '../theme.ts';
import { fileWords, formatBandwidth, shortTransport } from '../wording.ts';
import type { ChartFigure, ChartRow } from './chart.ts';
import { type ChartSpec, titleAbove, topLevel } from './spec.ts';

/**
 * Draws the bandwidth per link (bus bandwidth in GB/s) of rings of hosts over the number of hosts; each ring has one host more than
 * the one before. Rings that did not run are only in the chart's data. Null with fewer than two measured rings.
 * @param one results of all rings over one transport
 * @param isOnly true if the run measured only this transport; file name and title then do not name it
 */
export function rings(one: PairsOverview, isOnly: boolean): ChartFigure | null {
  const ran = one.rings.filter(({ GBps }) => GBps !== null);
  if (ran.length < 2) return null;
  const over = isOnly ? '' : ` over ${shortTransport(one.transport)}`;
  const rows: ChartRow[] = one.rings.map(({ ranks, last, GBps, reason }) => ({
    ranks,
    joins: last,
    GBps,
    reason,
  }));
  return {
    name: `pairs-rings${isOnly ? '' : `-${fileWords(shortTransport(one.transport))}`}`,
    title: `The ring as it grows${over}`,
    caption:
      'Bus bandwidth of a ring of the first 2, 3, ... hosts, in the order given: what each link carries. A ring is as fast as its slowest link, so it drops where a bad one joins.',
    rows,
    spec: (size) => spec(one, size),
  };
}

function spec(one: PairsOverview, size: ChartSize): ChartSpec {
  const { width, height } = chartSizes[size];
  const values = one.rings.flatMap(({ ranks, last, GBps }) =>
    GBps === null ? [] : [{ ranks, GBps, tip: `ring of ${ranks}, ${last} joins: ${formatBandwidth(GBps)}` }],
  );
  const drawn = {
    data: { values },
    encoding: {
      x: {
        field: 'ranks',
        type: 'ordinal',
        axis: { title: 'hosts in the ring', labelAngle: 0, grid: false, labelOverlap: true },
      },
      y: {
        field: 'GBps',
        type: 'quantitative',
        scale: { zero: true, nice: true },
        axis: {
          title: 'GB/s',
          ...titleAbove,
          tickCount: 5,
        },
      },
    },
    layer: [
      { mark: { type: 'line', color: palette.blue, strokeWidth: 1.8, aria: false } },
      {
        mark: { type: 'point', filled: true, size: 40, opacity: 1, color: palette.blue, aria: true },
        encoding: { description: { field: 'tip' } },
      },
    ],
  };
  return topLevel('Bus bandwidth of a ring over its number of hosts', drawn, {
    width,
    height: Math.round(height * 0.7),
  });
}
