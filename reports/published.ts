import type { EngineName } from '../results/schema/index.ts';
import { isOk, type SeriesGroup } from './series.ts';
import { formatBandwidth } from './wording.ts';

/** A published figure of an operation that collbench measures. */
export interface PublishedFigure {
  workload: string;
  /** Name of the operation, as `SeriesGroup.what`. */
  what: string;
  /** Name of the derived figure with which it can be compared. */
  figure: string;
  engine: EngineName;
  /** Rank count of the published figure; it is drawn only for series with this count. */
  ranks: number;
  GBps: number;
  /** Author of the figure. */
  source: string;
  how: string;
}

/**
 * Source: "Writing my own communications library - a worklog of creating Penny, part 1". NVSHMEM puts are exchanged between two
 * GPUs of one node over 18 NVLinks, with the best packet and block sizes. As in collbench, both directions count together.
 */
const penny = {
  workload: 'p2p',
  what: 'exchange',
  figure: 'bandwidth',
  engine: 'nvshmem',
  ranks: 2,
  source: 'Penny',
} as const;

const all: readonly PublishedFigure[] = [
  { ...penny, GBps: 733, how: 'put with fused signal' },
  { ...penny, GBps: 560, how: 'put, fence, signal' },
];

/** Returns published figures for a group; empty unless the group has series measured on hardware. */
export function publishedFor(group: SeriesGroup, figure: string): PublishedFigure[] {
  const comparable = group.series.filter(
    ({ medium, slots }) => medium === 'hardware' && slots.some(({ cell }) => isOk(cell)),
  );
  return all.filter(
    (one) =>
      one.workload === group.row.name &&
      one.what === group.what &&
      one.figure === figure &&
      comparable.some(({ run: { plan } }) => plan.engine === one.engine && plan.ranks === one.ranks),
  );
}

/** Returns "Penny, put with fused signal: 733 GB/s". */
export const publishedText = ({ source, how, GBps }: PublishedFigure): string =>
  `${source}, ${how}: ${formatBandwidth(GBps)}`;
