import { setTimeout as delay } from 'node:timers/promises';
import { loadAddon, type NativeSampler } from './native.ts';

/** One column of the sampled values. */
export interface SampleChannel {
  /** `cpu0.user`, `net.eth0.rxBytes`, `memory.available` */
  name: string;
  /** `ns`, `bytes`, `us`, `packets` */
  unit: string;
  /** Counts up since boot: differences of two samples mean something, single values do not. */
  cumulative: boolean;
}

/** What one channel read at one instant. */
export interface ChannelReading {
  /** Null where the kernel no longer has it. */
  value: number | null;
  unit: string;
  /** Counts up since boot: the difference of two samples is what happened between them. */
  cumulative: boolean;
}

/** What the kernel read at one instant. */
export interface Sample {
  /** CLOCK_MONOTONIC, nanoseconds: the clock of all measured times on this machine. */
  timeNs: number;
  /** What taking this sample cost, nanoseconds. */
  costNs: number;
  /** By the name of the channel: `sample.readings['memory.available']?.value` is bytes. */
  readings: Readonly<Record<string, ChannelReading>>;
}

/** The same as bare numbers, for those who keep many. */
export interface SampleRow extends Omit<Sample, 'readings'> {
  /** In the order of `Sampler.channels`; NaN where the kernel no longer has it. */
  values: Float64Array;
}

export interface SamplerOptions {
  /** Milliseconds from one sample to the next; default 200. Late samples are not made up for. */
  intervalMs?: number;
  /** Rows of native/metrics/sources.cc: `cpu`, `memory`, `net`, ...; default all that this machine has. */
  sources?: readonly string[];
}

/**
 * System load of the local machine as an async iterable:
 * ```ts
 * const sampler = new Sampler({ intervalMs: 200 });
 * for await (const { readings } of sampler) console.log(readings['memory.available']); // { value: 1.2e10, unit: 'bytes', ... }
 * ```
 * Stamps are taken in native code at the reading itself, so a late event loop shows as a gap, never as a wrong time.
 */
export class Sampler implements AsyncIterable<Sample> {
  readonly channels: readonly SampleChannel[];
  readonly intervalMs: number;
  private readonly native: NativeSampler;
  private readonly stopping = new AbortController();

  /**
   * @throws {RangeError} intervalMs not positive
   * @throws {NativeError} `invalid_argument` for a source that does not exist, `unavailable` without collbench.node
   */
  constructor(options: SamplerOptions = {}) {
    this.intervalMs = options.intervalMs ?? 200;
    if (!(this.intervalMs > 0)) throw new RangeError(`intervalMs must be positive, got ${this.intervalMs}`);
    this.native = new (loadAddon().Sampler)(options.sources);
    this.channels = this.native.channels();
  }

  /** One sample now. */
  read(): Sample {
    const { values, ...row } = this.readRow();
    const readings = this.channels.map(({ name, unit, cumulative }, i) => {
      const value = values[i] ?? Number.NaN;
      return [name, { value: Number.isNaN(value) ? null : value, unit, cumulative }] as const;
    });
    return { ...row, readings: Object.fromEntries(readings) };
  }

  /** One sample now, as bare numbers. */
  readRow(): SampleRow {
    const values = new Float64Array(this.channels.length);
    const [timeNs, costNs] = this.native.read(values);
    return { timeNs, costNs, values };
  }

  /** Ends every iteration over this sampler; also one that waits for its next sample. */
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
