import { setTimeout as delay } from 'node:timers/promises';
import { loadAddon, type NativeSampler } from './native.ts';

/** One column of the sampled values. */
export interface Channel {
  /** `cpu0.user`, `net.eth0.rxBytes`, `memory.available` */
  name: string;
  /** `ns`, `bytes`, `us`, `packets` */
  unit: string;
  /** Counts up since boot: differences of two samples mean something, single values do not. */
  cumulative: boolean;
}

/** One row: what the kernel said at one instant. */
export interface Sample {
  /** CLOCK_MONOTONIC, nanoseconds: the clock of all measured times on this machine. */
  timeNs: number;
  /** What taking this sample cost, nanoseconds. */
  costNs: number;
  /** In the order of `Sampler.channels`; NaN where the kernel no longer tells. */
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
 * for await (const sample of sampler) { ...; if (done) sampler.stop(); }
 * ```
 * Stamps are taken in native code at the reading itself, so a late event loop shows as a gap, never as a wrong time.
 */
export class Sampler implements AsyncIterable<Sample> {
  readonly channels: readonly Channel[];
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
