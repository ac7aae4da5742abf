import { foldNames, numbersOf } from '../../fold.ts';
import {
  type CellLoad,
  type CellRecord,
  flagLevelOf,
  type Inventory,
  type LaunchRecord,
  type MetricsHeader,
  type MetricsLine,
  type MetricsTick,
  type OkCell,
  type RunPlan,
  ranksOfMachine,
  usesGpus,
  workloadOf,
} from '../../schema/index.ts';
import { withRails } from '../evidence/rails.ts';
import { LoadAlignment } from './align.ts';
import { CoreCompetition } from './competition.ts';
import { loadFlags } from './flags.ts';
import { HostCell } from './host-cell.ts';
import { ChannelTable, rdmaPort } from './names.ts';
import { spansOfHost } from './windows.ts';

/**
 * Recorded system metrics of one host. `header`: host, attempt and list of metrics. `lines()`: reads the lines of the file after
 * the header, readings and others, in order of time.
 */
export interface MetricsSeries {
  header: MetricsHeader;
  lines(): AsyncIterable<MetricsTick | Exclude<MetricsLine, MetricsHeader>>;
}

/** System metrics of one host, summarised for the time in which each configuration was measured. */
export interface HostAlignment {
  header: MetricsHeader;
  table: ChannelTable;
  alignment: LoadAlignment;
  competition: CoreCompetition;
  /** Names, in the metrics, of the CPU cores that ranks may use: "cpu3". */
  cores: readonly string[];
}

/**
 * Reads the metrics of one host and summarises them for the times in which each configuration was measured.
 * @param allowed numbers of the CPUs that ranks may use; null = all
 * @throws errors of reading the metrics
 */
export async function alignMetrics(
  series: MetricsSeries,
  cells: readonly CellRecord[],
  allowed: ReadonlySet<number> | null = null,
): Promise<HostAlignment> {
  const { header } = series;
  const table = new ChannelTable(header.channels);
  const spans = spansOfHost(header.host, header.attempt, cells);
  const alignment = new LoadAlignment(header.channels, spans);
  const cores = table.cores(allowed);
  const competition = new CoreCompetition(table, alignment, cores);
  for await (const line of series.lines()) {
    if (!('values' in line)) continue;
    alignment.take(line);
    competition.take(line);
  }
  return { header, table, alignment, competition, cores };
}

/**
 * Returns the numbers of the CPUs that these ranks were allowed to use in any launch; null (not known) if a launch does not record
 * them for one of the ranks, or if there is no launch.
 */
function allowedTo(ranks: readonly number[], launches: readonly LaunchRecord[]): ReadonlySet<number> | null {
  const lists = launches.flatMap((launch) =>
    launch.ranks.filter(({ rank }) => ranks.includes(rank)).map(({ cpus }) => cpus ?? ''),
  );
  return lists.length === 0 || lists.includes('') ? null : new Set(lists.flatMap(numbersOf));
}

/** True if two sets of CPU numbers have a CPU in common. Null = not known, which counts as all CPUs of the machine. */
const mayShareCpus = (a: ReadonlySet<number> | null, b: ReadonlySet<number> | null): boolean =>
  a === null || b === null || [...a].some((cpu) => b.has(cpu));

/**
 * Returns the results, in the same order, each with the system load of all hosts during its measurement, how their rails shared the
 * bytes, and the flags that follow from both. Such flags of an earlier call are replaced; the given results stay unchanged.
 * @param inventory hardware of each host; a host that is absent has no known interfaces
 * @param hosts metrics of the hosts; one without metrics is left out
 * @param launches launches of the run, with the CPUs that ranks may use; absent = all CPUs
 * @param cells results with their time spans; results without spans, or without metrics of their attempt, get no system load, and
 * failed ones stay unchanged
 * @throws errors of reading the metrics
 */
export async function withLoads(
  plan: RunPlan,
  cells: readonly CellRecord[],
  hosts: readonly MetricsSeries[],
  launches: readonly LaunchRecord[] = [],
  inventory: Readonly<Record<string, Inventory>> = {},
): Promise<CellRecord[]> {
  const seen = cells.map((): HostObservation[] => []);
  // Hosts are processed one after the other, since the memory that each needs grows with the number of its metrics.
  for (const series of hosts) {
    const members = plan.hosts.find(({ name }) => name === series.header.host)?.ranks ?? [];
    const allowed = allowedTo(members, launches);
    const { header, ...rest } = await alignMetrics(series, cells, allowed);
    const ranks = members.length;
    const besideRanks = ranksOfMachine(plan.hosts, header.host).filter(
      (rank) => !members.includes(rank) && mayShareCpus(allowed, allowedTo([rank], launches)),
    ).length;
    for (const [index, cell] of cells.entries()) {
      // A host without a clock offset took no part in the cell (another group of ranks), or its readings cannot be aligned with the
      // cell.
      if (cell.status !== 'ok' || cell.clocks?.[header.host] === undefined) continue;
      const windowNs = windowOf(cell);
      if (header.attempt !== cell.attempt || windowNs === 0) continue;
      const { transport } = cell;
      const at = {
        host: header.host,
        ranks,
        besideRanks,
        cell: index,
        windowNs,
        transport,
        operations: operationsOf(cell),
        gpus: gpusOf(plan, header.host),
      };
      seen[index]?.push(seenOn(new HostCell(at, rest)));
    }
  }
  return cells.map((cell, index) => {
    if (cell.status !== 'ok') return cell;
    const own = seen[index] ?? [];
    const ports = Object.fromEntries(own.map(({ load, portBytes }) => [load.host, portBytes]));
    return withRails(plan, withLoad(cell, own), inventory, ports);
  });
}

/**
 * System load of one host during one measurement: the numbers, the warnings in words, and the names of flags that make the
 * measurement doubtful.
 */
type HostObservation = {
  load: CellLoad['hosts'][number];
  reasons: CellLoad['reasons'];
  disturbing: string[];
  /** Sum of the bytes received and sent by each RDMA port while the configuration was measured: { "mlx5_0:1": 4e9 }. */
  portBytes: Record<string, number>;
};

const operationsOf = (cell: OkCell): number =>
  (cell.windows ?? []).reduce((sum, { operations }) => sum + operations, 0);

const windowOf = (cell: OkCell): number =>
  (cell.windows ?? []).reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);

function seenOn(host: HostCell): HostObservation {
  const found = loadFlags.flatMap(({ flag, find }) => {
    const one = find(host);
    if (one === null) return [];
    return [{ flag, ...(typeof one === 'string' ? { text: one, level: flagLevelOf(flag) } : one) }];
  });
  return {
    load: host.load(),
    reasons: found.map(({ flag, text }) => ({ flag, host: host.at.host, text })),
    disturbing: found.flatMap(({ flag, level }) => (level === 'disturbs' ? [flag] : [])),
    portBytes: Object.fromEntries(
      host
        .objects(rdmaPort)
        .map((object) => [
          object.replace(rdmaPort, ''),
          (host.stats(object, 'rxBytes')?.delta ?? 0) + (host.stats(object, 'txBytes')?.delta ?? 0),
        ]),
    ),
  };
}

function withLoad(cell: OkCell, seen: readonly HostObservation[]): OkCell {
  if (seen.length === 0) return cell;
  const hosts = seen.map(({ load }) => load);
  // Reasons that disturb the figure come before notes, whichever host is first.
  const reasons = [true, false].flatMap((isDisturbing) =>
    seen.flatMap((one) => one.reasons.filter(({ flag }) => one.disturbing.includes(flag) === isDisturbing)),
  );
  const disturbing = new Set(seen.flatMap((one) => one.disturbing));
  const load: CellLoad = { hosts, joulesPerGB: joulesPerGB(cell, hosts), reasons };
  // Flags from an earlier analysis of the same readings are removed, since this analysis finds them again.
  const others = cell.flags.filter(({ name }) => loadFlags.every((row) => row.flag !== name));
  const names = [...new Set(reasons.map(({ flag }) => flag))];
  const found = names.map((name) => ({
    name,
    level: disturbing.has(name) ? ('disturbs' as const) : ('note' as const),
    reason: reasonOf(name, reasons, seen),
  }));
  const flags = [...others, ...found];
  return { ...cell, load, flags };
}

/**
 * Returns the reason of a flag as one host gives it, if possible a host whose flag makes the measurement doubtful; null if no host
 * gives one. With several hosts it begins with the names of the hosts whose flag makes the measurement doubtful, or else of those
 * whose flag is only a note.
 * @param name name of the flag
 */
function reasonOf(
  name: string,
  reasons: CellLoad['reasons'],
  seen: readonly HostObservation[],
): string | null {
  const first = reasons.find(({ flag }) => flag === name);
  if (first === undefined || seen.length === 1) return first?.text ?? null;
  const disturbed = seen.flatMap(({ load, disturbing }) => (disturbing.includes(name) ? [load.host] : []));
  const noted = reasons.flatMap(({ flag, host }) => (flag === name ? [host] : []));
  return `${foldNames(disturbed.length > 0 ? disturbed : noted)}: ${first.text}`;
}

/** Returns joules per 1e9 bytes of payload, over all hosts; null if a host reports no energy, or the operation has no payload. */
function joulesPerGB(cell: OkCell, hosts: CellLoad['hosts']): number | null {
  const gigabytes = (workloadOf(cell.workload).payloadBytes(cell) * operationsOf(cell)) / 1e9;
  if (gigabytes === 0 || hosts.some(({ energyJ }) => energyJ === null)) return null;
  return hosts.reduce((sum, { energyJ }) => sum + (energyJ ?? 0), 0) / gigabytes;
}

/**
 * Returns the indices, among the host's visible GPUs, of those that ranks of the run use: the ones on which the ranks were placed,
 * else those that `--gpus` lists, else the first ones, one per rank. Null if `--gpus` names them in another way than by index;
 * empty if the run uses no GPUs.
 */
export function gpusOf(plan: RunPlan, host: string): number[] | null {
  if (!usesGpus(plan)) return [];
  const { ranks = [], placements = [] } = plan.hosts.find(({ name }) => name === host) ?? {};
  const placed = placements.flatMap(({ gpu }) => gpu ?? []);
  if (placed.length > 0) return placed;
  const named = plan.settings.gpus?.split(',').map(Number);
  if (named?.some(Number.isNaN) === true) return null;
  return (named ?? [...ranks.keys()]).slice(0, ranks.length);
}
