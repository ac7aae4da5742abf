import type { MetricsChannel, MetricsTick } from '../../schema/index.ts';
import type { CellSpan } from './windows.ts';

/**
 * Statistics of one channel over the time of one cell. For a counter they are of the rate per second, interpolated linearly
 * between readings; for other channels they are of the value.
 */
export interface ChannelStats {
  /** Time of the cell that lies between two readings of this channel, ns. */
  coveredNs: number;
  /** Mean over `coveredNs`, weighted by time. */
  mean: number;
  /** Minimum of the readings within and next to the cell's time, or of the rates between them. */
  min: number;
  max: number;
  /** Growth of a counter in the cell's time; 0 for other channels. */
  delta: number;
}

/** The part of the interval between two readings in which a cell was measured. */
export interface ReadingOverlap {
  cell: number;
  ns: number;
  /** Sum over all parts of length times midpoint, from the first reading: the time-weighted position in the interval. */
  momentNs2: number;
}

/**
 * Assigns readings to the times of cells. Readings are passed one after the other and not stored; the memory needed grows
 * with cells times channels.
 */
export class LoadAlignment {
  private readonly channels: readonly MetricsChannel[];
  private readonly spans: readonly CellSpan[];
  /** Last reading with a value, by channel. */
  private readonly last: ({ ns: number; value: number } | undefined)[];
  private readonly stats = new Map<number, Map<number, ChannelStats>>();
  private readonly highest: number[];
  private previous: MetricsTick | null = null;
  /** Latest end of all spans up to this one, by span. */
  private readonly ends: number[] = [];
  private readonly touched = new Map<number, { touchedNs: number; coveredNs: number; ticks: number }>();

  /** @param spans in the order of their starts; spans of different groups overlap */
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

  /** Adds the next reading. @param tick later than the previous one */
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
      // A counter that decreases was reset: its growth in this interval is unknown.
      if (channel.cumulative && value < before.value) continue;
      let overlaps = between.get(before.ns);
      if (overlaps === undefined) {
        overlaps = this.overlaps(before.ns, startNs);
        between.set(before.ns, overlaps);
      }
      for (const overlap of overlaps) this.add(index, channel, before, { ns: startNs, value }, overlap);
    }
  }

  /** Statistics of a channel in a cell; null if no two readings of the channel enclose any of the cell's time. */
  of(cell: number, channel: number): ChannelStats | null {
    return this.stats.get(cell)?.get(channel) ?? null;
  }

  /** Highest value of the whole series; -Infinity if nothing was read. */
  highestOf(channel: number): number {
    return this.highest[channel] ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Length of the reading intervals that overlap the cell, their part within the cell, and the number of readings in the cell.
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

  /** Time between two instants in which any cell was measured, ns. */
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

  /** Overlaps of the interval with cells, one per cell measured in it. */
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

  /** Index of the first span that may end after `ns`. */
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
