/** What a `custom:` link model may say of a device, as its room in native/ reads it. */
export interface LinkParameter {
  /** In `custom:NAME=..`. */
  name: string;
  /** For people. */
  title: string;
  unit: string;
  /** Of a cost in ns (of the bandwidth: ns per byte) the number that is written, and back: its own inverse or a factor. */
  written(ns: number): number;
}

const microseconds = (name: string, title: string): LinkParameter => ({
  name,
  title,
  unit: 'us',
  written: (ns) => ns / 1e3,
});
const gbps: LinkParameter = { name: 'gbps', title: 'bandwidth', unit: 'GB/s', written: (ns) => 1 / ns };

/** Costs of a link, ns: what is fitted. `byte` is per byte. */
export type LinkCosts<T> = Readonly<Partial<Record<LinkCostName, T>>>;
export type LinkCostName = 'byte' | 'latency' | 'message' | 'dmaStart' | 'pioWrite';

export interface LinkDevice {
  name: 'softmlx5' | 'softntb';
  /** Transport that it can be asked for by. */
  transport: string;
  costs: LinkCosts<LinkParameter>;
  /** The least time of a small message is made of these; one of them must be found. */
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

/** `pio-read-us` is not here: no transport reads through a map. */
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
