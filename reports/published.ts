import type { EngineName } from '../results/schema/index.ts';
import type { HorizontalRule } from './charts/over-x.ts';
import { isOk, type SeriesGroup } from './series.ts';
import { formatBandwidth, joinWords } from './wording.ts';

/**
 * A result that somebody else published about an operation that collbench measures. Charts show it as a line for comparison.
 * `workload`: name of the workload; `how`: the measured variant in a few words, for the label of the line.
 */
export interface PublishedFigure {
  workload: string;
  /** Name of the operation: "exchange". Only charts with series of this operation show the result. */
  what: string;
  /** Name of the value that collbench measures, such as "bandwidth", with which the published value can be compared. */
  figure: string;
  engine: EngineName;
  /** Number of ranks of the published result. Only charts that have a series with this number of ranks show it. */
  ranks: number;
  GBps: number;
  /** Name of the publication or its author, for the label of the line. */
  source: string;
  how: string;
}

/**
 * Fields that are equal in several published results. Source: "Writing my own communications library - a worklog of creating Penny,
 * part 1". It measures an exchange by NVSHMEM puts between two GPUs of one node over 18 NVLinks, with the best packet and block
 * sizes. As in collbench, the bandwidth is that of both directions together.
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
 * Returns horizontal lines for the results that others published about the group's operation and the charted value, and a sentence
 * about them with a space before it. Each has the engine and rank count of a series that the group measured on real, not emulated,
 * hardware. No line and '' if there is none.
 * @param figure name of the value that the chart shows, such as "bandwidth"
 */
export function publishedFor(
  group: SeriesGroup,
  figure: string,
): { rules: HorizontalRule[]; sentence: string } {
  const comparable = group.series.filter(
    ({ medium, slots }) => medium === 'hardware' && slots.some(({ cell }) => isOk(cell)),
  );
  const rules = all
    .filter(
      (one) =>
        one.workload === group.row.name &&
        one.what === group.what &&
        one.figure === figure &&
        comparable.some(({ run: { plan } }) => plan.engine === one.engine && plan.ranks === one.ranks),
    )
    // The dash is longer than that of lines for a link's maximum bandwidth.
    .map(({ source, how, GBps }) => ({
      value: GBps,
      text: `${source}, ${how}: ${formatBandwidth(GBps)}`,
      dash: [8, 4],
    }));
  const texts = joinWords(rules.map(({ text }) => text));
  const sentence = texts === '' ? '' : ` Dashed lines are published by others, of their machines: ${texts}.`;
  return { rules, sentence };
}
