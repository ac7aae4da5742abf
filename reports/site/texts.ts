// Texts of a site; page, feeds and comment use the sentences of `collbench history`.
import {
  isNotable,
  regimeName,
  type SeriesVerdict,
  type TrendExplanation,
  type UnconfirmedStep,
  verdictOrder,
} from '../../results/history/index.ts';
import { effectText, largestChange } from '../../results/judge/verdict-text.ts';
import {
  levelOf,
  levelText,
  nounOf,
  pastStepText,
  quietText,
  sizesText,
  trialText,
  unconfirmedStepText,
} from '../history/texts.ts';
import { plural } from '../wording.ts';
import type { NightRuns } from './night-runs.ts';
import type { SiteIndex, SiteIndexRow } from './site-index.ts';

export const seriesVerdictTexts: Record<SeriesVerdict, string> = {
  slower: 'slower',
  faster: 'faster',
  unconfirmed: 'not confirmed',
  same: 'same',
  'no-verdict': 'no verdict',
};

/** Signs for verdicts. They are shown in addition to colours, for readers who do not see the colours. */
export const verdictMarks: Record<SeriesVerdict, string> = {
  slower: '▲',
  faster: '▼',
  unconfirmed: '‼',
  same: '·',
  'no-verdict': '?',
};

/**
 * Returns the title of a row of the site's grid, made of series, size range and way of timing: "allreduce float32 sum, cpu over
 * socket, 2 ranks; small messages, up to 32 KiB; isolated latency".
 */
export const rowTitle = ({ told: { trend } }: Pick<SiteIndexRow, 'told'>): string =>
  `${trend.title}; ${regimeName(trend.regime)}; ${trialText(trend)}`;

/**
 * Returns the sentence about a series and size range without a confirmed change of time. It names an unconfirmed change if there
 * is one, else the smallest change that would have been detected, else why there is no verdict.
 */
export const quietSentence = ({ told: { trend } }: SiteIndexRow): string => quietText(trend);

export const latestText = ({ told: { trend } }: SiteIndexRow): string => {
  const last = trend.nights.at(-1);
  return last === undefined ? '' : levelText(levelOf(last, trend).log, trend.kind);
};

/** Returns the smallest change of time that would be detected in a series: "2.1 %"; "too few" if it has too few nights. */
export const stepText = ({ state: { step } }: SiteIndexRow): string =>
  step === null ? 'too few' : effectText(step);

/** Returns how many size ranges of the site's series have each verdict, worst first: "1 slower, 22 same, 1 no verdict". */
export function countsText({ rows }: SiteIndex): string {
  const counts = verdictOrder.flatMap((verdict) => {
    const n = rows.filter(({ state }) => state.verdict === verdict).length;
    return n === 0 ? [] : [`${n} ${seriesVerdictTexts[verdict]}`];
  });
  return counts.join(', ');
}

export const newestText = ({ newest }: SiteIndex): string => newest.slice(0, 16).replace('T', ' ');

/** Returns the one-line summary of a site about the run history: "26 size ranges in the last 30 nights: 1 slower, 25 same". */
export const boardTitle = (board: SiteIndex): string => {
  const { rows, nights, by } = board;
  const points = plural(nights.length, by === 'day' ? 'night' : by);
  return `${plural(rows.length, 'size range')} in the last ${points}: ${countsText(board)}`;
};

/** Returns the problems of a night's runs: wrong data, other transport than requested, failed runs. "" if all runs ended well. */
export function troubleText({ wrong, contradicted, ended }: NightRuns): string {
  return [
    ...(wrong > 0 ? [`${plural(wrong, 'configuration')} with wrong data`] : []),
    ...(contradicted > 0 ? [`${plural(contradicted, 'configuration')} over another transport`] : []),
    ...(ended > 0 ? [`${plural(ended, 'run')} failed, interrupted or without an end`] : []),
  ].join(', ');
}

export const pointNoun = ({ by }: Pick<SiteIndex, 'by'>): string => nounOf({ by });

/** Returns the confirmed changes of time in the shown nights, newest first, each with the row (series) that it belongs to. */
export function changesOf({ rows, nights }: SiteIndex): { row: SiteIndexRow; explained: TrendExplanation }[] {
  const since = nights[0] ?? '';
  return rows
    .flatMap((row) => row.told.explained.map((explained) => ({ row, explained })))
    .filter(({ explained: { change } }) => change.night >= since)
    .sort((a, b) => (a.explained.change.night < b.explained.change.night ? 1 : -1));
}

/** A change of time that the statistics over the nights do not prove, with the row (series and size range) of the site's grid. */
export interface SuspectChange {
  row: SiteIndexRow;
  step: UnconfirmedStep;
  /** `slower` or `faster` if the gate's second measurement showed the change too; decides colour and sign on the page. */
  verdict: 'slower' | 'faster' | 'unconfirmed';
  /** Sentence without full stop: "20x slower since 2026-11-21, not confirmed: ..." */
  text: string;
}

/**
 * Returns changes of time that the statistics over the nights do not prove: those of the newest nights, then those of single
 * message sizes, then those that are over. Each of the three parts is sorted by amount, the largest first.
 */
export function suspectChanges({ rows }: SiteIndex): SuspectChange[] {
  const bySize = (a: SuspectChange, b: SuspectChange): number =>
    Math.abs(Math.log(b.step.ratio)) - Math.abs(Math.log(a.step.ratio));
  const of = (row: SiteIndexRow, step: UnconfirmedStep, text: string): SuspectChange => ({
    ...{ row, step, text },
    verdict: step.isSeenAgain ? (step.ratio > 1 ? 'slower' : 'faster') : 'unconfirmed',
  });
  const newest = rows.flatMap((row) => {
    const { unconfirmed: step } = row.state;
    return step === null || !isNotable(step)
      ? []
      : [of(row, step, unconfirmedStepText(row.told.trend, step))];
  });
  const sizes = rows.flatMap((row) => {
    const { trend } = row.told;
    if (row.state.sizes.length === 0) return [];
    const at = trend.nights.length - 1;
    const { ratio } = largestChange(row.state.sizes);
    const step = { at, night: trend.nights[at]?.night ?? '', ratio, isSeenAgain: false };
    return [of(row, step, sizesText(trend, row.state.sizes))];
  });
  const past = rows.flatMap((row) =>
    row.state.past.map((step) => of(row, step, pastStepText(row.told.trend, step))),
  );
  return [...newest.sort(bySize), ...sizes.sort(bySize), ...past.sort(bySize)];
}

/**
 * Returns the sentence for a site without confirmed changes. It is "Nothing changed." only if every size range has a verdict.
 * Otherwise it counts the ranges without one.
 */
export function noChangeText(board: SiteIndex): string {
  const { rows } = board;
  const open = rows.filter(({ state }) => state.verdict === 'no-verdict').length;
  if (open === 0) return rows.length === 0 ? 'Unknown: nothing was measured.' : 'Nothing changed.';
  const unknown = `${open} of ${plural(rows.length, 'size range')} without a verdict`;
  return open === rows.length ? `Unknown: ${unknown}.` : `No change found; unknown: ${unknown}.`;
}
