import type { Group, Series } from './series.ts';
import { formatBandwidth } from './wording.ts';

/** The most a link could carry in one direction, to hold bus bandwidth against. */
export interface Ceiling {
  series: string;
  busGBps: number;
  text: string;
}

/** Payload rate of one PCIe lane in GB/s: transfers per second x line code / 8 bits (PCI-SIG base specifications). */
const lanesGBps: Record<string, number> = {
  '1': (2.5 * 8) / 10 / 8,
  '2': (5 * 8) / 10 / 8,
  '3': (8 * 128) / 130 / 8,
  '4': (16 * 128) / 130 / 8,
  '5': (32 * 128) / 130 / 8,
};

/** Link rates named by what the transports say about themselves; loopback and memory have none. */
export function ceilingsOf(group: Group): Ceiling[] {
  const found = group.series.flatMap((s) => ceilingOf(s) ?? []);
  return found.filter((c, i) => found.findIndex((d) => d.text === c.text) === i);
}

function ceilingOf(series: Series): Ceiling | null {
  const pcie = /pcie[- ]gen(\d)[- ]x(\d+)/i.exec(series.detail);
  if (pcie !== null) {
    const lane = lanesGBps[pcie[1] ?? ''];
    if (lane === undefined) return null;
    const busGBps = lane * Number(pcie[2]);
    const words = `PCIe gen ${pcie[1]} x${pcie[2]}: ${formatBandwidth(busGBps)}`;
    return { series: series.key, busGBps, text: words };
  }
  const name = /\bover (\S+)/.exec(series.detail)?.[1];
  for (const host of Object.values(series.run.inventory)) {
    const speed = host.interfaces.find((i) => i.name === name)?.speedMbps ?? 0;
    if (speed > 0)
      return { series: series.key, busGBps: speed / 8000, text: `${name}: ${formatBandwidth(speed / 8000)}` };
  }
  return null;
}
