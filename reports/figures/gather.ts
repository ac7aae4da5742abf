// What a set of figures is drawn from: the groups of all runs, each series named by transport and medium.

import { nameOfRun } from '../../results/compare/names.ts';
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { figureOf, type Group, groupsOf, headlineName, type ReportedRun, type Series } from '../series.ts';
import { capital, plural, shortTransport } from '../wording.ts';
import type { Theme } from './theme.ts';

export interface Material {
  runs: readonly ReportedRun[];
  /** One per operation, over all runs. */
  groups: Group[];
  theme: Theme;
}

const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down'];

export const mediumWords = { hardware: 'hardware', emulated: 'emulated', unknown: 'medium unknown' } as const;

/** @throws what reading of the machines throws */
export async function gather(runs: readonly ReportedRun[], theme: Theme): Promise<Material> {
  const groups = new Map<string, Group>();
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
    group.series = group.series.filter(({ slots }) =>
      slots.some(({ cell }) => figureOf(cell, group) !== null),
    );
  }
  const drawn = all.filter(({ series }) => series.length > 0);
  nameSeries(drawn, runs);
  lookAlike(drawn, theme);
  return { runs, groups: drawn, theme };
}

/** "sisci (emulated)"; with the engine, the ranks or the run only where series of one group would be called alike. */
function nameSeries(groups: readonly Group[], runs: readonly ReportedRun[]): void {
  const plain = ({ transport, medium, member }: Series) =>
    `${shortTransport(transport)} (${[mediumWords[medium], ...(member === null ? [] : [member.name])].join(', ')})`;
  const more: ((series: Series) => string)[] = [
    (series) => `${plain(series)}, ${series.run.plan.engine}`,
    (series) => `${plain(series)}, ${plural(series.run.plan.ranks, 'rank')}`,
    (series) => `${plain(series)}, ${runNameOf(series, runs)}`,
  ];
  const isClear = (name: (series: Series) => string) =>
    groups.every(({ series }) => new Set(series.map(name)).size === series.length);
  const name = [plain, ...more].find(isClear) ?? more.at(-1) ?? plain;
  for (const { series } of groups) for (const one of series) one.label = name(one);
}

export const runNameOf = (series: Series, runs: readonly ReportedRun[]): string => {
  const run = runs.find(({ record }) => record.id === series.run.id);
  return run === undefined ? series.run.id : nameOfRun(run.record);
};

/** A series looks the same in all figures of a set: colour and symbol by its place among all. */
function lookAlike(groups: readonly Group[], { colours }: Theme): void {
  const names = [...new Set(groups.flatMap(({ series }) => series.map(({ label }) => label)))];
  for (const one of groups.flatMap(({ series }) => series)) {
    const at = names.indexOf(one.label);
    one.colour = colours[at % colours.length] ?? '#000000';
    one.shape = shapes[at % shapes.length] ?? 'circle';
  }
}

/** Every measured figure that is drawn of these series. */
export const measuredIn = (group: Group, series: readonly Series[] = group.series): MeasuredFigure[] =>
  series.flatMap(({ slots }) => slots.flatMap(({ cell }) => figureOf(cell, group) ?? []));

export const titleOf = ({ title }: Group): string => capital(title);
