import type { PeerLink } from './types.ts';

/**
 * Nominal (not measured) rate of a link, or of several links together, in one direction. It includes the overhead of packets and
 * protocols. For PCIe the overhead of the line code, at 64 GT/s that of flits, is subtracted.
 */
export type LinkRate = PeerLink['rate'];

/**
 * Rate of one PCIe lane for packets in GB/s, by its transfer rate: GT/s x efficiency of the line code / 8 bits. 8b/10b at 2.5 and 5
 * GT/s, 128b/130b at 8 to 32 GT/s (PCI Express base specification 5.0, 4.2.1 and 4.2.2); at 64 GT/s 236 of the 256 bytes of a flit
 * (base specification 6.0, 4.2.3).
 */
const lanes: Readonly<Record<string, { generation: number; GBps: number }>> = {
  '2.5': { generation: 1, GBps: (2.5 * 8) / 10 / 8 },
  '5': { generation: 2, GBps: (5 * 8) / 10 / 8 },
  '8': { generation: 3, GBps: (8 * 128) / 130 / 8 },
  '16': { generation: 4, GBps: (16 * 128) / 130 / 8 },
  '32': { generation: 5, GBps: (32 * 128) / 130 / 8 },
  '64': { generation: 6, GBps: (64 * 236) / 256 / 8 },
};

const widths = [1, 2, 4, 8, 12, 16, 32];

/** Returns the transfer rate of one lane of a PCIe generation (1 to 6) in GT/s; null if the generation does not exist. */
export function speedOfGeneration(generation: number): number | null {
  const found = Object.entries(lanes).find(([, lane]) => lane.generation === generation);
  return found === undefined ? null : Number(found[0]);
}

/**
 * Returns the rate of a PCIe link for packets, in one direction; `GBps` is null if speed or width is unknown.
 * @param speedGTs transfer rate per lane in GT/s; null, or a rate that PCIe does not have, counts as unknown
 * @param width number of lanes; null, or a width that PCIe does not have, counts as unknown
 */
export function pcieRate(speedGTs: number | null, width: number | null): LinkRate {
  const lane = speedGTs === null ? undefined : lanes[String(speedGTs)];
  const count = width !== null && widths.includes(width) ? width : null;
  const known = [
    ...(lane === undefined ? [] : [`gen ${lane.generation}`]),
    ...(count === null ? [] : [`x${count}`]),
  ];
  const GBps = lane === undefined || count === null ? null : lane.GBps * count;
  return { text: ['PCIe', ...known].join(' '), GBps };
}

/**
 * Parses the transfer rate in GT/s from "32.0 GT/s PCIe" (sysfs) or "32 GT/s" (NCCL); null for "Unknown", "" and any other text.
 */
export function parseTransferRate(text: string): number | null {
  const match = /^(\d{1,3}(?:\.\d)?) GT\/s(?: PCIe)?$/.exec(text);
  return match === null ? null : Number(match[1]);
}

/**
 * Rate of one NVLink in one direction in GB/s, by compute capability x 10. NVIDIA's data sheets state both directions of all links
 * of a GPU; the value is half of this, divided by the number of links. P100: 160 GB/s over 4, V100: 300 over 6, A100: 600 over 12,
 * A40 and RTX A6000: 112.5 over 4, H100 and H200: 900 over 18, B200: 1800 over 18.
 */
const nvlinks: Readonly<Record<string, number>> = {
  '60': 20,
  '70': 25,
  '80': 25,
  '86': 14.0625,
  '90': 25,
  '100': 50,
  '103': 50,
};

/**
 * Returns the rate of `count` NVLinks together, in one direction; `GBps` is null if the rate of this GPU generation is unknown.
 * @param sm compute capability x 10 of the GPU, such as 90 for H200; null = unknown
 */
export const nvlinkRate = (count: number, sm: number | null): LinkRate =>
  linksRate(count, 'NVLink', sm === null ? undefined : nvlinks[String(sm)]);

/**
 * Rate of one xGMI link (Infinity Fabric) in one direction in GB/s, by GPU architecture. AMD's data sheets state both directions of
 * a link; the value is half of this (MI50 and MI100 92, MI250X 100, MI300X 128, MI350X 153.6). RCCL wrote 910 for gfx90a.
 */
const xgmiLinks: Readonly<Record<string, number>> = {
  '906': 46,
  '908': 46,
  '910': 50,
  '90a': 50,
  '942': 64,
  '950': 76.8,
};

/**
 * Returns the rate of `count` xGMI links together, in one direction; `GBps` is null for an architecture that is not in the table.
 * @param architecture "gfx942" or "942" as RCCL writes it; undefined = unknown
 */
export const xgmiRate = (count: number, architecture: string | undefined): LinkRate =>
  linksRate(count, 'xGMI', xgmiLinks[architecture?.replace(/^gfx/, '') ?? '']);

/**
 * Returns the rate of `count` links of one kind together, which lead to the same device, in one direction.
 * @param kind "NVLink", "xGMI", "C2C" ...
 * @param eachGBps GB/s of one link in one direction; undefined = unknown, and `GBps` of the result is then null
 */
export const linksRate = (count: number, kind: string, eachGBps: number | undefined): LinkRate => ({
  text: `${count} ${kind === 'NVLink' ? kind : `${kind} link`}${count === 1 ? '' : 's'}`,
  GBps: eachGBps === undefined ? null : eachGBps * count,
});

/**
 * Signalling rate of one NVLink 4 in MB/s (NVLink 5: twice this). These links send 256 bits as 257, in code words of 544 symbols
 * for 514 (IEEE 802.3 clause 91), so 16/17 of the rate is data; data sheets state this part.
 */
const codedMBps = 26_562.5;

/**
 * Returns the rate of `count` NVLinks together, in one direction. From the signalling rate of NVLink 4 and 5, the overhead of the
 * line code is subtracted; other rates are taken as they are.
 * @param eachMBps signalling rate of one link in one direction, as NVML and `nvidia-smi nvlink -s` report it; null, or a value not
 * above 0, = unknown, and `GBps` is then null
 */
export function nvlinkRateOfMBps(count: number, eachMBps: number | null): LinkRate {
  if (eachMBps === null || !(eachMBps > 0)) return linksRate(count, 'NVLink', undefined);
  const isCoded = [1, 2].some((times) => Math.abs(eachMBps - times * codedMBps) <= times);
  return linksRate(count, 'NVLink', (eachMBps * (isCoded ? 16 / 17 : 1)) / 1000);
}

/**
 * Highest port rate in Mbit/s that is accepted as valid: four ports of 1.6 Tbit/s (the fastest today), joined as NCCL joins
 * adapters. A plugin that reports its speed in another unit exceeds it a thousandfold.
 */
export const maxPortMbps = 6_400_000;

/**
 * Returns the rate of a network port in one direction, from Mbit/s; null if `Mbps` is null, not above 0, or above `maxPortMbps`.
 */
export function wireRate(Mbps: number | null): LinkRate | null {
  if (Mbps === null || !(Mbps > 0) || Mbps > maxPortMbps) return null;
  return { text: Mbps >= 1000 ? `${Mbps / 1000} Gbit/s` : `${Mbps} Mbit/s`, GBps: Mbps / 8000 };
}

/** Highest possible rate of a path of several links in one direction: the rate of its slowest link. */
export interface PathCeiling {
  /** GB/s of the slowest link among those whose rate is known; null if no link's rate is known. */
  GBps: number | null;
  /** Text of this slowest link, as in `LinkRate`: "PCIe gen 5 x16"; null if no rate is known. */
  limit: string | null;
  /** True if the rates of all links are known; if false, the true ceiling may be lower. */
  isComplete: boolean;
}

export function lowestRate(rates: readonly LinkRate[]): PathCeiling {
  let least: LinkRate | null = null;
  for (const rate of rates) {
    if (rate.GBps !== null && (least?.GBps == null || rate.GBps < least.GBps)) least = rate;
  }
  return {
    GBps: least?.GBps ?? null,
    limit: least?.text ?? null,
    isComplete: rates.length > 0 && rates.every(({ GBps }) => GBps !== null),
  };
}
