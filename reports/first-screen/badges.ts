// Badges (short labels below the title of a report) that show whether the results can be trusted.
import { widthsOf } from '../../results/derive/launches/outlook.ts';
import { isDisturbed, type OkCell, parseSeriesName } from '../../results/schema/index.ts';
import { transportsByVerdict } from '../evidence.ts';
import { isFake } from '../html/device.ts';
import { isOk, type ReportRun } from '../series.ts';
import { flagCounts, shareText, verifiedShareOf } from '../summary.ts';
import { formatCount, joinWords, plural, plusMinusHalf, shortTransport } from '../wording.ts';

export interface Badge {
  kind: 'good' | 'note' | 'warn' | 'bad';
  text: string;
  /** Id of the report's chapter with details, to which the badge is linked. */
  to: string;
}

export function badgesOf(runs: readonly ReportRun[]): Badge[] {
  const ok = runs.flatMap(({ cells }) => cells.filter(isOk));
  const badges = [incomplete(runs, ok.length)];
  if (ok.length > 0)
    badges.push(verified(ok), ...transports(ok), emulated(runs), fake(runs), flagged(ok), typical(ok));
  return badges.filter((badge) => badge !== null);
}

function incomplete(runs: readonly ReportRun[], measured: number): Badge | null {
  const due = runs.reduce((sum, { record }) => sum + record.plan.expected.cells, 0);
  const state = runs.find(({ record }) => record.state !== 'complete')?.record.state;
  if (measured === due && state === undefined) return null;
  const text = `${state === undefined ? '' : `${state}: `}${formatCount(measured)} of ${formatCount(due)} measured`;
  return { kind: 'bad', text, to: 'findings' };
}

function verified(cells: readonly OkCell[]): Badge {
  const checked = cells.filter(({ verification: { enabled, checks } }) => enabled && checks > 0);
  const wrong = checked.filter(({ verification }) => verification.wrongElements > 0).length;
  const of = `${formatCount(cells.length)}`;
  if (wrong > 0) return { kind: 'bad', text: `WRONG DATA in ${wrong} of ${of}`, to: 'findings' };
  if (checked.length === 0) return { kind: 'warn', text: 'not verified', to: 'evidence' };
  const share = verifiedShareOf(cells);
  const checks = checked.reduce((sum, { verification }) => sum + verification.checks, 0);
  const how = share === null ? plural(checks, 'check') : `${shareText(share.operations)} of operations`;
  const rest = cells.length - checked.length;
  const partly = rest === 0 ? '' : `, ${formatCount(rest)} of ${of} not checked`;
  return { kind: rest === 0 ? 'good' : 'warn', text: `verified ${how}, 0 wrong${partly}`, to: 'evidence' };
}

const kinds = { contradicted: 'bad', unproven: 'warn', confirmed: 'good' } as const;
const marks = { contradicted: '✗', unproven: '?', confirmed: '✓' } as const;

/**
 * Returns badges about transports: "confirmed", "unproven" or "contradicted" by byte counters, the worst first. Each badge names
 * the transports for which this is the worst verdict.
 */
const transports = (cells: readonly OkCell[]): Badge[] =>
  transportsByVerdict(cells).map(({ verdict, names }) => ({
    kind: kinds[verdict],
    text: `${verdict} ${marks[verdict]} ${joinWords(names)}`,
    to: 'evidence',
  }));

function emulated(runs: readonly ReportRun[]): Badge | null {
  const all = runs.flatMap(({ record }) => record.plan.transports);
  const names = all
    .filter(({ medium }) => medium === 'emulated')
    .map(({ name }) => parseSeriesName(name).transport);
  if (names.length === 0) return null;
  return {
    kind: 'warn',
    text: `EMULATED ${joinWords([...new Set(names.map(shortTransport))])}`,
    to: 'method',
  };
}

const fake = (runs: readonly ReportRun[]): Badge | null =>
  runs.some(isFake) ? { kind: 'bad', text: 'FAKE GPUs', to: 'library' } : null;

function flagged(cells: readonly OkCell[]): Badge {
  const count = cells.filter(isDisturbed).length;
  const [most] = flagCounts(cells, 'disturbs');
  const why = most === undefined ? '' : `, ${most}`;
  const text = `flagged ${formatCount(count)} of ${formatCount(cells.length)}${why}`;
  return { kind: count === 0 ? 'good' : 'warn', text, to: 'findings' };
}

function typical(cells: readonly OkCell[]): Badge {
  const widths = widthsOf(cells);
  return widths === null
    ? { kind: 'warn', text: 'no intervals', to: 'distribution' }
    : { kind: 'note', text: `typical interval ${plusMinusHalf(widths.typical)}`, to: 'distribution' };
}
