// Texts of a site about the history; its pages, its feeds and the comment share them with `collbench history`.
import { regimeName } from '../../results/history/series-name.ts';
import { type SeriesVerdict, verdictOrder } from '../../results/history/state.ts';
import { effectText } from '../../results/judge/verdict-text.ts';
import { levelOf, levelText, modesSentence, nounOf, quietText, trialText } from '../history/texts.ts';
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

/** Signs for verdicts, shown in addition to colours for readers who cannot distinguish colours. */
export const verdictMarks: Record<SeriesVerdict, string> = {
  slower: '▲',
  faster: '▼',
  unconfirmed: '‼',
  same: '·',
  'no-verdict': '?',
};

/** Sign and words for a night whose time is in the slower one of the two modes between which its series alternates. */
export const [slowModeMark, slowModeText] = ['◦', 'in the slower of two modes'];

/**
 * Returns the title of a row of the site's grid, made of series, size range and way of timing: "allreduce float32 sum, cpu over
 * socket, 2 ranks; small messages, up to 32 KiB; isolated latency".
 */
export const rowTitle = ({ report: { trend } }: Pick<SiteIndexRow, 'report'>): string =>
  `${trend.title}; ${regimeName(trend.regime)}; ${trialText(trend)}`;

/**
 * Returns the sentence about a series and size range without a confirmed change of time. It names single sizes that look changed,
 * or an unconfirmed change of the newest nights. If there is neither, it says why there is no verdict, or how large a change would
 * have been detected. If the newest nights alternate between two times, it adds these.
 */
export function quietSentence({ report: { trend } }: SiteIndexRow): string {
  const modes = modesSentence(trend);
  return `${quietText(trend)}${modes === null ? '' : `; ${modes}`}`;
}

export const latestText = ({ report: { trend } }: SiteIndexRow): string => {
  const last = trend.nights.at(-1);
  return last === undefined ? '' : levelText(levelOf(last, trend).log, trend.kind);
};

/** Returns the smallest change of time that would be detected in a series: "2.1 %"; "too few" if the series has too few nights. */
export const stepText = ({ state: { step } }: SiteIndexRow): string =>
  step === null ? 'too few' : effectText(step);

/** Returns how many size ranges of the site's series have each verdict, worst first: "1 slower, 22 same, 1 no verdict". */
function countsText({ rows }: SiteIndex): string {
  const counts = verdictOrder.flatMap((verdict) => {
    const n = rows.filter(({ state }) => state.verdict === verdict).length;
    return n === 0 ? [] : [`${n} ${seriesVerdictTexts[verdict]}`];
  });
  return counts.join(', ');
}

export const newestText = ({ newest }: SiteIndex): string => newest.slice(0, 16).replace('T', ' ');

/** Returns the one-line summary of a site about the run history: "26 size ranges in the last 30 nights: 1 slower, 25 same". */
export const boardTitle = (board: SiteIndex): string => {
  const { rows, nights } = board;
  const points = plural(nights.length, nounOf(board));
  return `${plural(rows.length, 'size range')} in the last ${points}: ${countsText(board)}`;
};

/**
 * Returns the problems of a night's runs: wrong data, another transport than requested, runs that failed, were interrupted, lack
 * configurations or have no recorded end. "" if there are none.
 */
export function troubleText({ wrong, contradicted, ended }: NightRuns): string {
  return [
    ...(wrong > 0 ? [`${plural(wrong, 'configuration')} with wrong data`] : []),
    ...(contradicted > 0 ? [`${plural(contradicted, 'configuration')} over another transport`] : []),
    ...(ended > 0 ? [`${plural(ended, 'run')} failed, interrupted, incomplete or without an end`] : []),
  ].join(', ');
}

/**
 * Returns the sentence for a site that has no change to show, confirmed or not. It is "Nothing changed." only if every size range
 * has a verdict. Otherwise it counts the ranges without one. If nothing was measured, it says that.
 */
export function noChangeText(board: SiteIndex): string {
  const { rows } = board;
  const open = rows.filter(({ state }) => state.verdict === 'no-verdict').length;
  if (open === 0) return rows.length === 0 ? 'Unknown: nothing was measured.' : 'Nothing changed.';
  const unknown = `${open} of ${plural(rows.length, 'size range')} without a verdict`;
  return open === rows.length ? `Unknown: ${unknown}.` : `No change found; unknown: ${unknown}.`;
}
