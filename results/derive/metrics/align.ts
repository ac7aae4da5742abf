import type { MetricsChannel, MetricsTick } from '../../schema/index.ts';
import type { CellSpan } from './windows.ts';

/**
 * One channel over the time of one cell. Of a counter the rate per second, by linear interpolation between readings; of
 * the others the value.
 */
export interface ChannelStats {
  /** Time of the cell that lies between two readings of this channel, ns. */
  coveredNs: number;
  /** Over `coveredNs`, weighted by time. */
  mean: number;
  /** Of the readings within and next to the cell's time, or of the rates between them. Of bits: all that were set. */
  min: number;
  max: number;
  /** Of a counter: what it grew by in the cell's time; else 0. */
  delta: number;
}

/** A part of the time between two readings in which a cell was measured. */
export interface ReadingOverlap {
  cell: number;
  ns: number;
  /** Middle of each stretch, counted from the first reading, times its length: where in the interval the time lies. */
  momentNs2: number;
}

/**
 * Lays readings over the times of cells. Readings are given one after the other and not kept; what is kept grows with
 * cells times channels.
 */
export class LoadAlignment {
  private readonly channels: readonly MetricsChannel[];
  private readonly spans: readonly CellSpan[];
  /** [channel]: the last reading that told something. */
  private readonly last: ({ ns: number; value: number } | undefined)[];
  private readonly stats = new Map<number, Map<number, ChannelStats>>();
  private readonly highest: number[];
  private previous: MetricsTick | null = null;
  /** [span]: the latest end of all spans up to it. */
  private readonly ends: number[] = [];
  private readonly touched = new Map<number, { touchedNs: number; coveredNs: number; ticks: number }>();

  /** @param spans in the order of their beginnings; those of groups overlap */
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

  /** @param tick later than the one before */
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
      // A counter that runs backwards was reset: nothing is known of the time in between.
      if (channel.cumulative && value < before.value) continue;
      let overlaps = between.get(before.ns);
      if (overlaps === undefined) {
        overlaps = this.overlaps(before.ns, startNs);
        between.set(before.ns, overlaps);
      }
      for (const overlap of overlaps) this.add(index, channel, before, { ns: startNs, value }, overlap);
    }
  }

  /** null where no two readings of the channel enclose any of the cell's time. */
  of(cell: number, channel: number): ChannelStats | null {
    return this.stats.get(cell)?.get(channel) ?? null;
  }

  /** Highest value of the whole series; -Infinity where none was read. */
  highestOf(channel: number): number {
    return this.highest[channel] ?? Number.NEGATIVE_INFINITY;
  }

  /** Length of the intervals between readings that hold some of the cell's time, what of it is the cell's, readings in it. */
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

  /** Time between two times in which anything was measured, ns. */
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

  /** One per cell that was measured between two times. */
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

  /** From which span on one may end after `ns`. */
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
