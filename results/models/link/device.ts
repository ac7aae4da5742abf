/** A parameter that users may set in the link model of a software device such as softmlx5, as `custom:NAME=value,...`. */
export interface LinkParameter {
  /** Name of the parameter in `custom:NAME=value`. */
  name: string;
  /** Name of the parameter in texts for readers: "DMA start". */
  title: string;
  unit: string;
  /** Converts a cost in ns (bandwidth: ns per byte) to the number that the option takes, in `unit`. */
  written(ns: number): number;
}

const microseconds = (name: string, title: string): LinkParameter => ({
  name,
  title,
  unit: 'us',
  written: (ns) => ns / 1e3,
});
const gbps: LinkParameter = { name: 'gbps', title: 'bandwidth', unit: 'GB/s', written: (ns) => 1 / ns };

/** A value of type T for each cost of a link: bandwidth (`byte`), latency, message rate, DMA start, PIO write. */
export type LinkCosts<T> = Readonly<Partial<Record<LinkCostName, T>>>;
export type LinkCostName = 'byte' | 'latency' | 'message' | 'dmaStart' | 'pioWrite';

/** A software device with a link model, and the costs of this model that can be fitted to measured times. */
export interface LinkDevice {
  name: 'softmlx5' | 'softntb';
  /** Name of the transport that uses this software device. */
  transport: string;
  costs: LinkCosts<LinkParameter>;
  /**
   * Costs that determine the time of the smallest message. A fitted model is accepted only if at least one of these was determined
   * by the measured times.
   */
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

/** Parameters of softntb that can be fitted. `pio-read-us` is left out, because no transport reads through a mapped segment. */
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
