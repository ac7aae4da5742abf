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

/** Fields of a run's record that its series keep. */
export type SeriesRun = Pick<RunRecord, 'id' | 'label' | 'plan' | 'inventory' | 'launches' | 'retries'>;

/** Record and cells of one run, from which its series are made. */
export interface SeriesSource {
  record: SeriesRun;
  cells: readonly CellRecord[];
}

/** One run as a report needs it. `LoadedRun` of results/store has this shape. */
export interface ReportRun extends SeriesSource {
  dir: string;
  record: RunRecord;
  warnings: readonly string[];
  /** Reads the system metrics of the hosts during the run; absent or an empty list if none were recorded. */
  metrics?: () => Promise<readonly MetricsSeries[]>;
  /** Reads the raw samples, block by block; absent if the run keeps none. */
  blocks?: () => AsyncIterable<BlockRecord>;
  /** Reads how devices inside each host are connected; absent or an empty list if the hosts were not asked. */
  topologies?: () => Promise<readonly Topology[]>;
  /** Reads the timeline of a run of `collbench record`; null if its records are missing. */
  recorded?: () => Promise<RecordingTimeline | null>;
}

/** Topologies of the hosts of each run; runs without a readable topology are missing. */
export type RunTopologies = ReadonlyMap<SeriesSource, readonly Topology[]>;

/** One cell of a table: measured, failed, or planned and never reached (`null`). */
export interface CellSlot {
  /** Value on the x axis of the group; 0 if the workload has no x axis. */
  x: number;
  point: PointPlan;
  cell: CellRecord | null;
}

/** All cells that differ only in x: one transport of one run and, if the run has groups of ranks, one group. */
export interface Series {
  /** Unique in a report: run id, transport and group of ranks. */
  key: string;
  /** Text for legends: run (if the report has several), transport, medium and detail. */
  label: string;
  /** Text for column heads and sentences: "sisci" or "7f3a2c sisci". */
  name: string;
  run: SeriesRun;
  transport: string;
  /** The group of ranks; null where the run has none. */
  member: GroupPlan | null;
  medium: Medium;
  detail: string;
  /** Topologies of the hosts of its run; empty if unknown. */
  topologies: readonly Topology[];
  colour: string;
  shape: string;
  /** Slots in ascending order of x. */
  slots: CellSlot[];
}

/** Series of one chart: one operation with all axes but x fixed, over all transports. */
export interface SeriesGroup {
  /** Unique key, also the start of file names: "allreduce-float32-sum-out", "broadcast-int8-r0-in". */
  key: string;
  row: WorkloadData;
  x: XAxisFormat;
  /** The operation: "allreduce". */
  what: string;
  /** Title for people: "allreduce float32 sum", "broadcast int8 root 0, in place". */
  title: string;
  series: Series[];
  /** True if the series belong to several operations and share one chart; such a group gets no models and no comparisons. */
  isMerged?: boolean;
  /** Name of the first headline figure that any cell of the group has. One chart never mixes two figures. */
  figure: string;
}

export function isOk(cell: CellRecord | null | undefined): cell is OkCell {
  return cell?.status === 'ok';
}

/** Returns the title of the series to which a point or cell belongs. The point may belong to another run. */
export const titleOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  titleOf(workloadRowOf(plan, point), point.axes);

/** Returns the x value of a point or cell; 0 if its workload has no x axis. */
export const xOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): number =>
  xOf(workloadRowOf(plan, point), point.axes)?.value ?? 0;

/** Returns the x value of a point or cell as text: "1 MiB". */
export const xTextOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  xAxisFormat(workloadRowOf(plan, point)).text(xOfPoint(plan, point));

/** Returns the x value as text that also names the axis if the unit does not: "1 MiB", "grid 4,096". */
export const namedXOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  namedX(xAxisFormat(workloadRowOf(plan, point)), xOfPoint(plan, point));

/** Groups the cells of the runs into series. Order: group as planned, then run and transport, then x. */
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

/** Returns the name of the first headline figure that any of the cells has; if none has one, the first headline figure. */
export function headlineName(rows: readonly WorkloadData[], cells: readonly (CellRecord | null)[]): string {
  const names = rows.flatMap(headlineNames);
  return names.find((name) => cells.some((cell) => measuredOf(cell, name) !== null)) ?? names[0] ?? '';
}

/** Lists all transports of a plan; each appears once for every group of ranks if the plan has groups. */
function seriesOf({ transports, groups }: RunPlan) {
  const members = groups?.members.map((member, index) => ({ member, index }));
  return transports.flatMap((transport) =>
    (members ?? [{ member: null, index: null }]).map((one) => ({ transport, ...one })),
  );
}

/** Assigns colour and symbol to each series. Series with equal rank counts share a chart panel, so they get different looks. */
function lookApart(groups: readonly SeriesGroup[]): void {
  for (const { series } of groups)
    for (const ranks of new Set(series.map(({ run }) => run.plan.ranks))) {
      const mine = series.filter(({ run }) => run.plan.ranks === ranks);
      const looks = seriesStyles(mine.map(({ transport }) => transport));
      for (const [i, one] of mine.entries()) Object.assign(one, looks[i]);
    }
}

/** Makes the names of series unique. Adds nothing if they are unique already, else the rank count, else the run, else both. */
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

/** " at 4 ranks", the suffix that nameApart() adds. */
const ranksIn = ({ plan }: SeriesRun): string => ` at ${plural(plan.ranks, 'rank')}`;

/** Returns the series without rank count in label and name, for a panel whose title has the rank count. */
export const withoutRanks = (series: Series): Series => {
  const cut = (text: string) =>
    text.endsWith(ranksIn(series.run)) ? text.slice(0, -ranksIn(series.run).length) : text;
  return { ...series, label: cut(series.label), name: cut(series.name) };
};

/** Returns the measured figure of a cell that the group's charts draw; null if the cell has none. */
export const figureOf = (
  cell: CellRecord | null | undefined,
  { figure }: SeriesGroup,
): MeasuredFigure | null => measuredOf(cell, figure);

/** Returns the group with the measured figure from which the derived figure is computed, if any cell has one. */
export function groupOfFigure(group: SeriesGroup, { from }: FigureData): SeriesGroup {
  const has = (name: string) =>
    group.series.some(({ slots }) => slots.some(({ cell }) => measuredOf(cell, name) !== null));
  const figure = from.find(has) ?? group.figure;
  return figure === group.figure ? group : { ...group, figure };
}

/** Returns the derived figure `name` that was computed from the group's figure; null if there is none. */
export const rateOf = (cell: CellRecord | null, { figure }: SeriesGroup, name: string): number | null =>
  cell === null ? null : (derivedOf(cell, name, figure)?.value ?? null);

/** Returns the cell of a series at x; null if there is none. */
export const cellAt = ({ slots }: Series, x: number): CellRecord | null =>
  slots.find((slot) => slot.x === x)?.cell ?? null;

/** Returns every x of the series once, ascending. */
export const xsOf = (series: readonly Series[]): number[] =>
  [...new Set(series.flatMap(({ slots }) => slots.map(({ x }) => x)))].sort((a, b) => a - b);

/**
 * True if times are taken between markers on the devices. Latency is then measured behind a hold kernel, enqueue cost separately.
 */
export function isOnDevice(group: SeriesGroup): boolean {
  const measured = group.series.flatMap(({ slots }) =>
    slots.flatMap(({ cell }) => measuredOf(cell, 'latency')?.method.sync ?? []),
  );
  if (measured.length > 0) return measured.includes('hold');
  return group.series.some((s) => timesOnDevice(s.run.plan));
}

/** Returns "28 sizes from 8 B to 1 GiB", or "1 size (1 MiB)" for a single value. */
export function xPhrase(x: XAxisFormat, values: readonly number[]): string {
  const all = [...new Set(values)].sort((a, b) => a - b);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return `no ${manyOf(x.noun)}`;
  if (all.length === 1) return `1 ${x.noun} (${x.text(first)})`;
  return `${plural(all.length, x.noun)} from ${x.text(first)} to ${x.text(last)}`;
}
