// Additions to captions of charts: where the algorithm or protocol changes, and whether GPU caches held the buffers.
import type { ChartFigure, GroupChart } from './charts/index.ts';
import { namedRanges } from './choice-ranges.ts';
import { timesOnDevice } from './rows.ts';
import type { Series, SeriesGroup } from './series.ts';
import { joinWords, sentencesIn } from './wording.ts';

/**
 * Returns the x at which a series changes its algorithm or protocol: "LL → LL128 at 64 KiB → Simple at 1 MiB". The algorithm is
 * left out if only the protocol changes. Empty if neither changes or both are unknown.
 */
export function breaksText(group: SeriesGroup, series: Series): string {
  const found = namedRanges(series);
  if (found.length < 2) return '';
  return found
    .map(({ name, first }, i) => (i === 0 ? name : `${name} at ${group.x.text(first)}`))
    .join(' → ');
}

/**
 * Returns "hot" if all operations used the same buffers, so that the GPUs' caches may hold them, else "cold" (the default:
 * operations rotate through more memory than caches hold). "cold or hot" if runs differ; null if no run timed operations on GPUs.
 */
function cacheOf(group: SeriesGroup): string | null {
  const plans = group.series.map(({ run }) => run.plan).filter(timesOnDevice);
  if (plans.length === 0) return null;
  return joinWords(
    [...new Set(plans.map(({ settings }) => (settings.cache === 'hot' ? 'hot' : 'cold')))],
    'or',
  );
}

export const cacheSentence = (group: SeriesGroup): string => {
  const cache = cacheOf(group);
  return cache === null ? '' : ` GPU caches: ${cache}.`;
};

/**
 * Maximum number of series whose changes of algorithm are added to a caption. Those of further series are left out, because the
 * addition would be longer than the caption.
 */
const maxCaptionBreaks = 4;

export function addCaptionNotes(
  figure: ChartFigure,
  group: SeriesGroup,
  { hasBreaks }: GroupChart,
): ChartFigure {
  const breaks = hasBreaks
    ? group.series
        .map((series) => ({ series, text: breaksText(group, series) }))
        .filter(({ text }) => text !== '')
        .slice(0, maxCaptionBreaks)
        .map(({ series, text }) => ` ${series.name}: ${text}.`)
    : [];
  const more = `${breaks.join('')}${cacheSentence(group)}`;
  return more === '' ? figure : { ...figure, caption: `${figure.caption}${more}` };
}

/**
 * Returns the chart with only the first sentence of its caption, for the first screen of a report. The other sentences are in the
 * chart's chapter.
 */
export function shortenCaption(figure: ChartFigure): ChartFigure {
  const [first = ''] = sentencesIn(figure.caption);
  return { ...figure, caption: first };
}

/**
 * Returns the part of the caption that `shortenCaption` removes, without spaces at its ends; "" if the caption is a single
 * sentence.
 */
export const restOfCaption = (figure: ChartFigure): string =>
  figure.caption.slice(shortenCaption(figure).caption.length).trim();
