import { median } from 'simple-statistics';
import type { Group, Series } from './series.ts';
import { formatBandwidth, seriesParts } from './wording.ts';

/** The most a link could carry in one direction, to hold bus bandwidth against. */
export interface Ceiling {
  series: string;
  busGBps: number;
  /** Of the link itself, or of the copies in host memory that an emulated one is made of. */
  of: 'link' | 'copy';
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

/** Link rates named by what the transports say about themselves, and the copy rate of emulated ones; loopback has none. */
export function ceilingsOf(group: Group): Ceiling[] {
  const found = group.series.flatMap((s) => [ceilingOf(s), copyCeilingOf(s)].filter((c) => c !== null));
  return found.filter((c, i) => found.findIndex((d) => d.text === c.text) === i);
}

function ceilingOf(series: Series): Ceiling | null {
  const pcie = /pcie[- ]gen(\d)[- ]x(\d+)/i.exec(series.detail);
  if (pcie !== null) {
    const lane = lanesGBps[pcie[1] ?? ''];
    if (lane === undefined) return null;
    const busGBps = lane * Number(pcie[2]);
    const words = `PCIe gen ${pcie[1]} x${pcie[2]}: ${formatBandwidth(busGBps)}`;
    return { series: series.key, busGBps, of: 'link', text: words };
  }
  const name = /\bover (\S+)/.exec(series.detail)?.[1];
  for (const host of Object.values(series.run.inventory)) {
    const speed = host.interfaces.find((i) => i.name === name)?.speedMbps ?? 0;
    if (speed > 0)
      return {
        series: series.key,
        busGBps: speed / 8000,
        of: 'link',
        text: `${name}: ${formatBandwidth(speed / 8000)}`,
      };
  }
  return null;
}

/**
 * An emulated adapter moves every byte by copies in host memory. The ranks measure at what rate one thread does that, and
 * four where there are cores for as many engines; a plan may carry the figure instead.
 */
function copyCeilingOf(series: Series): Ceiling | null {
  const { transport } = seriesParts(series.transport);
  if (transport !== 'sisci' || !series.detail.includes('softntb')) return null;
  const { plan, launches } = series.run;
  const facts = launches
    .filter((l) => plan.transports[l.transport]?.name === series.transport)
    .flatMap((l) => l.ranks.map((r) => r.facts ?? {}));
  const measured = (name: string) => facts.map((f) => Number(f[name] ?? 0)).filter((gbps) => gbps > 0);
  const [one, four] = [measured('host.copyGBps'), measured('host.copyGBps.4')];
  const known = four.length > 0 ? four : one;
  const busGBps = known.length > 0 ? median(known) : Number(plan.settings.hostCopyGBps ?? 0);
  if (!(busGBps > 0)) return null;
  const threads = four.length > 0 ? 'four copying threads' : 'one copying thread';
  return {
    series: series.key,
    busGBps,
    of: 'copy',
    text: `host memory, ${threads}: ${formatBandwidth(busGBps)}`,
  };
}
