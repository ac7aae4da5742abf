import { setTimeout as delay } from 'node:timers/promises';
import { loadAddon, type NativeSampler } from './native.ts';

/** Name and unit of one sampled metric. */
export interface SampleChannel {
  /** Name such as `cpu0.user`, `net.eth0.rxBytes`, `memory.available`. */
  name: string;
  /** Unit of the value: `ns`, `bytes`, `us`, `packets`. */
  unit: string;
  /**
   * True for counters that grow since boot, so that the difference of two samples is the amount between their times.
   */
  cumulative: boolean;
}

/** Value of one channel (a sampled metric such as `cpu0.user`) at one instant. */
export interface ChannelReading {
  /** Value in the unit of the channel, since boot if `cumulative`; null if the kernel no longer provides it. */
  value: number | null;
  unit: string;
  /**
   * True for counters that grow since boot, so that the difference of two samples is the amount between their times.
   */
  cumulative: boolean;
}

/** Values of all channels (sampled metrics of the machine), read one after the other at one time. */
export interface Sample {
  /** Time of the reading, CLOCK_MONOTONIC in nanoseconds: the same clock as all measured times on this machine. */
  timeNs: number;
  /** Nanoseconds that reading all channels took. */
  costNs: number;
  /** Readings, keyed by channel name; for example `sample.readings['memory.available']?.value` is in bytes. */
  readings: Readonly<Record<string, ChannelReading>>;
}

/** A sample whose values are an array of plain numbers. It takes less memory than `Sample` when many samples are kept. */
export interface SampleRow extends Omit<Sample, 'readings'> {
  /** Values in the order of `Sampler.channels`; NaN if the kernel no longer provides the value. */
  values: Float64Array;
}

export interface SamplerOptions {
  /**
   * Milliseconds from one sample to the next; default 200. A sample for which the event loop or the loop body is late is taken at
   * once, and the next ones count from it.
   */
  intervalMs?: number;
  /**
   * Names of metric sources in native/metrics/sources.cc: `cpu`, `memory`, `net`, ...; default all that this machine has. Each
   * source has several channels.
   */
  sources?: readonly string[];
}

/**
 * System load of the local machine as an async iterable:
 * ```ts
 * const sampler = new Sampler({ intervalMs: 200 });
 * for await (const { readings } of sampler) console.log(readings['memory.available']); // { value: 1.2e10, unit: 'bytes', ... }
 * ```
 * Native code takes the timestamp at the reading itself, so a late event loop causes a gap, never a wrong time.
 */
export class Sampler implements AsyncIterable<Sample> {
  readonly channels: readonly SampleChannel[];
  readonly intervalMs: number;
  private readonly native: NativeSampler;
  private readonly stopping = new AbortController();

  /**
   * Opens the metric sources. Nothing is read before read() or an iteration, and nothing needs to be closed.
   * @throws {RangeError} if intervalMs is not positive
   * @throws {NativeError} `invalid_argument` for an unknown source, `unavailable` without collbench.node
   */
  constructor(options: SamplerOptions = {}) {
    this.intervalMs = options.intervalMs ?? 200;
    if (!(this.intervalMs > 0)) throw new RangeError(`intervalMs must be positive, got ${this.intervalMs}`);
    this.native = new (loadAddon().Sampler)(options.sources);
    this.channels = this.native.channels();
  }

  /** Takes one sample now, in the calling thread, and returns it. */
  read(): Sample {
    const { values, ...row } = this.readRow();
    const readings = this.channels.map(({ name, unit, cumulative }, i) => {
      const value = values[i] ?? Number.NaN;
      return [name, { value: Number.isNaN(value) ? null : value, unit, cumulative }] as const;
    });
    return { ...row, readings: Object.fromEntries(readings) };
  }

  /** Takes one sample now, with its values as a new array of plain numbers. */
  readRow(): SampleRow {
    const values = new Float64Array(this.channels.length);
    const [timeNs, costNs] = this.native.read(values);
    return { timeNs, costNs, values };
  }

  /**
   * Ends every iteration over this sampler, including one that waits for its next sample; `break` ends only its own loop. Later
   * iterations are empty; read() still works.
   */
  stop(): void {
    this.stopping.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Sample> {
    const { signal } = this.stopping;
    let due = performance.now();
    while (!signal.aborted) {
      yield this.read();
      due = Math.max(due + this.intervalMs, performance.now());
      await delay(due - performance.now(), undefined, { signal }).catch(() => {});
    }
  }
}
