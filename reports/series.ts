import { nameOfRun } from '../results/compare/run.ts';
import type { MetricsSeries } from '../results/derive/index.ts';
import type { RecordingTimeline } from '../results/record/index.ts';
import {
  type BlockRecord,
  type CellRecord,
  derivedOf,
  type ExplanationRecord,
  type FigureData,
  type FixedChoice,
  fileKeyOf,
  type GroupPlan,
  headlineNames,
  isOk,
  type MeasuredFigure,
  type Medium,
  measuredOf,
  type PointPlan,
  parseSeriesName,
  type RunPlan,
  type RunRecord,
  seriesNameText,
  type TransportDetail,
  titleOf,
  type WorkloadData,
  whatOf,
  xOf,
} from '../results/schema/index.ts';
import type { Topology } from '../results/topology/index.ts';
import {
  chartedRow,
  derivedRows,
  namedX,
  timesOnDevice,
  workloadRowOf,
  type XAxisFormat,
  xAxisFormat,
} from './rows.ts';
import { seriesStyles } from './theme.ts';
import { manyOf, plural, shortTransport, shortTransportLabel, transportLabel } from './wording.ts';

export { isOk };

/**
 * The fields of a run's stored record that reports need about each series: id, label, plan, hosts (`inventory`), launches,
 * repetitions of flagged configurations (`retries`).
 */
export type SeriesRun = Pick<RunRecord, 'id' | 'label' | 'plan' | 'inventory' | 'launches' | 'retries'>;

/** Stored record and results (one per configuration) of one run, from which its series are made. */
export interface SeriesSource {
  record: SeriesRun;
  cells: readonly CellRecord[];
}

/**
 * An explanation with two commands. `next`: the run's command changed so that the cause which costs most is absent; null if no
 * cause was found that a change removes. `whole`: the command that explains all sizes with a longer time limit; null if the limit
 * did not end the explanation, or if the time for all sizes is unknown.
 */
export interface ShownExplanation {
  record: ExplanationRecord;
  next: string | null;
  whole: string | null;
}

/**
 * One run with everything that a report shows. `LoadedRun` of results/store has this shape. `dir`: path of the run's folder.
 * `warnings`: tolerated problems of the run's files, one sentence each.
 */
export interface ReportRun extends SeriesSource {
  dir: string;
  record: RunRecord;
  warnings: readonly string[];
  /**
   * Reads the system load of the hosts during the run; absent, or an empty list, if it was not recorded. Rejects with StoreError if
   * a file is broken.
   */
  metrics?: () => Promise<readonly MetricsSeries[]>;
  /**
   * Reads the raw samples of the run, block by block (a block = samples of one configuration in one launch); absent, or without
   * blocks, if the run keeps none. Samples that a repeated or resumed measurement replaced are left out.
   */
  blocks?: () => AsyncIterable<BlockRecord>;
  /**
   * Reads how devices inside each host are connected; absent, or an empty list, if that was not recorded. Rejects with StoreError
   * if it cannot be read.
   */
  topologies?: () => Promise<readonly Topology[]>;
  /**
   * Reads totals and timeline of the calls in a run of `collbench record`; null if its records are missing. Absent for other runs.
   */
  recorded?: () => Promise<RecordingTimeline | null>;
  /** Reads the newest explanation of the run; null if nobody has explained it. Absent for runs of `collbench record`. */
  explanation?: () => Promise<ShownExplanation | null>;
}

/** Topologies (connections of devices) of the hosts of each run; runs without a readable topology have no entry. */
export type RunTopologies = ReadonlyMap<SeriesSource, readonly Topology[]>;

/** One planned configuration of a series, with its result or failure. `cell` is null if it has not been measured. */
export interface CellSlot {
  /** Value on the x axis of the group; 0 if the workload has no x axis. */
  x: number;
  point: PointPlan;
  cell: CellRecord | null;
}

/** Texts that name a series for readers. */
export interface SeriesTexts {
  /**
   * Text for legends: transport, medium (hardware or emulated), details and group of ranks. The run's label or id and the rank
   * count are added if names would be equal without them.
   */
  label: string;
  /** The label without further details of the transport, for legends with little room. */
  shortLabel: string;
  /**
   * Text for column heads and sentences: "sisci". Group of ranks, run and rank count are added as in the label: "7f3a2c sisci
   * (row 0) at 4 ranks".
   */
  name: string;
}

/**
 * All configurations that differ only in x: one operation over one transport in one run. If the run divides its ranks into groups,
 * each group has its own series. `transport` is the name in the plan, with fixed algorithm, protocol and settings. `colour` is
 * "#rrggbb", `shape` Vega's name of the symbol.
 */
export interface Series extends SeriesTexts {
  /**
   * Key of run, transport and group of ranks, unique within its `SeriesGroup`; series of other operations may have the same. In a
   * merged group the key of the original group precedes it.
   */
  key: string;
  /** Label and name without the rank count, for a panel of a chart whose title already has it. */
  unranked: SeriesTexts;
  shown: ShownParts;
  run: SeriesRun;
  transport: string;
  /** The group of ranks that the series measured; null if the run does not divide its ranks into groups. */
  member: GroupPlan | null;
  medium: Medium;
  detail: TransportDetail;
  /** How devices are connected in the hosts of the series' run; empty if unknown. */
  topologies: readonly Topology[];
  colour: string;
  shape: string;
  /** Planned configurations with their results, in ascending order of x (mostly message size). */
  slots: CellSlot[];
}

/**
 * Series that share a chart: those of one operation with fixed options (all axes but x), of all runs and transports. `row` is the
 * description of the workload, `x` the format of its x axis.
 */
export interface SeriesGroup {
  /** Unique key, also the start of file names: "allreduce-float32-sum-out", "broadcast-int8-r0-in". */
  key: string;
  row: WorkloadData;
  x: XAxisFormat;
  /** Name of the operation: "allreduce". */
  what: string;
  /** Title for people: "allreduce float32 sum", "broadcast int8 root 0, in place". */
  title: string;
  /** End of the title of a panel, which the title of the whole group lacks: "3 ranks". Absent for a whole group. */
  panel?: string;
  series: Series[];
  /**
   * True if the series differ in more than run and transport, such as in operation or data type, and were merged into one chart.
   * Such a group gets no models.
   */
  isMerged?: boolean;
  /**
   * Name of the measured time that charts and tables of this group show, such as "latency": the first of the workload's main
   * times that any configuration has. One chart never mixes two of them.
   */
  figure: string;
}

/**
 * Returns the options (axis name to value) of the group's first configuration, such as its data type. Except for the x axis, all
 * configurations of a group that is not merged share them. Empty for a group without series.
 */
export const axesOf = ({ series }: SeriesGroup): PointPlan['axes'] =>
  series[0] === undefined ? {} : axesOfSeries(series[0]);

/** Returns the options (axis name to value) of the series' first configuration; empty for a series without points. */
export const axesOfSeries = ({ slots }: Series): PointPlan['axes'] => slots[0]?.point.axes ?? {};

/**
 * Returns the title of the series to which a point or configuration belongs: "allreduce float32 sum".
 * @param plan plan that describes the workload; the point itself may belong to another run
 */
export const titleOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  titleOf(workloadRowOf(plan, point), point.axes);

/** Returns the x of a configuration, mostly its message size in bytes; 0 if its workload (kind of operation) has no x axis. */
export const xOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): number =>
  xOf(workloadRowOf(plan, point), point.axes)?.value ?? 0;

/**
 * Returns the x of a configuration, mostly its message size, as text: "1 MiB"; "its only point" if its workload has no x axis.
 */
export const xTextOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  xAxisFormat(workloadRowOf(plan, point)).text(xOfPoint(plan, point));

/**
 * Returns the x value as text that names the axis if the value has no unit: "1 MiB", "grid 4,096"; "its only point" if the workload
 * has no x axis.
 */
export const namedXOfPoint = (plan: RunPlan, point: Pick<PointPlan, 'workload' | 'axes'>): string =>
  namedX(xAxisFormat(workloadRowOf(plan, point)), xOfPoint(plan, point));

/**
 * Sorts the configurations of the runs into series, and series into groups. A group has the series of all runs that measured its
 * operation. Groups are in the order of the plans, series in the order of runs and transports, configurations in ascending x. Each
 * series gets a name that is unique in its group, and a colour and symbol.
 * @param topologies connections of devices in the hosts of each run, which are stored in the series; default: none
 */
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
            label: '',
            shortLabel: '',
            name: '',
            unranked: { label: '', shortLabel: '', name: '' },
            shown: { run: false, ranks: false },
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

const groupsByCells = new WeakMap<
  readonly CellRecord[],
  { record: SeriesRun; count: number; groups: SeriesGroup[] }
>();

/**
 * Returns the groups of a single run, without topologies. They are cached by `cells` until `cells` grows or another record is
 * passed: at the end of a run the summary, the text below the table and charts need the same groups, models and comparisons.
 */
export function groupsOfRun(run: SeriesSource): SeriesGroup[] {
  const { record, cells } = run;
  const known = groupsByCells.get(cells);
  if (known?.record === record && known.count === cells.length) return known.groups;
  const groups = groupsOf([run]);
  groupsByCells.set(cells, { record, count: cells.length, groups });
  return groups;
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

/**
 * Returns the name of the main measured time of some workloads, such as "latency": the first that any configuration has. If none
 * has one, returns the first that the workloads define, or '' if they define none.
 * @param rows descriptions of the workloads
 */
export function headlineName(rows: readonly WorkloadData[], cells: readonly (CellRecord | null)[]): string {
  const names = rows.flatMap(headlineNames);
  return names.find((name) => cells.some((cell) => measuredOf(cell, name) !== null)) ?? names[0] ?? '';
}

/**
 * Returns one element for each series that the plan has per operation: a transport, and a group of ranks with its index in the
 * plan. Without groups of ranks, `member` and `index` are null.
 */
function seriesOf({ transports, groups }: RunPlan) {
  const members = groups?.members.map((member, index) => ({ member, index }));
  return transports.flatMap((transport) =>
    (members ?? [{ member: null, index: null }]).map((one) => ({ transport, ...one })),
  );
}

/**
 * Sets colour and symbol of each series. Series of a group with equal rank counts share a panel of a chart, so their colours and
 * symbols differ.
 */
function lookApart(groups: readonly SeriesGroup[]): void {
  for (const { series } of groups)
    for (const ranks of new Set(series.map(({ run }) => run.plan.ranks))) {
      const mine = series.filter(({ run }) => run.plan.ranks === ranks);
      const looks = seriesStyles(mine.map(({ transport }) => transport));
      for (const [i, one] of mine.entries()) Object.assign(one, looks[i]);
    }
}

/**
 * Makes the names of series unique within each group of series by adding as little as possible: nothing, else the rank count, else
 * the run's label or id, else both. The same additions are made to all series of all groups.
 */
function nameApart(groups: readonly SeriesGroup[]): void {
  const shown = [false, true].flatMap((run) => [false, true].map((ranks) => ({ run, ranks })));
  const isClear = (parts: ShownParts) =>
    groups.every(
      ({ series }) => new Set(series.map((one) => seriesTexts(one, parts).name)).size === series.length,
    );
  const parts = shown.find(isClear) ?? { run: true, ranks: true };
  for (const { series } of groups)
    for (const one of series)
      Object.assign(one, seriesTexts(one, parts), {
        unranked: seriesTexts(one, { ...parts, ranks: false }),
        shown: parts,
      });
}

/** Which additions (run, rank count) the name of a series contains; each is made only if names would be equal without it. */
interface ShownParts {
  run: boolean;
  ranks: boolean;
}

/**
 * Returns the texts that name a series: `label` and `shortLabel` for legends (with the medium, and with or without details of the
 * transport), and `name` for column heads: "7f3a2c socket (row 0) at 4 ranks" for a run, transport, group of ranks and rank count.
 * @param shown additions (run, rank count) that the texts contain
 */
function seriesTexts(
  {
    run,
    transport,
    medium,
    detail,
    member,
  }: Pick<Series, 'run' | 'transport' | 'medium' | 'detail' | 'member'>,
  shown: ShownParts,
): SeriesTexts {
  const front = shown.run ? `${nameOfRun(run)} ` : '';
  const end = shown.ranks ? ` at ${plural(run.plan.ranks, 'rank')}` : '';
  const described = { name: transport, medium, detail };
  const whole = (label: string) => `${front}${label}${member === null ? '' : `, ${member.name}`}${end}`;
  return {
    label: whole(transportLabel(described)),
    shortLabel: whole(shortTransportLabel(described)),
    name: `${front}${shortTransport(transport)}${member === null ? '' : ` (${member.name})`}${end}`,
  };
}

/**
 * Returns the name that a series would have if its run had used other options.
 * @param fixed the options that differ from those of the run; `choice: []` = the library chooses algorithm and protocol, so the
 * name has none
 */
export function nameWith(series: Series, fixed: Partial<FixedChoice>): string {
  const transport = seriesNameText({ ...parseSeriesName(series.transport), ...fixed });
  return seriesTexts({ ...series, transport }, series.shown).name;
}

/** Returns the series without the rank count in label and name, for a panel of a chart whose title already has it. */
export const withoutRanks = (series: Series): Series => ({ ...series, ...series.unranked });

/**
 * Returns the measured time with its interval that the group's charts show for a configuration, such as its latency. Null if
 * `cell` is null or failed, or lacks that time.
 */
export const figureOf = (
  cell: CellRecord | null | undefined,
  { figure }: SeriesGroup,
): MeasuredFigure | null => measuredOf(cell, figure);

/**
 * Returns the group of series, changed so that charts show the measured time from which a derived value (such as bus bandwidth) is
 * computed. If several such times are possible, the first that any configuration has is taken. Without any, the group is returned
 * unchanged.
 */
export function groupOfFigure(group: SeriesGroup, { from }: FigureData): SeriesGroup {
  const has = (name: string) =>
    group.series.some(({ slots }) => slots.some(({ cell }) => measuredOf(cell, name) !== null));
  const figure = from.find(has) ?? group.figure;
  return figure === group.figure ? group : { ...group, figure };
}

/**
 * Returns a derived value of a configuration, such as its bus bandwidth in GB/s, computed from the time that the group's charts
 * show. Null if the configuration has none.
 * @param name name of the derived value
 */
export const rateOf = (cell: CellRecord | null, { figure }: SeriesGroup, name: string): number | null =>
  cell === null ? null : (derivedOf(cell, name, figure)?.value ?? null);

/**
 * Returns the result, or the failure, of a series at x (such as a message size); null if x was not measured or is not part of the
 * series.
 */
export const cellAt = ({ slots }: Series, x: number): CellRecord | null =>
  slots.find((slot) => slot.x === x)?.cell ?? null;

/** Returns the first, the middle and the last of some items; all if they are at most three. */
export const firstMiddleLast = <T>(items: readonly T[]): T[] => {
  const last = items.length - 1;
  return items.filter((_, i) => i === 0 || i === Math.floor(last / 2) || i === last);
};

export const ranksOf = ({ run }: Series): number => run.plan.ranks;

/** Returns all x values (such as message sizes) of some series in ascending order, each once. */
export const xsOf = (series: readonly Series[]): number[] =>
  [...new Set(series.flatMap(({ slots }) => slots.map(({ x }) => x)))].sort((a, b) => a - b);

/**
 * True if latencies of the group are measured between time markers on the GPUs: if any measured latency was, or, before there are
 * any, if a plan says so. A kernel then holds back the GPUs until all calls are enqueued, and the enqueue cost is measured
 * separately.
 */
export function isOnDevice(group: SeriesGroup): boolean {
  const measured = group.series.flatMap(({ slots }) =>
    slots.flatMap(({ cell }) => measuredOf(cell, 'latency')?.method.sync ?? []),
  );
  if (measured.length > 0) return measured.includes('hold');
  return group.series.some((s) => timesOnDevice(s.run.plan));
}

/**
 * Returns the number and range of x values, equal ones counted once: "28 sizes from 8 B to 1 GiB"; "1 size (1 MiB)" for a single
 * value, "no sizes" for none.
 */
export function xPhrase(x: XAxisFormat, values: readonly number[]): string {
  const all = [...new Set(values)].sort((a, b) => a - b);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return `no ${manyOf(x.noun)}`;
  if (all.length === 1) return `1 ${x.noun} (${x.text(first)})`;
  return `${plural(all.length, x.noun)} from ${x.text(first)} to ${x.text(last)}`;
}

/**
 * True if a derived rate equals the workload's main rate in every measured configuration. A chart of it would repeat another one.
 * Example: algorithm bandwidth, if the factor of bus bandwidth is 1. False for the main rate itself, and without results.
 * @param name name of the derived rate
 */
export function isRepeated(group: SeriesGroup, name: string): boolean {
  const charted = chartedRow(group.row);
  const of = derivedRows(group.row).find((one) => one.name === name);
  if (charted === undefined || of === undefined || of === charted || of.unit !== charted.unit) return false;
  const cells = group.series.flatMap(({ slots }) => slots.flatMap(({ cell }) => (isOk(cell) ? [cell] : [])));
  return (
    cells.length > 0 &&
    cells.every((cell) =>
      [...of.from].every(
        (from) => derivedOf(cell, of.name, from)?.value === derivedOf(cell, charted.name, from)?.value,
      ),
    )
  );
}
