// Input for the figures of a paper: the series of all runs, named by transport and medium.
import { nameOfRun } from '../../results/compare/run.ts';
import { transportRow } from '../../results/schema/index.ts';
import {
  figureOf,
  groupsOf,
  headlineName,
  type ReportRun,
  type Series,
  type SeriesGroup,
} from '../series.ts';
import { seriesStyles, transportLooks } from '../theme.ts';
import { shortTransport } from '../wording.ts';
import type { FigureTheme } from './theme.ts';

export interface FigureInput {
  runs: readonly ReportRun[];
  /** The series of all runs, one group of series per operation, without series that have no values. */
  groups: SeriesGroup[];
  /** The same with all planned series: also series, and whole groups of series, without values. */
  planned: SeriesGroup[];
}

export const mediumTexts = { hardware: 'hardware', emulated: 'emulated', unknown: 'medium unknown' } as const;

/**
 * Collects the series of all runs into groups of series, one per operation, for printed figures. Series are in the order of the
 * transport table. Their labels, colours and symbols are the same in all figures. Rejects with the error of `ReportRun.topologies`
 * if a run's topology cannot be read.
 */
export async function gather(runs: readonly ReportRun[], theme: FigureTheme): Promise<FigureInput> {
  const groups = new Map<string, SeriesGroup>();
  for (const run of runs) {
    const topologies = new Map([[run, (await run.topologies?.()) ?? []]]);
    for (const group of groupsOf([run], topologies)) {
      const known = groups.get(group.key);
      if (known === undefined) groups.set(group.key, group);
      else known.series.push(...group.series);
    }
  }
  const all = [...groups.values()];
  for (const group of all) {
    const cells = group.series.flatMap(({ slots }) => slots.map(({ cell }) => cell));
    group.figure = headlineName([group.row], cells);
    group.series.sort((a, b) => placeOf(a) - placeOf(b));
  }
  nameSeries(all, runs);
  lookAlike(all, theme);
  const measured = all
    .map((group) => ({
      ...group,
      series: group.series.filter(({ slots }) => slots.some(({ cell }) => figureOf(cell, group) !== null)),
    }))
    .filter(({ series }) => series.length > 0);
  return { runs, groups: measured, planned: all };
}

const names = [...transportLooks.keys()];

/**
 * Returns the position of a series' transport in the transport table, by which figures and tables sort series; transports that are
 * not in the table come last.
 */
const placeOf = ({ transport }: Series): number => {
  const place = names.indexOf(transportRow(transport)?.name ?? '');
  return place < 0 ? names.length : place;
};

/**
 * Sets the label of every series: "sisci (emulated)". If two series of a group with equal rank counts would have equal labels, all
 * labels also name the engine, or else the run. Rank counts are in the titles of panels and in a column of tables.
 */
function nameSeries(groups: readonly SeriesGroup[], runs: readonly ReportRun[]): void {
  const plain = ({ transport, medium, member }: Series) =>
    `${shortTransport(transport)} (${[mediumTexts[medium], ...(member === null ? [] : [member.name])].join(', ')})`;
  const more: ((series: Series) => string)[] = [
    (series) => `${plain(series)}, ${series.run.plan.engine}`,
    (series) => `${plain(series)}, ${runNameOf(series, runs)}`,
  ];
  const isClear = (name: (series: Series) => string) =>
    groups.every(
      ({ series }) =>
        new Set(series.map((one) => `${one.run.plan.ranks} ${name(one)}`)).size === series.length,
    );
  const name = [plain, ...more].find(isClear) ?? more.at(-1) ?? plain;
  for (const { series } of groups)
    for (const one of series) {
      const label = name(one);
      one.unranked = { ...one.unranked, label, shortLabel: label };
      Object.assign(one, { label, shortLabel: label });
    }
}

const runNameOf = (series: Series, runs: readonly ReportRun[]): string => {
  const run = runs.find(({ record }) => record.id === series.run.id);
  return run === undefined ? series.run.id : nameOfRun(run.record);
};

/**
 * Sets colour and symbol of every series, so that series with equal labels look the same in all figures. Colours come from the
 * theme file if it has any, else from the transport.
 */
function lookAlike(groups: readonly SeriesGroup[], { colours }: FigureTheme): void {
  const series = groups.flatMap((group) => group.series);
  const first = new Map(series.toSorted((a, b) => placeOf(a) - placeOf(b)).map((one) => [one.label, one]));
  const looks = seriesStyles([...first.values()].map(({ transport }) => transport));
  const labels = [...first.keys()];
  for (const one of series) {
    const at = labels.indexOf(one.label);
    Object.assign(one, looks[at]);
    if (colours !== null) one.colour = colours[at % colours.length] ?? one.colour;
  }
}
