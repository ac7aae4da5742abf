// Sentences under figures and tables: n, interval, medium, evidence, versions.
import { median } from 'simple-statistics';
import type { MeasuredFigure } from '../../results/schema/index.ts';
import { isOk, type ReportedRun, type Series } from '../series.ts';
import { formatCount, formatPercent, halfWidth, joinWords, plural } from '../wording.ts';
import { mediumWords } from './gather.ts';

/** "5", "60 to 1,200". */
export const range = (values: readonly number[]): string => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`;
};

/** "n = 5 launches, 60 to 1,200 samples per point." */
export function nSentence(figures: readonly MeasuredFigure[], each = 'point'): string {
  const known = figures.filter(({ samples }) => samples > 0);
  if (known.length === 0) return 'n is not stated by the program that measured.';
  const launches = known.map((one) => one.launches);
  const word = Math.max(...launches) === 1 ? 'launch' : 'launches';
  return `n = ${range(launches)} ${word}, ${range(known.map(({ samples }) => samples))} samples per ${each}.`;
}

/** @param marks "Bands", "Whiskers" */
export function intervalSentence(
  figures: readonly MeasuredFigure[],
  marks: string,
  what = 'the median',
): string {
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
  return `${marks}: 95 % intervals of ${what} ${scope}${widthText(has)}${without === 0 ? '' : `; ${without} of ${figures.length} have none`}.`;
}

/** Bands are often narrower than lines. */
function widthText(figures: readonly MeasuredFigure[]): string {
  const widths = figures
    .flatMap(({ value, interval }) => (interval === null ? [] : [halfWidth(value, interval)]))
    .sort((a, b) => a - b);
  return `, half width ${formatPercent(median(widths))} (median) to ${formatPercent(widths.at(-1) ?? 0)} (widest)`;
}

/** "Medium: socket hardware (TCP over lo); sisci emulated (...)." */
export function mediumSentence(series: readonly Series[], mark = 'dashed'): string {
  const texts = series.map(({ label, medium, detail }) => {
    const name = label.replace(/ \([^)]*\)/, '');
    return `${name} ${mediumWords[medium]} (${detail})`;
  });
  const emulated = series.some(({ medium }) => medium === 'emulated')
    ? ` Emulated series are ${mark}; they do not show the speed of a real adapter.`
    : '';
  return `Medium: ${[...new Set(texts)].join('; ')}.${emulated}`;
}

const verdicts = ['confirmed', 'unproven', 'contradicted'] as const;

/** How far transports and data were checked. */
export function trustSentence(series: readonly Series[]): string {
  const cells = series.flatMap(({ slots }) => slots.flatMap(({ cell }) => (isOk(cell) ? [cell] : [])));
  const seen = verdicts.flatMap((verdict) => {
    const count = cells.filter(({ evidence }) => evidence.verdict === verdict).length;
    return count === 0 ? [] : [`${verdict} in ${count} of ${plural(cells.length, 'configuration')}`];
  });
  const checks = cells.reduce((sum, { verification }) => sum + verification.checks, 0);
  const wrong = cells.reduce((sum, { verification }) => sum + verification.wrongElements, 0);
  return `Transport ${joinWords(seen)}. ${formatCount(checks)} results checked, ${formatCount(wrong)} wrong elements.`;
}

/** Of engine and driver; the others are in run.json. */
const versionNames: readonly (readonly [string, string])[] = [
  ['collbench', 'collbench'],
  ['nccl', 'NCCL'],
  ['nvshmem', 'NVSHMEM'],
  ['mpi', 'MPI'],
  ['torch', 'PyTorch'],
  ['tensorflow', 'TensorFlow'],
  ['driver', 'driver'],
];

export function versionsOf({ record }: ReportedRun): string[] {
  const named = versionNames.flatMap(([key, name]) => {
    const version = record.versions[key];
    return version === undefined ? [] : [`${name} ${version}`];
  });
  const kernels = [...new Set(Object.values(record.inventory).map(({ kernel }) => kernel))];
  return [...named, ...(kernels.length === 0 ? [] : [`Linux ${kernels.join(', ')}`])];
}

/** "Versions: collbench 0.1.0, NCCL 2.28.9. Run 26b6e5 of 2026-11-21." */
export function originSentence(runs: readonly ReportedRun[]): string {
  const versions = [...new Set(runs.map((run) => versionsOf(run).join(', ')))];
  const days = [...new Set(runs.map(({ record }) => record.startedAt.slice(0, 10)))];
  const ids = joinWords(runs.map(({ record }) => record.id));
  const notes = [...new Set(runs.flatMap(({ record }) => record.notes ?? []))];
  return `Versions: ${versions.join('; ')}. ${runs.length === 1 ? 'Run' : 'Runs'} ${ids} of ${joinWords(days)}.${notes.map((note) => ` Note: ${note.replace(/\.?$/, '.')}`).join('')}`;
}

/** Runs that these series are of. */
export const runsOf = (series: readonly Series[], runs: readonly ReportedRun[]): ReportedRun[] =>
  runs.filter(({ record }) => series.some(({ run }) => run.id === record.id));

export function placeText(runs: readonly ReportedRun[]): string {
  const places = runs.map(
    ({ record: { plan } }) => `${plural(plan.ranks, 'rank')} on ${plural(plan.hosts.length, 'node')}`,
  );
  return joinWords([...new Set(places)], 'or');
}
