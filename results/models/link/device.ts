/** A parameter of a device in a `custom:` link model, as the device's folder in native/ parses it. */
export interface LinkParameter {
  /** Name in `custom:NAME=..`. */
  name: string;
  /** Title for users. */
  title: string;
  unit: string;
  /**
   * Converts a cost in ns (bandwidth: ns per byte) to the number in the option. It also converts back, since it is its own
   * inverse or a factor.
   */
  written(ns: number): number;
}

const microseconds = (name: string, title: string): LinkParameter => ({
  name,
  title,
  unit: 'us',
  written: (ns) => ns / 1e3,
});
const gbps: LinkParameter = { name: 'gbps', title: 'bandwidth', unit: 'GB/s', written: (ns) => 1 / ns };

/** Values for the costs of a link, which are in ns (`byte`: ns per byte). */
export type LinkCosts<T> = Readonly<Partial<Record<LinkCostName, T>>>;
export type LinkCostName = 'byte' | 'latency' | 'message' | 'dmaStart' | 'pioWrite';

export interface LinkDevice {
  name: 'softmlx5' | 'softntb';
  /** Name of the transport that uses the device. */
  transport: string;
  costs: LinkCosts<LinkParameter>;
  /** Costs that make up the minimum time of a small message; a fit must find at least one of them. */
  first: readonly LinkCostName[];
}

export const softmlx5Link: LinkDevice = {
  name: 'softmlx5',
  transport: 'ibgda',
  costs: {
    byte: gbps,
    latency: microseconds('latency-us', 'latency'),
    message: {
      name: 'message-rate-m',
      title: 'message rate',
      unit: 'million/s',
      written: (ns) => 1e3 / ns,
    },
  },
  first: ['latency', 'message'],
};

/** Costs of softntb. `pio-read-us` is missing because no transport reads through a mapped segment. */
export const softntbLink: LinkDevice = {
  name: 'softntb',
  transport: 'sisci',
  costs: {
    byte: gbps,
    dmaStart: microseconds('dma-start-us', 'DMA start'),
    pioWrite: microseconds('pio-write-us', 'PIO write'),
  },
  first: ['pioWrite', 'dmaStart'],
};
