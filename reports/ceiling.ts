import { median } from 'simple-statistics';
import { interfaceOf } from '../results/derive/index.ts';
import { engineRow, pcieLinkOf, transportRow } from '../results/schema/index.ts';
import { nvlinkCeiling } from '../results/topology/paths.ts';
import { pcieRate, speedOfGeneration } from '../results/topology/rates.ts';
import { devicesOf } from '../results/topology/types.ts';
import type { Series, SeriesGroup } from './series.ts';
import { formatBandwidth } from './wording.ts';

/**
 * An upper limit of bandwidth of one series (`series`: its key), drawn as a line: the rate of a link in one direction, or of copies
 * in memory. Measured bandwidth per link (bus bandwidth) is compared with it. `busGBps`: the limit in GB/s.
 */
export interface CeilingLine {
  series: string;
  busGBps: number;
  /** `link`: rate of the link itself. `copy`: rate of copies in host memory, with which an emulated adapter moves its data. */
  of: 'link' | 'copy';
  /** Name of the link or of the copies: "eth0". */
  name: string;
  /** Text beside the line, with name and bandwidth: "eth0: 12.5 GB/s". */
  text: string;
}

/**
 * Returns the upper limits of bandwidth of all series in the group, in order of the series, equal texts once: rates of links, and
 * copy rates of emulated adapters. Empty if no limit is known, as for loopback.
 */
export function ceilingsOf(group: SeriesGroup): CeilingLine[] {
  const found = group.series.flatMap(ceilingsOfSeries);
  return found.filter((c, i) => found.findIndex((d) => d.text === c.text) === i);
}

/**
 * Returns the upper limits of bandwidth of one series: the link's rate first, then the copy rate of an emulated adapter. The link
 * is the adapter's PCIe link, or else the links of the GPUs, or else the transport's network interface on the first host that
 * reports its speed. Empty if no limit is known.
 */
export function ceilingsOfSeries(series: Series): CeilingLine[] {
  return [ceilingOf(series), copyCeilingOf(series)].filter((c) => c !== null);
}

function ceilingOf(series: Series): CeilingLine | null {
  const pcieLink = pcieLinkOf(series.detail);
  if (pcieLink !== null) {
    const { text, GBps } = pcieRate(speedOfGeneration(pcieLink.generation), pcieLink.lanes);
    return GBps === null ? null : ceilingLine(series, 'link', text, GBps);
  }
  const ofGpu = gpuCeiling(series);
  if (ofGpu !== null) return ofGpu;
  const transport = series.run.plan.transports.find((one) => one.name === series.transport);
  const name = transport === undefined ? undefined : interfaceOf(transport);
  for (const host of Object.values(series.run.inventory)) {
    const speed = host.interfaces.find((i) => i.name === name)?.speedMbps ?? 0;
    if (speed > 0) return ceilingLine(series, 'link', name ?? '', speed / 8000);
  }
  return null;
}

const ceilingLine = (series: Series, of: CeilingLine['of'], name: string, busGBps: number): CeilingLine => ({
  series: series.key,
  busGBps,
  of,
  name,
  text: `${name}: ${formatBandwidth(busGBps)}`,
});

/**
 * Returns the rate of the links between GPUs of one host. With transport p2p it is that of all NVLinks of a GPU; with host memory
 * (shm) it is that of the GPU's PCIe link. Each byte that bus bandwidth counts leaves one GPU and enters another. Null unless a GPU
 * engine ran on one host with known topology and the medium is not emulated. Null also if GPUs have different links or unknown
 * rates, or if p2p has no NVLinks, because the path is then unknown.
 */
function gpuCeiling(series: Series): CeilingLine | null {
  const { plan } = series.run;
  const links = transportRow(series.transport)?.gpuLinks ?? null;
  const [topology, ...others] = series.topologies;
  const isOne = topology !== undefined && others.length === 0 && plan.hosts.length === 1;
  if (!isOne || links === null || !engineRow(plan).onDevice || series.medium === 'emulated') return null;
  if (links === 'nvlink') {
    const found = nvlinkCeiling(topology);
    return found === null ? null : ceilingLine(series, 'link', `${found.text} of each GPU`, found.GBps);
  }
  const rates = devicesOf(topology).flatMap(({ kind, up }) => (kind === 'gpu' ? [up] : []));
  const [first] = rates;
  const isAlike = first?.GBps != null && rates.every((rate) => rate?.GBps === first.GBps);
  return isAlike ? ceilingLine(series, 'link', `${first.text} of each GPU`, first.GBps ?? 0) : null;
}

/**
 * Returns the upper limit of an emulated adapter, which moves every byte by copying in host memory. It is the median of the copy
 * rates that ranks measured, with four copying threads if any rank measured that, else with one. Without a measured rate it is the
 * plan's setting `hostCopyGBps`. Null if the series did not use the emulated adapter, or if no rate is known.
 */
function copyCeilingOf(series: Series): CeilingLine | null {
  const emulator = transportRow(series.transport)?.emulator ?? null;
  if (emulator === null || series.detail.softwareCard !== emulator) return null;
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
  return ceilingLine(series, 'copy', `host memory, ${threads}`, busGBps);
}
