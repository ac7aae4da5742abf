import type { TopLevelSpec } from 'vega-lite';
import type { Group } from '../series.ts';
import { figuresOf, isOk, sizesPhrase } from '../series.ts';
import { type ChartSize, chartConfig } from '../theme.ts';
import { formatBandwidth } from '../wording.ts';
import type { Figure, Row } from './chart.ts';

/** One collective over one transport, averaged over the sizes that every transport of its group measured. */
export interface Average extends Row {
  collective: string;
  series: string;
  medium: string;
  sizes: number;
  firstBytes: number;
  lastBytes: number;
  meanBytes: number;
  meanTimeNs: number;
  algGBps: number;
  busGBps: number;
}

/**
 * Times are averaged and rates derived from the average: mean S over mean t, which is all bytes over all time.
 * Averaging the rates instead, as nccl-tests' last line does, would let a size that takes no time count as much as
 * one that takes a second (Hoefler and Belli 2015, rule 3).
 */
export function averagesOf(groups: readonly Group[]): Average[] {
  return groups.flatMap((group) => {
    const common = commonSizes(group);
    const first = common[0];
    const last = common.at(-1);
    if (first === undefined || last === undefined) return [];
    return group.series.map((series) => {
      let time = 0;
      let bytes = 0;
      let factor = 0;
      for (const slot of series.slots.filter((s) => common.includes(s.payloadBytes))) {
        const figures = figuresOf(slot.cell, group.trial);
        if (figures === null || !isOk(slot.cell)) continue;
        time += figures.medianNs;
        bytes += slot.payloadBytes;
        factor = slot.cell.busFactor;
      }
      return {
        collective: label(group, groups),
        series: series.label,
        medium: series.medium,
        sizes: common.length,
        firstBytes: first,
        lastBytes: last,
        meanBytes: bytes / common.length,
        meanTimeNs: time / common.length,
        algGBps: bytes / time,
        busGBps: (bytes / time) * factor,
      };
    });
  });
}

/** The collective alone where that says which group it is. */
function label(group: Group, groups: readonly Group[]): string {
  return groups.filter((g) => g.collective === group.collective).length === 1
    ? group.collective
    : group.title;
}

function commonSizes(group: Group): number[] {
  const [first, ...rest] = group.series.map((series) =>
    series.slots
      .filter((s) => s.payloadBytes > 0 && figuresOf(s.cell, group.trial) !== null)
      .map((s) => s.payloadBytes),
  );
  return (first ?? []).filter((bytes) => rest.every((sizes) => sizes.includes(bytes)));
}

/** Bars per collective and transport (thesis figures 5.5 and 5.6, averaged as times). */
export function averages(groups: readonly Group[]): Figure | null {
  const rows = averagesOf(groups);
  if (rows.length === 0) return null;
  const bars: Row[] = rows.flatMap((r) => [
    { ...bar(r), measure: 'algorithm bandwidth', gbps: r.algGBps, text: formatBandwidth(r.algGBps) },
    { ...bar(r), measure: 'bus bandwidth', gbps: r.busGBps, text: formatBandwidth(r.busGBps) },
  ]);
  return {
    name: 'averages',
    title: 'Averages per collective',
    caption: `Mean message size over mean time: all bytes moved over all time taken, ${sizesPhrase(groups.flatMap((g) => commonSizes(g)))}, the same for every transport. Large messages take most of the time and so count most; nccl-tests’ “Avg bus bandwidth” averages the rates instead and is another figure.`,
    rows,
    spec: (size) => spec(bars, groups, size),
  };
}

function bar(r: Average): Row {
  return {
    collective: r.collective,
    series: r.series,
    medium: r.medium,
    tip: `${r.series}, ${r.collective}: ${formatBandwidth(r.busGBps)} bus bandwidth`,
  };
}

function spec(bars: Row[], groups: readonly Group[], size: ChartSize): TopLevelSpec {
  const series = groups
    .flatMap((g) => g.series)
    .filter((s, i, all) => all.findIndex((t) => t.label === s.label) === i);
  const wide = size === 'wide';
  const domain = series.map((s) => s.label);
  const legend = {
    title: null,
    orient: 'top',
    columns: wide ? 2 : 1,
    symbolType: 'square',
    symbolSize: 140,
    symbolOpacity: 1,
  };
  const y = {
    field: 'collective',
    type: 'nominal',
    sort: null,
    axis: { title: null, labelLimit: wide ? 170 : 110, grid: false, ticks: false, domain: false },
  };
  const yOffset = { field: 'series', type: 'nominal', sort: null, scale: { domain } };
  const x = {
    field: 'gbps',
    type: 'quantitative',
    scale: { zero: true, nice: true },
    axis: { title: 'GB/s', tickCount: 4 },
  };
  const made = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    description: 'Average algorithm and bus bandwidth per collective and transport',
    padding: 5,
    config: chartConfig,
    data: { values: bars },
    facet: wide
      ? { column: { field: 'measure', type: 'nominal', sort: null } }
      : {
          row: {
            field: 'measure',
            type: 'nominal',
            sort: null,
            header: { labelOrient: 'top', labelAngle: 0, labelAnchor: 'start' },
          },
        },
    spec: {
      width: wide ? 245 : 190,
      height: { step: wide ? 16 : 15, for: 'offset' },
      layer: [
        {
          mark: { type: 'bar', strokeWidth: 1.2, aria: true },
          encoding: {
            x,
            y,
            yOffset,
            color: {
              field: 'series',
              type: 'nominal',
              sort: null,
              scale: { domain, range: series.map((s) => s.colour) },
              legend,
            },
            stroke: {
              field: 'series',
              type: 'nominal',
              sort: null,
              scale: { domain, range: series.map((s) => s.colour) },
              legend: null,
            },
            fillOpacity: { condition: { test: "datum.medium === 'emulated'", value: 0.35 }, value: 1 },
            strokeDash: { condition: { test: "datum.medium === 'emulated'", value: [4, 3] }, value: [1, 0] },
            description: { field: 'tip' },
          },
        },
        {
          mark: { type: 'text', align: 'left', dx: 4, fontSize: 10, aria: false },
          encoding: { x, y, yOffset, text: { field: 'text' } },
        },
      ],
    },
  };
  return made as unknown as TopLevelSpec;
}
