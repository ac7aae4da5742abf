import type { EngineName } from '../results/schema/index.ts';
import { isOk, type SeriesGroup } from './series.ts';
import { formatBandwidth } from './wording.ts';

/** A figure that others published for an operation of ours. */
export interface PublishedFigure {
  workload: string;
  /** The operation, as `SeriesGroup.what`. */
  what: string;
  /** The derived figure that it is comparable with. */
  figure: string;
  engine: EngineName;
  /** Published of one pair of ranks, so drawn for one pair alone. */
  ranks: number;
  GBps: number;
  /** Whose it is, and what was measured. */
  source: string;
  how: string;
}

/**
 * "Writing my own communications library - a worklog of creating Penny, part 1": exchange of NVSHMEM puts between two GPUs
 * of one node behind 18 NVLinks, the best of packet and block sizes, both ways together as ours.
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

/** What was published for a figure of this group, where it has series measured on hardware to compare with it. */
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

/** "Penny, put with fused signal: 733 GB/s". */
export const publishedText = ({ source, how, GBps }: PublishedFigure): string =>
  `${source}, ${how}: ${formatBandwidth(GBps)}`;
