import type { EngineName } from '../results/schema/index.ts';
import { isOk, type SeriesGroup } from './series.ts';
import { formatBandwidth } from './wording.ts';

/** A result that somebody else published, for an operation that collbench measures. Charts draw it as a line for comparison. */
export interface PublishedFigure {
  workload: string;
  /** Name of the operation; the result is drawn only with series of this operation. */
  what: string;
  /** Name of the measured value of collbench, such as "bandwidth", with which the published value can be compared. */
  figure: string;
  engine: EngineName;
  /** Rank count of the published result; it is drawn only with series of this rank count. */
  ranks: number;
  GBps: number;
  /** Name of the publication or its author, for the label of the line. */
  source: string;
  how: string;
}

/**
 * Fields that several published results share. Source: "Writing my own communications library - a worklog of creating Penny,
 * part 1". It exchanges NVSHMEM puts between two GPUs of one node over 18 NVLinks, with the best packet and block sizes. As in
 * collbench, both directions count together.
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

/**
 * Returns results that others published for the group's operation, to be drawn beside its measured values. Each has the engine
 * and rank count of a series that the group measured on real, not emulated, hardware; empty if there is none.
 * @param figure name of the value that the chart shows, such as "bandwidth"
 */
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

/** Returns the label of a published result: "Penny, put with fused signal: 733 GB/s". */
export const publishedText = ({ source, how, GBps }: PublishedFigure): string =>
  `${source}, ${how}: ${formatBandwidth(GBps)}`;
