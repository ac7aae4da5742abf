import type { MetricsChannel, MetricsTick } from '../../schema/index.ts';
import type { CellSpan } from './windows.ts';

/**
 * Statistics of one metric while one configuration was measured: of its values or, if it is a counter, of its growth per second,
 * which is taken as constant between two readings.
 */
export interface ChannelStats {
  /** Part of the measuring time, ns, for which the metric is known, because it was read both before and after. */
  coveredNs: number;
  /** Mean over `coveredNs`, weighted by time, in the metric's unit (a counter: per second). */
  mean: number;
  /**
   * Lowest reading during the measurement or next to it; for a counter the lowest rate per second between two readings. `max` is
   * the highest; for a metric with the unit `bits` it has all bits that were set in any of these readings.
   */
  min: number;
  max: number;
  /** Growth of a counter during the measurement, interpolated between readings; 0 for a metric that is not a counter. */
  delta: number;
}

/**
 * Time (`ns`) for which one configuration was measured between two instants, such as two successive readings of the system load.
 * `cell` is the index of the configuration in the run's list of results.
 */
export interface ReadingOverlap {
  cell: number;
  ns: number;
  /**
   * Sum over the measured spans between the two instants: length times distance of the span's middle from the first instant, ns².
   * Divided by `ns` it is the mean distance from the first instant.
   */
  momentNs2: number;
}

/**
 * Assigns readings of a host's metrics to the configurations that were measured at their time. Readings are added one after the
 * other and not kept, so memory grows only with configurations times metrics.
 */
export class LoadAlignment {
  private readonly channels: readonly MetricsChannel[];
  private readonly spans: readonly CellSpan[];
  /** Time and value of the newest reading of each metric; undefined before the metric's first reading. */
  private readonly last: ({ ns: number; value: number } | undefined)[];
  private readonly stats = new Map<number, Map<number, ChannelStats>>();
  private readonly highest: number[];
  private previous: MetricsTick | null = null;
  /** The latest end of the spans from the first up to each span, so that a binary search finds spans that overlap a time. */
  private readonly ends: number[] = [];
  private readonly touched = new Map<number, { touchedNs: number; coveredNs: number; ticks: number }>();

  /**
   * @param channels metrics of the host, in the order of the values of a reading
   * @param spans times in which configurations were measured, on the host's clock, sorted by start; groups of ranks measure at the
   * same time, so spans may overlap
   */
  constructor(channels: readonly MetricsChannel[], spans: readonly CellSpan[]) {
    this.channels = channels;
    this.spans = spans;
    let end = Number.NEGATIVE_INFINITY;
    for (const { toNs } of spans) {
      end = Math.max(end, toNs);
      this.ends.push(end);
    }
    this.last = channels.map(() => undefined);
    this.highest = channels.map(() => Number.NEGATIVE_INFINITY);
  }

  /**
   * Adds the host's next reading of all metrics. If a value is missing, the metric is interpolated up to its next value; a counter
   * that decreased was reset, so its growth is unknown.
   * @param tick reading, later than the previous one
   */
  take(tick: MetricsTick): void {
    const { startNs, values } = tick;
    this.countTick(startNs);
    if (this.previous !== null) this.touch(this.previous.startNs, startNs);
    this.previous = tick;
    const between = new Map<number, ReadingOverlap[]>();
    for (const [index, channel] of this.channels.entries()) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      const before = this.last[index];
      this.last[index] = { ns: startNs, value };
      this.highest[index] = Math.max(this.highest[index] as number, value);
      if (before === undefined || before.ns >= startNs) continue;
      // A counter that decreases was reset, so its growth between these two readings is unknown.
      if (channel.cumulative && value < before.value) continue;
      let overlaps = between.get(before.ns);
      if (overlaps === undefined) {
        overlaps = this.overlaps(before.ns, startNs);
        between.set(before.ns, overlaps);
      }
      for (const overlap of overlaps) this.add(index, channel, before, { ns: startNs, value }, overlap);
    }
  }

  /**
   * Returns statistics of a metric while a configuration was measured; null if the metric is known for no part of that time.
   * @param cell index of the configuration
   * @param channel index of the metric
   */
  of(cell: number, channel: number): ChannelStats | null {
    return this.stats.get(cell)?.get(channel) ?? null;
  }

  /**
   * Returns the highest reading of the metric in the whole run; -Infinity if it was never read.
   * @param channel index of the metric
   */
  highestOf(channel: number): number {
    return this.highest[channel] ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns for one configuration: `touchedNs`, the total length of those intervals between readings in which it was measured at
   * all; `coveredNs`, for how long of these it was measured; `ticks`, the number of readings during the measurement. All are 0 if
   * it was not measured.
   * @param cell index of the configuration
   */
  reach(cell: number): { touchedNs: number; coveredNs: number; ticks: number } {
    return this.touched.get(cell) ?? { touchedNs: 0, coveredNs: 0, ticks: 0 };
  }

  private add(
    index: number,
    { cumulative, unit }: MetricsChannel,
    from: { ns: number; value: number },
    to: { ns: number; value: number },
    { cell, ns, momentNs2 }: ReadingOverlap,
  ): void {
    const ofCell = this.stats.get(cell) ?? new Map<number, ChannelStats>();
    this.stats.set(cell, ofCell);
    const growth = to.value - from.value;
    const lengthNs = to.ns - from.ns;
    const rate = (growth / lengthNs) * 1e9;
    const [low, high] = cumulative
      ? [rate, rate]
      : [Math.min(from.value, to.value), Math.max(from.value, to.value)];
    const here = cumulative ? rate : from.value + (growth * (momentNs2 / ns)) / lengthNs;
    const so = ofCell.get(index) ?? { coveredNs: 0, mean: 0, min: low, max: high, delta: 0 };
    const coveredNs = so.coveredNs + ns;
    ofCell.set(index, {
      coveredNs,
      mean: so.mean + ((here - so.mean) * ns) / coveredNs,
      min: Math.min(so.min, low),
      max: unit === 'bits' ? so.max | from.value | to.value : Math.max(so.max, high),
      delta: so.delta + (cumulative ? (growth * ns) / lengthNs : 0),
    });
  }

  private touch(fromNs: number, toNs: number): void {
    for (const { cell, ns } of this.overlaps(fromNs, toNs)) {
      const { touchedNs, coveredNs, ticks } = this.reach(cell);
      this.touched.set(cell, { touchedNs: touchedNs + toNs - fromNs, coveredNs: coveredNs + ns, ticks });
    }
  }

  private countTick(ns: number): void {
    for (let i = this.firstAfter(ns - 1); i < this.spans.length; i += 1) {
      const { cell, fromNs, toNs } = this.spans[i] as CellSpan;
      if (fromNs > ns) break;
      if (toNs < ns) continue;
      const reach = this.reach(cell);
      this.touched.set(cell, { ...reach, ticks: reach.ticks + 1 });
    }
  }

  /**
   * Returns for how many ns between the instants `fromNs` and `toNs`, on the host's clock, at least one configuration was being
   * measured.
   */
  measured(fromNs: number, toNs: number): number {
    let [sum, upTo] = [0, fromNs];
    for (let i = this.firstAfter(fromNs); i < this.spans.length; i += 1) {
      const span = this.spans[i] as CellSpan;
      if (span.fromNs >= toNs) break;
      const end = Math.min(toNs, span.toNs);
      sum += Math.max(0, end - Math.max(upTo, span.fromNs));
      upTo = Math.max(upTo, end);
    }
    return sum;
  }

  /**
   * Returns how long each configuration was measured between the instants `fromNs` and `toNs`, on the host's clock; configurations
   * that were not measured in this time are left out.
   */
  overlaps(fromNs: number, toNs: number): ReadingOverlap[] {
    const found = new Map<number, ReadingOverlap>();
    for (let i = this.firstAfter(fromNs); i < this.spans.length; i += 1) {
      const span = this.spans[i] as CellSpan;
      if (span.fromNs >= toNs) break;
      const [start, end] = [Math.max(fromNs, span.fromNs), Math.min(toNs, span.toNs)];
      const ns = end - start;
      if (ns <= 0) continue;
      const one = found.get(span.cell) ?? { cell: span.cell, ns: 0, momentNs2: 0 };
      one.momentNs2 += ns * ((start - fromNs + end - fromNs) / 2);
      one.ns += ns;
      found.set(span.cell, one);
    }
    return [...found.values()];
  }

  /** Returns the index of the first time span that may end after `ns`; all earlier spans have ended by then. */
  private firstAfter(ns: number): number {
    let [low, high] = [0, this.spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle] as number) > ns) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
