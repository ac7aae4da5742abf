import { nameOfRun } from '../results/compare/names.ts';
import type { MetricsSeries } from '../results/derive/index.ts';
import type { RecordingTimeline } from '../results/record/index.ts';
import {
  type BlockRecord,
  type CellRecord,
  derivedOf,
  type FigureData,
  fileKeyOf,
  type GroupPlan,
  headlineNames,
  type MeasuredFigure,
  type Medium,
  measuredOf,
  type OkCell,
  type PointPlan,
  type RunPlan,
  type RunRecord,
  titleOf,
  type WorkloadData,
  whatOf,
  xOf,
} from '../results/schema/index.ts';
import type { Topology } from '../results/topology/index.ts';
import { namedX, timesOnDevice, workloadRowOf, type XAxisFormat, xAxisFormat } from './rows.ts';
import { seriesStyles } from './theme.ts';
import { manyOf, plural, shortTransport, transportLabel } from './wording.ts';

/** What series keep of their run. */
export type SeriesRun = Pick<RunRecord, 'id' | 'label' | 'plan' | 'inventory' | 'launches' | 'retries'>;

/** What series are made from. */
export interface SeriesSource {
  record: SeriesRun;
  cells: readonly CellRecord[];
}

/** What a report is made from; `LoadedRun` of results/store is one. */
export interface ReportRun extends SeriesSource {
  dir: string;
  record: RunRecord;
  warnings: readonly string[];
  /** What the hosts did meanwhile; absent or empty where nothing was read. */
  metrics?: () => Promise<readonly MetricsSeries[]>;
  /** Raw samples; absent where they are not kept. */
  blocks?: () => AsyncIterable<BlockRecord>;
  /** How its machines are connected; absent or empty where nobody asked them. */
  topologies?: () => Promise<readonly Topology[]>;
  /** Of a run of `collbench record`; null where its records are not there. */
  recorded?: () => Promise<RecordingTimeline | null>;
}

/** By run, of those that could be read. */
export type RunTopologies = ReadonlyMap<SeriesSource, readonly Topology[]>;

/** One cell of a table: measured, failed, or planned and never reached (`null`). */
export interface CellSlot {
  /** Along the axis of the group; 0 where its workload has none. */
  x: number;
  point: PointPlan;
  cell: CellRecord | null;
}

/** All cells that differ only in x, over one transport of one run, of one group of ranks where it has groups. */
export interface Series {
  /** Unique in a report: run id, transport and group of ranks. */
  key: string;
  /** For legends: names run (when there are several), transport, medium and detail. */
  label: string;
  /** For column heads and sentences: "sisci" or "7f3a2c sisci". */
  name: string;
  run: SeriesRun;
  transport: string;
  /** The group of ranks; null where the run has none. */
  member: GroupPlan | null;
  medium: Medium;
  detail: string;
  /** Of the machines of its run; empty = not known. */
  topologies: readonly Topology[];
  colour: string;
  shape: string;
  /** In order of x. */
  slots: CellSlot[];
}

/** What is drawn in one chart: one operation with all axes but x fixed, over all transports. */
export interface SeriesGroup {
  /** Also the start of file names: "allreduce-float32-sum-out", "broadcast-int8-r0-in". */
  key: string;
  row: WorkloadData;
  x: XAxisFormat;
  /** The operation: "allreduce". */
  what: string;
  /** "allreduce float32 sum", "broadcast int8 root 0, in place". */
  title: string;
  series: Series[];
  /** Its series are of several operations, for one chart: no models, no comparisons. */
  isMerged?: boolean;
  /** Its first headline figure that anything in it has. Two are never mixed in one chart. */
  figure: string;
}

export function isOk(cell: CellRecord | null | undefined): cell is OkCell {
  return cell?.status === 'ok';
}

/** The series of a point or a cell, for people; also of those of other runs. */
export const titleOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  titleOf(workloadRowOf(plan, point), point.axes);

/** Where a point or a cell stands along x; 0 where its workload has no such axis. */
export const xOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): number =>
  xOf(workloadRowOf(plan, point), point.axes)?.value ?? 0;

/** The same in words: "1 MiB". */
export const xTextOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  xAxisFormat(workloadRowOf(plan, point)).text(xOfPoint(plan, point));

/** The same where nothing else names it: "1 MiB", "grid 4,096". */
export const namedXOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  namedX(xAxisFormat(workloadRowOf(plan, point)), xOfPoint(plan, point));

/** The cells of the runs ordered for telling: by group as planned, then run and transport, then x. */
export function groupsOf(
  runs: readonly SeriesSource[],
  topologies: RunTopologies = new Map(),
): SeriesGroup[] {
  const groups = new Map<string, SeriesGroup>();
  for (const run of runs) {
    const { plan } = run.record;
    const all = seriesOf(plan);
    const byPlace = new Map(
      run.cells.map((cell) => [`${cell.point}/${cell.transport}/${cell.group?.index ?? ''}`, cell]),
    );
    plan.points.forEach((point, index) => {
      const group = groupAt(groups, workloadRowOf(plan, point), point);
      for (const { transport, member, index: at } of all) {
        const seriesKey = [run.record.id, transport.name, ...(at === null ? [] : [at])].join('/');
        let series = group.series.find((s) => s.key === seriesKey);
        if (series === undefined) {
          series = {
            key: seriesKey,
            label: transportLabel(transport) + (member === null ? '' : `, ${member.name}`),
            name: shortTransport(transport.name) + (member === null ? '' : ` (${member.name})`),
            run: run.record,
            transport: transport.name,
            member,
            medium: transport.medium,
            detail: transport.detail,
            topologies: topologies.get(run) ?? [],
            colour: '#000000',
            shape: 'circle',
            slots: [],
          };
          group.series.push(series);
        }
        const cell = byPlace.get(`${index}/${transport.name}/${at ?? ''}`) ?? null;
        series.slots.push({ x: xOfPoint(plan, point), point, cell });
      }
    });
  }
  for (const group of groups.values()) {
    for (const series of group.series) series.slots.sort((a, b) => a.x - b.x);
    const cells = group.series.flatMap((s) => s.slots.map((slot) => slot.cell));
    group.figure = headlineName([group.row], cells);
  }
  nameApart([...groups.values()]);
  lookApart([...groups.values()]);
  return [...groups.values()];
}

function groupAt(groups: Map<string, SeriesGroup>, row: WorkloadData, { axes }: PointPlan): SeriesGroup {
  const key = fileKeyOf(row, axes);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const title = titleOf(row, axes);
  const group: SeriesGroup = {
    key,
    row,
    x: xAxisFormat(row),
    what: whatOf(row, axes),
    title,
    series: [],
    figure: '',
  };
  groups.set(key, group);
  return group;
}

/** The first headline figure that any of the cells has; the first of all where none has one. */
export function headlineName(rows: readonly WorkloadData[], cells: readonly (CellRecord | null)[]): string {
  const names = rows.flatMap(headlineNames);
  return names.find((name) => cells.some((cell) => measuredOf(cell, name) !== null)) ?? names[0] ?? '';
}

/** Transports, each with every group of ranks where there are some. */
function seriesOf({ transports, groups }: RunPlan) {
  const members = groups?.members.map((member, index) => ({ member, index }));
  return transports.flatMap((transport) =>
    (members ?? [{ member: null, index: null }]).map((one) => ({ transport, ...one })),
  );
}

/** Gives series their looks: those of one number of ranks stand in one panel. */
function lookApart(groups: readonly SeriesGroup[]): void {
  for (const { series } of groups)
    for (const ranks of new Set(series.map(({ run }) => run.plan.ranks))) {
      const mine = series.filter(({ run }) => run.plan.ranks === ranks);
      const looks = seriesStyles(mine.map(({ transport }) => transport));
      for (const [i, one] of mine.entries()) Object.assign(one, looks[i]);
    }
}

/** Adds to the names of series what tells them apart: nothing, else the number of ranks, else the run, else both. */
function nameApart(groups: readonly SeriesGroup[]): void {
  const added: ((series: Series) => Pick<Series, 'label' | 'name'>)[] = [
    ({ label, name }) => ({ label, name }),
    ({ label, name, run }) => ({ label: label + ranksIn(run), name: name + ranksIn(run) }),
    ({ label, name, run }) => ({ label: `${nameOfRun(run)} ${label}`, name: `${nameOfRun(run)} ${name}` }),
    ({ label, name, run }) => ({
      label: `${nameOfRun(run)} ${label}${ranksIn(run)}`,
      name: `${nameOfRun(run)} ${name}${ranksIn(run)}`,
    }),
  ];
  const isClear = (naming: (series: Series) => Pick<Series, 'label' | 'name'>) =>
    groups.every(({ series }) => new Set(series.map((one) => naming(one).name)).size === series.length);
  const naming = added.find(isClear) ?? added.at(-1);
  if (naming === undefined) return;
  for (const { series } of groups) for (const one of series) Object.assign(one, naming(one));
}

/** " at 4 ranks" */
const ranksIn = ({ plan }: SeriesRun): string => ` at ${plural(plan.ranks, 'rank')}`;

/** The same series in a panel whose title has the number of ranks. */
export const withoutRanks = (series: Series): Series => {
  const cut = (text: string) =>
    text.endsWith(ranksIn(series.run)) ? text.slice(0, -ranksIn(series.run).length) : text;
  return { ...series, label: cut(series.label), name: cut(series.name) };
};

/** The figure a group is drawn from, or `null` where there is a hole. */
export const figureOf = (
  cell: CellRecord | null | undefined,
  { figure }: SeriesGroup,
): MeasuredFigure | null => measuredOf(cell, figure);

/** The group as a derived figure sees it: by the first of the figures it is made of that anything has. */
export function groupOfFigure(group: SeriesGroup, { from }: FigureData): SeriesGroup {
  const has = (name: string) =>
    group.series.some(({ slots }) => slots.some(({ cell }) => measuredOf(cell, name) !== null));
  const figure = from.find(has) ?? group.figure;
  return figure === group.figure ? group : { ...group, figure };
}

/** What was derived of the group's figure by that name, or `null`. */
export const rateOf = (cell: CellRecord | null, { figure }: SeriesGroup, name: string): number | null =>
  cell === null ? null : (derivedOf(cell, name, figure)?.value ?? null);

/** The cell of a series at x. */
export const cellAt = ({ slots }: Series, x: number): CellRecord | null =>
  slots.find((slot) => slot.x === x)?.cell ?? null;

/** Every x of a group, ascending. */
export const xsOf = (series: readonly Series[]): number[] =>
  [...new Set(series.flatMap(({ slots }) => slots.map(({ x }) => x)))].sort((a, b) => a - b);

/** Whether times are marks on devices: latency behind a hold kernel, enqueue cost apart. */
export function isOnDevice(group: SeriesGroup): boolean {
  const measured = group.series.flatMap(({ slots }) =>
    slots.flatMap(({ cell }) => measuredOf(cell, 'latency')?.method.sync ?? []),
  );
  if (measured.length > 0) return measured.includes('hold');
  return group.series.some((s) => timesOnDevice(s.run.plan));
}

/** "28 sizes from 8 B to 1 GiB", "1 size (1 MiB)". */
export function xPhrase(x: XAxisFormat, values: readonly number[]): string {
  const all = [...new Set(values)].sort((a, b) => a - b);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return `no ${manyOf(x.noun)}`;
  if (all.length === 1) return `1 ${x.noun} (${x.text(first)})`;
  return `${plural(all.length, x.noun)} from ${x.text(first)} to ${x.text(last)}`;
}
