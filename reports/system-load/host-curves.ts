import type { MetricsSeries } from '../../results/derive/metrics/load.ts';
import type {
  CellRecord,
  MetricsHeader,
  MetricsTick,
  RunPlan,
  SamplerCost,
} from '../../results/schema/index.ts';
import { xTextOfPoint } from '../series.ts';
import { type LineSource, panelsOf } from './panels.ts';
import { TimeCurve, type TimeCurvePoint } from './time-curve.ts';

export interface LoadLine {
  name: string;
  points: TimeCurvePoint[];
}
export interface LoadPanel {
  title: string;
  lines: LoadLine[];
}

/** Time span in which configurations of one x were measured, in seconds since the first reading of the system load. */
export interface TimeBand {
  fromS: number;
  toS: number;
  /** The x (message size) that was measured, as text: "1 MiB". */
  label: string;
  /** True if a configuration measured in this span is flagged because of the system load of this host. */
  isFlagged: boolean;
  /** True for every second band, so that neighbouring bands get different shades. */
  isOdd: boolean;
}

/**
 * Curves of the system load of one host during one attempt of a run (a resumed run has several), and the time bands in which each
 * size was measured. `ticks`: number of readings; `lastS`: seconds from the first to the last reading.
 */
export interface HostLoadCurves {
  header: MetricsHeader;
  panels: LoadPanel[];
  bands: TimeBand[];
  ticks: number;
  lastS: number;
  /** Seconds over which one point of a curve is averaged. */
  stretchS: number;
  /** CPU time and other costs of reading the system load; null if the agent ended before it reported them. */
  cost: SamplerCost | null;
  /** Sources of readings that failed during the run, with the reason. */
  lost: { source: string; reason: string }[];
}

/**
 * Reads the recorded system load of a host. It reads the recording twice: first to find the devices with most traffic, then to make
 * the curves of these devices.
 * @returns null if there are no readings
 * @throws StoreError if the recording is broken
 */
export async function courseOf(
  series: MetricsSeries,
  plan: RunPlan,
  cells: readonly CellRecord[],
): Promise<HostLoadCurves | null> {
  const { header } = series;
  const first: (number | undefined)[] = [];
  const last: (number | undefined)[] = [];
  let fromNs: number | null = null;
  let toNs = 0;
  let ticks = 0;
  let cost: SamplerCost | null = null;
  const lost: HostLoadCurves['lost'] = [];
  for await (const line of series.lines()) {
    if ('values' in line) {
      fromNs ??= line.startNs;
      toNs = line.startNs;
      ticks += 1;
      // A reading has hundreds of values, so a plain loop is used for speed.
      for (let i = 0; i < line.values.length; i += 1) {
        const value = line.values[i];
        if (value === null || value === undefined) continue;
        first[i] ??= value;
        last[i] = value;
      }
    } else if (line.kind === 'sampled') {
      const { kind: _kind, ...rest } = line;
      cost = rest;
    } else if (line.kind === 'sourceFailed') {
      lost.push({ source: line.source, reason: line.reason });
    }
  }
  if (fromNs === null) return null;
  const carried = (index: number): number => Math.max(0, (last[index] ?? 0) - (first[index] ?? 0));
  const sources = panelsOf(header.channels, carried);
  const zeroNs = fromNs;
  const drawn = sources.map(({ lines }) => lines.map((line) => new LoadLineReader(header, line, zeroNs)));
  for await (const line of series.lines()) {
    if ('values' in line) for (const one of drawn.flat()) one.take(line);
  }
  const panels = sources.map(({ title, lines }, p) => ({
    title,
    lines: lines.map(({ name }, l) => ({ name, points: drawn[p]?.[l]?.course.points() ?? [] })),
  }));
  const stretchS = Math.max(...drawn.flat().map(({ course }) => course.stretchS), header.intervalUs / 1e6);
  return {
    header,
    panels: panels.filter(({ lines }) => lines.some(({ points }) => points.length > 0)),
    bands: bandsOf(header, plan, cells, fromNs),
    ticks,
    lastS: (toNs - fromNs) / 1e9,
    stretchS,
    cost,
    lost,
  };
}

/** Builds one curve from the readings. Readings of counters become rates per second; a counter that fell gives no rate. */
class LoadLineReader {
  readonly course: TimeCurve;
  private readonly source: LineSource;
  private readonly isCounter: boolean;
  private before: { ns: number; values: number[] } | null = null;

  constructor({ channels, intervalUs }: MetricsHeader, source: LineSource, fromNs: number) {
    this.source = source;
    this.isCounter = channels[source.channels[0] ?? -1]?.cumulative ?? false;
    this.course = new TimeCurve(fromNs, intervalUs * 1000);
  }

  take({ startNs, values }: MetricsTick): void {
    const now: number[] = [];
    for (const index of this.source.channels) {
      const value = values[index];
      if (value === null || value === undefined) return;
      now.push(value);
    }
    const before = this.before;
    this.before = { ns: startNs, values: now };
    if (!this.isCounter) {
      this.course.add(startNs, this.source.combine(now));
      return;
    }
    if (before === null || startNs <= before.ns) return;
    const rates = now.map(
      (value, i) => ((value - (before.values[i] ?? value)) / (startNs - before.ns)) * 1e9,
    );
    if (rates.every((rate) => rate >= 0))
      this.course.add((startNs + before.ns) / 2, this.source.combine(rates));
  }
}

/**
 * Longest gap between two measurements of one size that does not split the time band of this size, as a share of the band's length
 * so far. Gaps up to 0.25 s never split a band. Blocks of one size are measured one after another, so only a long gap means that
 * another size was measured.
 */
const closeShare = 0.25;

/**
 * Returns the time bands of a host: one per message size and uninterrupted time in which that size was measured. All transports are
 * measured at one size before the next, so a band covers all of them. Configurations measured in other attempts of the run, or
 * without a known clock offset of this host, are left out.
 * @param zeroNs time of the host's first reading in ns, on the clock of this host
 */
function bandsOf(
  { host, attempt }: MetricsHeader,
  plan: RunPlan,
  cells: readonly CellRecord[],
  zeroNs: number,
): TimeBand[] {
  const windows = cells
    .flatMap((cell) => {
      const offsetNs =
        cell.status === 'ok' && cell.attempt === attempt ? cell.clocks?.[host]?.offsetNs : undefined;
      if (cell.status !== 'ok' || offsetNs === undefined) return [];
      const isFlagged = cell.load?.reasons.some((reason) => reason.host === host) ?? false;
      return (cell.windows ?? []).map(({ fromNs, toNs }) => ({
        fromS: (fromNs - offsetNs - zeroNs) / 1e9,
        toS: (toNs - offsetNs - zeroNs) / 1e9,
        label: xTextOfPoint(plan, cell),
        point: cell.point,
        isFlagged,
      }));
    })
    .sort((a, b) => a.fromS - b.fromS);
  const bands: (TimeBand & { point: number })[] = [];
  for (const window of windows) {
    const open = bands.at(-1);
    const near =
      open !== undefined && window.fromS - open.toS <= Math.max(0.25, closeShare * (open.toS - open.fromS));
    if (open !== undefined && near && open.point === window.point) {
      open.toS = Math.max(open.toS, window.toS);
      open.isFlagged ||= window.isFlagged;
    } else {
      bands.push({ ...window, isOdd: bands.length % 2 === 1 });
    }
  }
  return bands.map(({ point: _point, ...band }) => band);
}
