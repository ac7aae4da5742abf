import type { MetricsChannel } from '../../schema/index.ts';

/**
 * Name of a metric, split at its last dot: a device or process such as "cpu3" or "net.eth0" ("" without a dot), and a quantity such
 * as "rxBytes".
 */
export interface ChannelName {
  object: string;
  quantity: string;
}

function nameParts(name: string): ChannelName {
  const at = name.lastIndexOf('.');
  return { object: name.slice(0, Math.max(0, at)), quantity: name.slice(at + 1) };
}

/** Kinds of CPU time in /proc/stat, per core; user time includes guest time. */
export const cpuQuantities = ['user', 'system', 'irq', 'softirq', 'steal', 'idle', 'iowait'] as const;

/** Finds the index of a host's metric in the values of each reading, by device ("gpu0") and quantity ("powerMilliwatt"). */
export class ChannelTable {
  readonly channels: readonly MetricsChannel[];
  private readonly byObject = new Map<string, Map<string, number>>();

  constructor(channels: readonly MetricsChannel[]) {
    this.channels = channels;
    for (const [index, { name }] of channels.entries()) {
      const { object, quantity } = nameParts(name);
      const own = this.byObject.get(object) ?? new Map<string, number>();
      own.set(quantity, index);
      this.byObject.set(object, own);
    }
  }

  /**
   * Returns the names of devices and processes that match `pattern`, such as "gpu0" or "net.eth0", in the order of the metrics
   * file.
   */
  objects(pattern: RegExp): string[] {
    return [...this.byObject.keys()].filter((object) => pattern.test(object));
  }

  /**
   * Returns the names of the CPU cores in the metrics: "cpu3".
   * @param allowed numbers of CPUs; null = all
   */
  cores(allowed: ReadonlySet<number> | null = null): string[] {
    return this.objects(core).filter(
      (name) => allowed === null || allowed.has(Number(name.slice('cpu'.length))),
    );
  }

  /**
   * Returns the index, in the values of each reading, of the metric `quantity` of the device `object`; undefined if the host does
   * not have the metric.
   */
  index(object: string, quantity: string): number | undefined {
    return this.byObject.get(object)?.get(quantity);
  }

  /** Returns the indices, in each reading, of these quantities for all devices whose names match, as far as the host has them. */
  all(pattern: RegExp, quantities: readonly string[]): number[] {
    return this.objects(pattern).flatMap((object) =>
      quantities.flatMap((quantity) => this.index(object, quantity) ?? []),
    );
  }
}

export const core = /^cpu\d+$/;
export const rankProcess = /^rank\d+$/;
export const networkInterface = /^net\./;
export const gpu = /^(?:amd)?gpu\d+$/;
/** Name of a network interface without the prefix of its metrics: "eth0" for "net.eth0". Other names stay unchanged. */
export const interfaceOfObject = (object: string): string => object.replace(networkInterface, '');
export const rdmaPort = /^rdma\./;
