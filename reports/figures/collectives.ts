// Figures 5.2 to 5.6: a collective over message size, and averages of all collectives.
import type { FigureData } from '../../results/schema/index.ts';
import { ceilingsOf } from '../ceiling.ts';
import { type Point, pointsOf, trialPhrase } from '../charts/chart.ts';
import { averagesOf, hasAverages, type Row } from '../charts/index.ts';
import { factorOf } from '../models.ts';
import { derivedRows } from '../rows.ts';
import { cellAt, figureOf, type Group, isOk, seenBy, xPhrase } from '../series.ts';
import { capital, chosenText, joinWords, threeDigits } from '../wording.ts';
import { type Spread, spreadOf, spreadSentence } from './average-interval.ts';
import { barsSpec } from './bars.ts';
import {
  intervalSentence,
  mediumSentence,
  nSentence,
  originSentence,
  placeText,
  runsOf,
  trustSentence,
} from './captions.ts';
import { curvesSpec } from './curves.ts';
import { type Material, measuredIn } from './gather.ts';
import { uniqueSeries } from './looks.ts';
import type { PaperFigure } from './paper.ts';

/** The collective of figures 5.2 to 5.4: all-reduce, as in the thesis, else the first one. */
export function mainGroup({ groups }: Material): Group | null {
  const all = groups.filter((group) => hasAverages(group));
  return all.find(({ what }) => what === 'allreduce') ?? all[0] ?? null;
}

/** Bandwidths of collectives, in the order of the row: algorithm's first. */
const bandwidths = ({ row }: Group): FigureData[] => derivedRows(row).filter(({ unit }) => unit === 'GB/s');
const bandwidth = (group: Group, isBus: boolean): FigureData | undefined =>
  bandwidths(group).find(({ factorColumn }) => (factorColumn !== undefined) === isBus);

/** Lines that differ by more than this lie on a linear axis as one. */
const mostLinear = 8;

/** Observations of one line chart: values with their interval, in the unit of its axis. */
function rowsOf(
  group: Group,
  of: { name: string; unit: string },
  value: (timeNs: number, point: Point) => number,
): Row[] {
  let holes = 0;
  return pointsOf(group).map((point) => {
    const { series, timeNs, lowNs, highNs, row } = point;
    const ends = [lowNs, highNs].flatMap((ns) => (ns === null || ns <= 0 ? [] : [value(ns, point)]));
    if (ends.length < 2) holes += 1;
    const x = Number(row[group.x.field]);
    const figure = figureOf(cellAt(series, x), group);
    return {
      run: series.run.id,
      operation: group.title,
      series: series.label,
      transport: series.transport,
      medium: series.medium,
      [group.x.field]: x,
      measure: of.name,
      unit: of.unit,
      value: value(timeNs, point),
      low: ends.length === 2 ? Math.min(...ends) : null,
      high: ends.length === 2 ? Math.max(...ends) : null,
      launches: figure?.launches ?? null,
      samples: figure?.samples ?? null,
      x,
      stretch: row.stretch ?? null,
      // A band ends where a point has no interval.
      band: `${row.stretch}/${holes}`,
    };
  });
}

const tidy = (rows: readonly Row[]): Row[] =>
  rows.map(({ x: _x, stretch: _stretch, band: _band, ...rest }) => rest);

function closing(group: Group, material: Material, marks: string): string {
  const figures = measuredIn(group);
  const runs = runsOf(group.series, material.runs);
  return [
    nSentence(figures),
    intervalSentence(figures, marks),
    ...(isBroken(group) ? ['Lines break where the algorithm or protocol changes.'] : []),
    mediumSentence(group.series),
    trustSentence(group.series),
    originSentence(runs),
  ].join(' ');
}

const isBroken = ({ series }: Group): boolean =>
  series.some(
    ({ slots }) =>
      new Set(slots.flatMap(({ cell }) => (isOk(cell) ? [chosenText(cell.choice)] : []))).size > 1,
  );

/** Where two figures are the same, a reader should not have to find out. */
function factorSentence(group: Group, of: FigureData): string {
  if (of.factorColumn === undefined) return '';
  const factors = group.series.map((series) => factorOf(group, series, of.name));
  return factors.every((factor) => factor === 1)
    ? 'With these ranks the factor is 1: both bandwidths are the same. '
    : '';
}

const over = (group: Group, material: Material): string =>
  `${group.title}, ${placeText(runsOf(group.series, material.runs))}, ${xPhrase(
    group.x,
    group.series.flatMap(({ slots }) => slots.map(({ x }) => x)),
  )}`;

/** Figures 5.2 (algorithm) and 5.3 (bus): the ceiling is that of a link, which bus bandwidth is comparable with. */
export const rateFigure =
  (number: string, isBus: boolean) =>
  (material: Material): PaperFigure | null => {
    const main = mainGroup(material);
    const of = main === null ? undefined : bandwidth(main, isBus);
    if (main === null || of === undefined) return null;
    const group = seenBy(main, of);
    const made = rowsOf(group, of, (ns, { rates, timeNs }) => ((rates[of.name] ?? 0) * timeNs) / ns);
    const peaks = group.series.map(({ label }) =>
      Math.max(...made.flatMap((row) => (row.series === label ? [Number(row.value)] : []))),
    );
    const isLogarithmic = Math.max(...peaks) > mostLinear * Math.min(...peaks);
    const rules =
      of.isPerLink === true ? ceilingsOf(group).map(({ busGBps, text }) => ({ value: busGBps, text })) : [];
    const title = `${capital(of.title)} (${of.unit}${isLogarithmic ? ', log scale' : ''})`;
    return {
      kind: 'figure',
      number,
      title: `${capital(of.title)} of ${group.what}`,
      caption: `${capital(of.title)} of ${over(group, material)}. ${of.caption ?? capital(of.title)}; t is the ${trialPhrase(group)}. ${factorSentence(group, of)}${rules.length === 0 ? '' : `Dotted: the ceiling, ${joinWords(rules.map(({ text }) => text))}. `}${closing(group, material, 'Bands')}`,
      rows: tidy(made),
      spec: (columns, measure) =>
        curvesSpec({ group, rows: made, title, isLogarithmic, rules }, material.theme, columns, measure),
    };
  };

/** Figure 5.4. */
export const timeFigure =
  (number: string) =>
  (material: Material): PaperFigure | null => {
    const group = mainGroup(material);
    if (group === null) return null;
    const rows = rowsOf(group, { name: group.figure, unit: 'us' }, (ns) => ns / 1e3);
    return {
      kind: 'figure',
      number,
      title: `Time of ${group.what}`,
      caption: `Time of ${over(group, material)}: the ${trialPhrase(group)}. Both axes are logarithmic. ${closing(group, material, 'Bands')}`,
      rows: tidy(rows),
      spec: (columns, measure) =>
        curvesSpec(
          { group, rows, title: 'Time per operation (µs, log scale)', isLogarithmic: true, rules: [] },
          material.theme,
          columns,
          measure,
        ),
    };
  };

/** Figures 5.5 (algorithm) and 5.6 (bus). */
export const averageFigure =
  (number: string, isBus: boolean) =>
  (material: Material): PaperFigure | null => {
    const groups = material.groups.filter((group) => hasAverages(group));
    const [first] = groups;
    const of = first === undefined ? undefined : bandwidth(first, isBus);
    const all = averagesOf(groups);
    if (first === undefined || of === undefined || all.length === 0) return null;
    const used = all.flatMap(({ group, series, bytes }) =>
      bytes.flatMap((at) => figureOf(cellAt(series, at), group) ?? []),
    );
    const spreads: (Spread | null)[] = [];
    const rows = all.flatMap(({ group, series, what, bytes, rates }): Row[] => {
      const rate = rates.find((one) => one.of.name === of.name)?.GBps;
      if (rate === undefined) return [];
      const figures = bytes.flatMap((at) => figureOf(cellAt(series, at), group) ?? []);
      const spread = spreadOf(figures);
      spreads.push(spread);
      return [
        {
          run: series.run.id,
          operation: group.title,
          what,
          series: series.label,
          transport: series.transport,
          medium: series.medium,
          firstBytes: bytes[0] ?? null,
          lastBytes: bytes.at(-1) ?? null,
          sizes: bytes.length,
          measure: `mean ${of.name}`,
          unit: of.unit,
          value: rate,
          low: spread === null ? null : rate / spread.longer,
          high: spread === null ? null : rate / spread.shorter,
          launches: Math.min(...figures.map(({ launches }) => launches)),
          samples: sum(figures.map(({ samples }) => samples)),
          text: threeDigits(rate),
        },
      ];
    });
    const series = uniqueSeries(groups.flatMap((group) => group.series));
    const noun = capital(first.row.noun);
    const title = `Average ${of.title} (${of.unit})`;
    const sizes = xPhrase(
      first.x,
      all.flatMap(({ bytes }) => bytes),
    );
    return {
      kind: 'figure',
      number,
      title: `Average ${of.title} of all ${first.row.noun}s measured`,
      caption: `Average ${of.title} per ${first.row.noun}, ${placeText(runsOf(series, material.runs))}: all bytes of ${sizes} over all their time${isBus ? ', times the bus factor' : ''}. Large messages take most of the time and so count most. ${nSentence(used, 'size')} ${spreadSentence(spreads)} ${mediumSentence(series)} ${trustSentence(groups.flatMap((group) => group.series))} ${originSentence(
        runsOf(
          groups.flatMap((group) => group.series),
          material.runs,
        ),
      )}`,
      rows: rows.map(({ what: _what, text: _text, ...rest }) => rest),
      spec: (columns, measure) => barsSpec({ series, rows, noun, title }, material.theme, columns, measure),
    };
  };

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
