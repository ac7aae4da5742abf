// Charts for papers of the time of training steps, and of the time that collectives take in them.

import { nameInValue, sideOf, titleOf } from '../../results/schema/index.ts';
import { trialPhrase } from '../charts/chart.ts';
import type { ChartRow } from '../charts/index.ts';
import { collectiveTimeRow, isUnobserved } from '../rows.ts';
import {
  axesOf,
  type CellSlot,
  figureOf,
  isOk,
  ranksOf,
  type Series,
  type SeriesGroup,
  xsOf,
} from '../series.ts';
import { partInterval } from '../steps/variants.ts';
import { capitalise, splitEnds, threeDigits } from '../wording.ts';
import { barFigures } from './bars.ts';
import {
  countRange,
  intervalSentence,
  mediumSentence,
  nSentence,
  originSentence,
  placeText,
  runsOf,
  trustSentence,
} from './captions.ts';
import { coverageOf, coverageSentence, seriesFields, slotKey } from './coverage.ts';
import type { FigureInput } from './gather.ts';
import type { PaperFigure } from './paper.ts';
import { uniqueSeries } from './print-form.ts';

/** Returns the groups of series whose operations both compute and communicate, such as training steps. */
export const stepGroups = ({ groups }: FigureInput): SeriesGroup[] =>
  groups.filter(({ row }) => collectiveTimeRow(row) !== undefined);

/**
 * Returns the model that a training step runs, with its options: "resnet50, image 224". If the group of series has several x, the
 * given x follows: "resnet50, image 224, batch 32".
 */
export function modelName(group: SeriesGroup, x: number): string {
  const names = Object.entries(axesOf(group)).map(([axis, value]) => [
    axis,
    typeof value === 'string' ? nameInValue(value) : value,
  ]);
  const name = titleOf(group.row, Object.fromEntries(names), ', ', true).replaceAll('_', ' ');
  return xsOf(group.series).length > 1 ? `${name}, ${group.x.noun} ${group.x.text(x)}` : name;
}

/** True for a group of training steps of which no configuration has a result. */
const isUnmeasuredStep = ({ row, series }: SeriesGroup): boolean =>
  collectiveTimeRow(row) !== undefined && !series.some(({ slots }) => slots.some(({ cell }) => isOk(cell)));

interface StepBar {
  group: SeriesGroup;
  series: Series;
  slot: CellSlot;
  ns: number;
  low: number | null;
  high: number | null;
  launches: number;
  samples: number | null;
}

const barsOf = (
  material: FigureInput,
  each: (
    group: SeriesGroup,
    series: Series,
    slot: CellSlot,
  ) => Omit<StepBar, 'group' | 'series' | 'slot'> | null,
): StepBar[] =>
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

/**
 * Returns the unit for all bars of a chart (s, ms or µs): the largest in which the longest bar is at least 1, else µs. `bars` must
 * not be empty.
 */
const unitOf = (bars: readonly StepBar[]) => {
  const most = Math.max(...bars.map(({ ns }) => ns));
  return units.find(({ ns }) => most >= ns) ?? units[2];
};

function drawn(
  material: FigureInput,
  bars: readonly StepBar[],
  of: { name: string; title: string; measure: string; words: string },
  sentences: (bars: readonly StepBar[]) => string[],
): PaperFigure[] {
  if (bars.length === 0) return [];
  const unit = unitOf(bars);
  const { common: shared, rest } = splitEnds(bars.map(({ group, slot }) => modelName(group, slot.x)));
  const made = bars.map((bar, i) => {
    const { group, series, slot, ns, low, high, launches, samples } = bar;
    const ranks = ranksOf(series);
    const row: ChartRow = {
      ...seriesFields(series, group.title),
      what: rest[i] ?? '',
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
    return { ...bar, row, ranks };
  });
  const words = { name: of.name, noun: 'Model', title: of.measure, unit: unit.name };
  return barFigures(made, words, (mine) => {
    const series = mine.map((bar) => bar.series);
    const runs = runsOf(series, material.runs);
    const cells = [...new Set(mine.flatMap(({ slot: { cell } }) => (isOk(cell) ? [cell] : [])))];
    const ranks = new Set(mine.map((bar) => bar.ranks));
    const keys = new Set(mine.map(({ group, series: one, slot }) => slotKey(group, one, slot.x)));
    const groupKeys = new Set(bars.map(({ group }) => group.key));
    const planned = material.planned
      .filter((group) => groupKeys.has(group.key) || isUnmeasuredStep(group))
      .map((group) => ({ ...group, series: group.series.filter((one) => ranks.has(ranksOf(one))) }));
    const coverage = coverageOf(planned, keys, () => `without a value for this figure`);
    return {
      title: of.title,
      caption: [
        `${of.words}, ${placeText(runs)}.`,
        ...allSentence(shared, mine),
        coverageSentence(coverage),
        ...sentences(mine),
        mediumSentence(uniqueSeries(series)),
        trustSentence(cells),
        originSentence(runs),
      ].join(' '),
    };
  });
}

/**
 * Returns a list with a sentence about what all bars have in common and their names therefore leave out: "All: image 224, batch
 * 32." Empty if there is nothing.
 * @param shared end of the models' names that all have in common; '' = none
 */
function allSentence(shared: string, bars: readonly StepBar[]): string[] {
  const xs = new Set(bars.map(({ group, slot }) => `${group.x.noun} ${group.x.text(slot.x)}`));
  const isNamed = bars.some(({ group }) => xsOf(group.series).length > 1);
  const words = [...(shared === '' ? [] : [shared]), ...(xs.size === 1 && !isNamed ? xs : [])];
  return words.length === 0 ? [] : [`All: ${words.join(', ')}.`];
}

export const batchTime = (material: FigureInput): PaperFigure[] => {
  const bars = barsOf(material, (group, _series, { cell, point }) => {
    const figure = figureOf(cell, group);
    if (figure === null || !isUnobserved(point)) return null;
    const { value: ns, interval, launches, samples } = figure;
    return { ns, low: interval?.low ?? null, high: interval?.high ?? null, launches, samples };
  });
  const [first] = bars;
  const of = {
    name: 'batch-time',
    title: 'Batch time by model and transport',
    measure: 'Median time per batch',
    words: `Time of one training step (a batch): the ${first === undefined ? '' : trialPhrase(first.group)}, without a profiler`,
  };
  return drawn(material, bars, of, (mine) => {
    const figures = mine.flatMap(({ slot, group }) => figureOf(slot.cell, group) ?? []);
    return [nSentence(figures, 'bar'), intervalSentence(figures, 'Whiskers')];
  });
};

export const collectiveTime = (material: FigureInput): PaperFigure[] => {
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
    name: 'collective-time',
    title: 'Time in collectives by model and transport',
    measure: 'Mean collective time per batch',
    words: `${capitalise('time of all collectives of one training step')}${how}, waiting for other ranks included`,
  };
  return drawn(material, bars, of, (mine) => {
    const launches = mine.map((one) => one.launches);
    const samples = mine.flatMap((one) => one.samples ?? []);
    const has = mine.filter((one) => one.low !== null).length;
    return [
      `n = ${countRange(launches)} launches${samples.length === 0 ? '' : `, ${countRange(samples)} steps per bar`}.`,
      has === 0
        ? 'No intervals: too few launches, or launches that differ too much.'
        : `Whiskers: 95 % intervals of the mean between launches${has < mine.length ? `; ${mine.length - has} of ${mine.length} have none` : ''}.`,
    ];
  });
};
