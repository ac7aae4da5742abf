// Sentences in the captions of figures and tables for papers: numbers of launches and samples, intervals, media, evidence,
// versions.

import { median } from 'simple-statistics';
import type { MeasuredFigure, OkCell } from '../../results/schema/index.ts';
import { detailText } from '../../results/schema/index.ts';
import type { ReportRun, Series } from '../series.ts';
import { flagSentence, ranksPhrases } from '../summary.ts';
import {
  formatCount,
  halfWidth,
  joinWords,
  plural,
  plusMinusHalf,
  shortTransport,
  valueRange,
  withStop,
} from '../wording.ts';
import { mediumTexts } from './gather.ts';

/**
 * Returns a number, or the range from the lowest to the highest value if the values differ: "5", "60 to 1,200". `values` must not
 * be empty.
 */
export const countRange = (values: readonly number[]): string => valueRange(values, formatCount);

/**
 * Returns the numbers of launches and samples: "n = 5 launches, 60 to 1,200 samples per point." If no value has samples, as in
 * imported runs, the sentence says that n is not stated.
 * @param each noun for one value: "point", "size"
 */
export function nSentence(figures: readonly MeasuredFigure[], each = 'point'): string {
  const known = figures.filter(({ samples }) => samples > 0);
  if (known.length === 0) return 'n is not stated by the program that measured.';
  const launches = known.map((one) => one.launches);
  const word = Math.max(...launches) === 1 ? 'launch' : 'launches';
  return `n = ${countRange(launches)} ${word}, ${countRange(known.map(({ samples }) => samples))} samples per ${each}.`;
}

/**
 * Returns a caption's sentence about the kind and the widths of the intervals, and how many values have none. If no value has one,
 * it gives the reason.
 * @param marks name of the marks that show intervals: "Bands", "Whiskers"
 */
export function intervalSentence(figures: readonly MeasuredFigure[], marks: string): string {
  const has = figures.filter(({ interval }) => interval !== null);
  if (has.length === 0) {
    const why = figures.find(({ intervalReason }) => intervalReason !== null)?.intervalReason;
    return `No intervals${why == null ? '' : `: ${why}`}.`;
  }
  const between = has.filter(({ interval }) => interval?.scope === 'launches').length;
  const scope =
    between === has.length
      ? 'between launches'
      : between === 0
        ? 'within one launch, which does not show the scatter of launches'
        : `between launches for ${between} of ${has.length}, within one launch for the others`;
  const without = figures.length - has.length;
  return `${marks}: 95 % intervals of the median ${scope}${widthText(has)}${without === 0 ? '' : `; ${without} of ${figures.length} have none`}.`;
}

/**
 * Returns the median and the largest half width of the intervals, relative to their values, as text: ", ±0.4 % (median) to ±2 %
 * (widest)". Drawn bands are often too narrow to see.
 * @param figures figures of which at least one has an interval
 */
function widthText(figures: readonly MeasuredFigure[]): string {
  const widths = figures
    .flatMap(({ value, interval }) => (interval === null ? [] : [halfWidth(value, interval)]))
    .sort((a, b) => a - b);
  return `, ${plusMinusHalf(median(widths))} (median) to ${plusMinusHalf(widths.at(-1) ?? 0)} (widest)`;
}

/**
 * Returns which transports ran on hardware and which were emulated: "Medium: socket hardware (TCP over lo); sisci emulated
 * (...)." Each transport is named once per medium, which may also be unknown.
 * @param mark adjective for how emulated series are drawn
 */
export function mediumSentence(series: readonly Series[], mark = 'dashed'): string {
  const media = new Map<string, Set<string>>();
  for (const { transport, medium, detail } of series) {
    const name = `${shortTransport(transport)} ${mediumTexts[medium]}`;
    media.set(name, (media.get(name) ?? new Set()).add(detailText(detail)));
  }
  const texts = [...media].map(([name, details]) => {
    const known = [...details].filter((detail) => detail !== '');
    return known.length === 0 ? name : `${name} (${joinWords(known, 'or')})`;
  });
  const emulated = series.some(({ medium }) => medium === 'emulated')
    ? ` Emulated series are ${mark}; they do not show the speed of a real adapter.`
    : '';
  return `Medium: ${texts.join('; ')}.${emulated}`;
}

const verdicts = ['confirmed', 'unproven', 'contradicted'] as const;

/**
 * Returns sentences about the reliability of the drawn values: how many configurations have which evidence verdict, how many
 * results were checked and wrong, and which were flagged as disturbed.
 */
export function trustSentence(cells: readonly OkCell[]): string {
  const seen = verdicts.flatMap((verdict) => {
    const count = cells.filter(({ evidence }) => evidence.verdict === verdict).length;
    return count === 0
      ? []
      : [`${verdict} in ${formatCount(count)} of ${plural(cells.length, 'configuration')}`];
  });
  const checks = cells.reduce((sum, { verification }) => sum + verification.checks, 0);
  const wrong = cells.reduce((sum, { verification }) => sum + verification.wrongElements, 0);
  const flagged = flagSentence(cells);
  return `Transport ${joinWords(seen)}. ${formatCount(checks)} results checked, ${formatCount(wrong)} wrong elements.${flagged === '' ? '' : ` ${flagged}.`}`;
}

/** Software whose versions a caption prints: key in run.json and label. run.json has the versions of other software too. */
const versionNames: readonly (readonly [string, string])[] = [
  ['collbench', 'collbench'],
  ['nccl', 'NCCL'],
  ['nvshmem', 'NVSHMEM'],
  ['mpi', 'MPI'],
  ['torch', 'PyTorch'],
  ['tensorflow', 'TensorFlow'],
  ['driver', 'driver'],
];

export function versionsOf({ record }: ReportRun): string[] {
  const named = versionNames.flatMap(([key, name]) => {
    const version = record.versions[key];
    return version === undefined ? [] : [`${name} ${version}`];
  });
  const kernels = [...new Set(Object.values(record.inventory).map(({ kernel }) => kernel))];
  return [...named, ...(kernels.length === 0 ? [] : [`Linux ${kernels.join(', ')}`])];
}

/**
 * Returns software versions, run ids and notes for a caption: "Versions: collbench 0.1.0, NCCL 2.28.9. Run 26b6e5 of 2026-11-21."
 * More than four runs are counted instead of named.
 */
export function originSentence(runs: readonly ReportRun[]): string {
  const versions = [...new Set(runs.map((run) => versionsOf(run).join(', ')))];
  const days = [...new Set(runs.map(({ record }) => record.startedAt.slice(0, 10)))];
  const notes = [...new Set(runs.flatMap(({ record }) => record.notes ?? []))];
  const ids =
    runs.length > maxRunIds
      ? `Runs of ${joinWords(days)}: ${runs.length}, named in the data`
      : `${runs.length === 1 ? 'Run' : 'Runs'} ${joinWords(runs.map(({ record }) => record.id))} of ${joinWords(days)}`;
  return `Versions: ${versions.join('; ')}. ${ids}.${notes.map((note) => ` Note: ${withStop(note)}`).join('')}`;
}

/** Maximum number of run ids that a caption names; more runs are counted. */
export const maxRunIds = 4;

/** Returns those of the given runs in which at least one of the series was measured, in the order of `runs`. */
export const runsOf = (series: readonly Series[], runs: readonly ReportRun[]): ReportRun[] =>
  runs.filter(({ record }) => series.some(({ run }) => run.id === record.id));

/**
 * Returns the rank counts of the runs, and on how many hosts they ran: "2, 3 or 4 ranks on 1 node". Different numbers of hosts are
 * joined by "or".
 */
export const placeText = (runs: readonly ReportRun[]): string =>
  ranksPhrases(
    runs.map(({ record }) => record.plan),
    ({ hosts }) => ` on ${plural(hosts.length, 'node')}`,
  );
