import type { MetricsChannel, MetricsTick } from '../../schema/index.ts';
import type { CellSpan } from './windows.ts';

/**
 * Statistics of one metric during one cell. For counters they describe the rate per second, interpolated linearly between
 * readings. For other channels they describe the value.
 */
export interface ChannelStats {
  /** Part of the cell's time, ns, with a reading of this channel before and after it. */
  coveredNs: number;
  /** Mean over `coveredNs`, weighted by time. */
  mean: number;
  /** Lowest of the readings within and next to the cell's time; for counters the lowest rate between these readings. */
  min: number;
  max: number;
  /** Growth of a counter during the cell's time; 0 for other channels. */
  delta: number;
}

/** The part of the time between two successive readings in which one cell was measured. */
export interface ReadingOverlap {
  cell: number;
  ns: number;
  /**
   * Sum over the spans of this part: length times distance of the span's middle from the first reading, ns². Divided by `ns` it
   * is the mean distance.
   */
  momentNs2: number;
}

/**
 * Assigns metric readings to the cells that were measured at their time. Readings are given one after the other and are not
 * stored, so memory only grows with the number of cells times channels.
 */
export class LoadAlignment {
  private readonly channels: readonly MetricsChannel[];
  private readonly spans: readonly CellSpan[];
  /** The last reading that had a value, for each channel. */
  private readonly last: ({ ns: number; value: number } | undefined)[];
  private readonly stats = new Map<number, Map<number, ChannelStats>>();
  private readonly highest: number[];
  private previous: MetricsTick | null = null;
  /** The latest end of all spans up to and including a span, for each span. Used to search spans that overlap a time. */
  private readonly ends: number[] = [];
  private readonly touched = new Map<number, { touchedNs: number; coveredNs: number; ticks: number }>();

  /** @param spans times in which cells were measured, in the order of their starts; spans of different groups overlap */
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

  /** Adds the next reading of the host. @param tick must be later than the previous one */
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

  /** Returns the channel's statistics during a cell; null if no two readings have a part of the cell's time between them. */
  of(cell: number, channel: number): ChannelStats | null {
    return this.stats.get(cell)?.get(channel) ?? null;
  }

  /** Returns the channel's highest value in the whole run; -Infinity if nothing was read. */
  highestOf(channel: number): number {
    return this.highest[channel] ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns `touchedNs`, the total length of the reading intervals that overlap the cell; `coveredNs`, the part of them within
   * the cell; `ticks`, the number of readings within the cell.
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

  /** Returns how long, between two instants, at least one cell was measured, ns. */
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

  /** Returns for each cell the part of this time in which it was measured; cells without such a part are left out. */
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

  /** Returns the index of the first span that may end after `ns`; all spans before it have ended. */
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
