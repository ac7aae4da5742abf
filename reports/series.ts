import type { MetricsSeries } from '../results/derive/index.ts';
import type {
  CellRecord,
  GroupPlan,
  Medium,
  OkCell,
  OperationName,
  RunRecord,
  TrialFigures,
} from '../results/schema/index.ts';
import type { Topology } from '../results/topology/index.ts';
import { looksFor } from './theme.ts';
import { formatBytes, shortTransport, transportLabel } from './wording.ts';

/** What a report is made from; `LoadedRun` of results/store is one. */
export interface ReportedRun {
  dir: string;
  record: RunRecord;
  cells: readonly CellRecord[];
  warnings: readonly string[];
  /** What the hosts did meanwhile; absent or empty where nothing was read. */
  metrics?: () => Promise<readonly MetricsSeries[]>;
  /** How its machines are connected; absent or empty where nobody asked them. */
  topologies?: () => Promise<readonly Topology[]>;
}

/** By run, of those that could be read. */
export type Topologies = ReadonlyMap<ReportedRun, readonly Topology[]>;

/** One cell of a table: measured, failed, or planned and never reached (`null`). */
export interface Slot {
  payloadBytes: number;
  requestedBytes: number;
  count: number;
  cell: CellRecord | null;
}

/** All cells that differ only in bytes, over one transport of one run, of one group of ranks where it has groups. */
export interface Series {
  /** Unique in a report: run id, transport and group of ranks. */
  key: string;
  /** For legends: names run (when there are several), transport, medium and detail. */
  label: string;
  /** For column heads and sentences: "sisci" or "7f3a2c sisci". */
  name: string;
  run: RunRecord;
  transport: string;
  /** The group of ranks; null where the run has none. */
  member: GroupPlan | null;
  medium: Medium;
  detail: string;
  /** Of the machines of its run; empty = not known. */
  topologies: readonly Topology[];
  colour: string;
  shape: string;
  /** In order of payload bytes. */
  slots: Slot[];
}

/** What is drawn in one chart: one collective, dtype, op, root and placement over all transports. */
export interface Group {
  key: string;
  collective: OperationName;
  /** "allreduce float32 sum", "broadcast int8 root 0, in place". */
  title: string;
  series: Series[];
  /** `isolated` unless nothing in the group has an isolated figure. The two are never mixed in one chart. */
  trial: 'isolated' | 'pipelined';
}

interface Identity {
  collective: OperationName;
  dtype: string;
  op: string | null;
  root: number | null;
  inPlace: boolean;
}

export function groupTitle(p: Identity): string {
  const words = [p.collective, p.dtype];
  if (p.op !== null) words.push(p.op);
  if (p.root !== null) words.push(`root ${p.root}`);
  return words.join(' ') + (p.inPlace ? ', in place' : '');
}

/** Also the start of file names: "allreduce-float32-sum-out", "broadcast-int8-r0-in". */
export function groupKey(p: Identity): string {
  const root = p.root === null ? null : `r${p.root}`;
  return [p.collective, p.dtype, p.op, root, p.inPlace ? 'in' : 'out'].filter((w) => w !== null).join('-');
}

export function isOk(cell: CellRecord | null | undefined): cell is OkCell {
  return cell?.status === 'ok';
}

/** The cells of the runs ordered for telling: by group as planned, then run and transport, then size. */
export function groupsOf(runs: readonly ReportedRun[], topologies: Topologies = new Map()): Group[] {
  const groups = new Map<string, Group>();
  const names = runs.flatMap((run) => seriesOf(run.record.plan).map(({ transport }) => transport.name));
  const looks = looksFor(names, runs.length === 1);
  let offset = 0;
  for (const run of runs) {
    const { plan } = run.record;
    const all = seriesOf(plan);
    const byPlace = new Map(
      run.cells.map((cell) => [`${cell.point}/${cell.transport}/${cell.group?.index ?? ''}`, cell]),
    );
    plan.points.forEach((point, index) => {
      const key = groupKey(point);
      let group = groups.get(key);
      if (group === undefined) {
        group = {
          key,
          collective: point.collective,
          title: groupTitle(point),
          series: [],
          trial: 'isolated',
        };
        groups.set(key, group);
      }
      all.forEach(({ transport, member, index: at }, place) => {
        const seriesKey = [run.record.id, transport.name, ...(at === null ? [] : [at])].join('/');
        let series = group.series.find((s) => s.key === seriesKey);
        if (series === undefined) {
          const prefix = runs.length > 1 ? `${runName(run.record, runs)} ` : '';
          series = {
            key: seriesKey,
            label: prefix + transportLabel(transport) + (member === null ? '' : `, ${member.name}`),
            name: prefix + shortTransport(transport.name) + (member === null ? '' : ` (${member.name})`),
            run: run.record,
            transport: transport.name,
            member,
            medium: transport.medium,
            detail: transport.detail,
            topologies: topologies.get(run) ?? [],
            ...(looks[offset + place] ?? { colour: '#000000', shape: 'circle' }),
            slots: [],
          };
          group.series.push(series);
        }
        const cell = byPlace.get(`${index}/${transport.name}/${at ?? ''}`) ?? null;
        series.slots.push({
          payloadBytes: point.payloadBytes,
          requestedBytes: point.requestedBytes,
          count: point.count,
          cell,
        });
      });
    });
    offset += all.length;
  }
  for (const group of groups.values()) {
    for (const series of group.series) series.slots.sort((a, b) => a.payloadBytes - b.payloadBytes);
    const cells = group.series.flatMap((s) => s.slots.map((slot) => slot.cell)).filter(isOk);
    if (cells.length > 0 && cells.every((c) => c.isolated === null)) group.trial = 'pipelined';
  }
  return [...groups.values()];
}

/** Transports, each with every group of ranks where there are some. */
function seriesOf({ transports, groups }: RunRecord['plan']) {
  const members = groups?.members.map((member, index) => ({ member, index }));
  return transports.flatMap((transport) =>
    (members ?? [{ member: null, index: null }]).map((one) => ({ transport, ...one })),
  );
}

/** Short id, with the rank count where the runs differ in it. */
function runName(record: RunRecord, runs: readonly ReportedRun[]): string {
  const differ = new Set(runs.map((r) => r.record.plan.ranks)).size > 1;
  return differ ? `${record.id} (${record.plan.ranks} ranks)` : record.id;
}

/** The figures a group is drawn from, or `null` where there is a hole. */
export function figuresOf(cell: CellRecord | null, trial: 'isolated' | 'pipelined'): TrialFigures | null {
  return isOk(cell) ? cell[trial] : null;
}

/** Whether times are those of GPUs: latency behind a hold kernel, launch cost apart. */
export function onDevice(group: Group): boolean {
  return group.series.some((s) => s.run.plan.engine === 'nccl');
}

/** "28 sizes from 8 B to 1 GiB", "1 size (1 MiB)". */
export function sizesPhrase(payloads: readonly number[]): string {
  const sizes = [...new Set(payloads)].sort((a, b) => a - b);
  const first = sizes[0];
  const last = sizes.at(-1);
  if (first === undefined || last === undefined) return 'no sizes';
  if (sizes.length === 1) return `1 size (${formatBytes(first)})`;
  return `${sizes.length} sizes from ${formatBytes(first)} to ${formatBytes(last)}`;
}
