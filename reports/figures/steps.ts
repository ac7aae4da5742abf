// Figures 6.1 and 6.2: steps of training, and what their collectives take of them.

import { sideOf } from '../../results/schema/index.ts';
import { trialPhrase } from '../charts/chart.ts';
import type { Row } from '../charts/index.ts';
import { partInterval } from '../parts/variants.ts';
import { collectiveTimeRow, isUnobserved } from '../rows.ts';
import { figureOf, type Group, isOk, type Series, type Slot, xsOf } from '../series.ts';
import { capital, sharedEnd, threeDigits } from '../wording.ts';
import { barsSpec } from './bars.ts';
import {
  intervalSentence,
  mediumSentence,
  nSentence,
  originSentence,
  placeText,
  range,
  runsOf,
  trustSentence,
} from './captions.ts';
import type { Material } from './gather.ts';
import { uniqueSeries } from './looks.ts';
import type { PaperFigure } from './paper.ts';

/** Groups of operations that compute and communicate. */
export const stepGroups = ({ groups }: Material): Group[] =>
  groups.filter(({ row }) => collectiveTimeRow(row) !== undefined);

/** "resnet50", "resnet50, batch 32" where a group has several x. */
export function modelName(group: Group, x: number): string {
  const { title, row } = group;
  const name = (title.startsWith(`${row.title} `) ? title.slice(row.title.length + 1) : title)
    .replace(/@[\da-f]{6,}\b/, '')
    .replaceAll('_', ' ');
  return xsOf(group.series).length > 1 ? `${name}, ${group.x.noun} ${group.x.text(x)}` : name;
}

interface Bar {
  group: Group;
  series: Series;
  slot: Slot;
  ns: number;
  low: number | null;
  high: number | null;
  launches: number;
  samples: number | null;
}

const barsOf = (
  material: Material,
  each: (group: Group, series: Series, slot: Slot) => Omit<Bar, 'group' | 'series' | 'slot'> | null,
): Bar[] =>
  stepGroups(material).flatMap((group) =>
    group.series.flatMap((series) =>
      series.slots.flatMap((slot) => {
        const found = each(group, series, slot);
        return found === null ? [] : [{ group, series, slot, ...found }];
      }),
    ),
  );

const units = [
  { name: 's', ns: 1e9 },
  { name: 'ms', ns: 1e6 },
  { name: 'µs', ns: 1e3 },
] as const;

/** The axis is in the unit of the longest. */
const unitOf = (bars: readonly Bar[]) => {
  const most = Math.max(...bars.map(({ ns }) => ns));
  return units.find(({ ns }) => most >= ns) ?? units[2];
};

function drawn(
  material: Material,
  bars: readonly Bar[],
  of: { number: string; title: string; measure: string; words: string },
  sentences: (series: readonly Series[]) => string[],
): PaperFigure | null {
  const [first] = bars;
  if (first === undefined) return null;
  const unit = unitOf(bars);
  const shared = sharedEnd(bars.map(({ group, slot }) => modelName(group, slot.x)));
  const rows = bars.map(({ group, series, slot, ns, low, high, launches, samples }): Row => {
    return {
      run: series.run.id,
      operation: group.title,
      what: modelName(group, slot.x).slice(0, shared === '' ? undefined : -shared.length - 1),
      series: series.label,
      transport: series.transport,
      medium: series.medium,
      [group.x.field]: slot.x,
      measure: of.measure,
      unit: unit.name.replace('µ', 'u'),
      value: ns / unit.ns,
      low: low === null ? null : low / unit.ns,
      high: high === null ? null : high / unit.ns,
      launches,
      samples,
      text: threeDigits(ns / unit.ns),
    };
  });
  const all = uniqueSeries(bars.map(({ series }) => series));
  const runs = runsOf(
    bars.map(({ series }) => series),
    material.runs,
  );
  return {
    kind: 'figure',
    number: of.number,
    title: of.title,
    caption: [
      `${of.words}, ${placeText(runs)}.`,
      ...allSentence(shared, bars),
      ...sentences(all),
      mediumSentence(all),
      trustSentence(bars.map(({ series }) => series)),
      originSentence(runs),
    ].join(' '),
    rows: rows.map(({ text: _text, ...rest }) => rest),
    spec: (columns, measure) =>
      barsSpec(
        { series: all, rows, noun: 'Model', title: `${of.measure} (${unit.name})` },
        material.theme,
        columns,
        measure,
      ),
  };
}

/** What all bars have in common and their names do not say: "All: image 224, batch 32." */
function allSentence(shared: string, bars: readonly Bar[]): string[] {
  const xs = new Set(bars.map(({ group, slot }) => `${group.x.noun} ${group.x.text(slot.x)}`));
  const isNamed = bars.some(({ group }) => xsOf(group.series).length > 1);
  const words = [...(shared === '' ? [] : [shared]), ...(xs.size === 1 && !isNamed ? xs : [])];
  return words.length === 0 ? [] : [`All: ${words.join(', ')}.`];
}

/** Figure 6.1. */
export const batchTime =
  (number: string) =>
  (material: Material): PaperFigure | null => {
    const bars = barsOf(material, (group, _series, { cell, point }) => {
      const figure = figureOf(cell, group);
      if (figure === null || !isUnobserved(point)) return null;
      const { value: ns, interval, launches, samples } = figure;
      return { ns, low: interval?.low ?? null, high: interval?.high ?? null, launches, samples };
    });
    const figures = bars.flatMap(({ slot, group }) => figureOf(slot.cell, group) ?? []);
    const [first] = bars;
    const of = {
      number,
      title: 'Batch time by model and transport',
      measure: 'Time per batch',
      words: `Time of one training step (a batch): the ${first === undefined ? '' : trialPhrase(first.group)}, without a profiler`,
    };
    return drawn(material, bars, of, () => [
      nSentence(figures, 'bar'),
      intervalSentence(figures, 'Whiskers'),
    ]);
  };

/** Figure 6.2. */
export const collectiveTime =
  (number: string) =>
  (material: Material): PaperFigure | null => {
    const bars = barsOf(material, ({ row }, _series, { cell }) => {
      const side = isOk(cell) ? sideOf(cell, collectiveTimeRow(row)?.name ?? '') : null;
      if (side === null) return null;
      const interval = partInterval(side);
      const samples = side.operations?.used ?? null;
      const launches = side.launchValues.length;
      return { ns: side.value, low: interval?.low ?? null, high: interval?.high ?? null, launches, samples };
    });
    const rows = [...new Set(bars.flatMap(({ group }) => collectiveTimeRow(group.row)?.caption ?? []))];
    const how = rows.length === 0 ? '' : ` (${rows.join('; ')})`;
    const of = {
      number,
      title: 'Time in collectives by model and transport',
      measure: 'Collective time per batch',
      words: `${capital('time of all collectives of one training step')}${how}, waiting for other ranks included`,
    };
    return drawn(material, bars, of, () => {
      const launches = bars.map((one) => one.launches);
      const samples = bars.flatMap((one) => one.samples ?? []);
      const has = bars.filter((one) => one.low !== null).length;
      return [
        `n = ${range(launches)} launches${samples.length === 0 ? '' : `, ${range(samples)} steps per bar`}.`,
        has === 0
          ? 'No intervals: they need 2 launches.'
          : `Whiskers: 95 % intervals of the mean between launches${has < bars.length ? `; ${bars.length - has} of ${bars.length} have none` : ''}.`,
      ];
    });
  };
