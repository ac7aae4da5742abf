// What captions of a group say beyond the chart itself: where the protocol changes, and whether caches were cold.
import type { ChartFigure } from './charts/index.ts';
import { namedRanges } from './choice-ranges.ts';
import { timesOnDevice } from './rows.ts';
import type { Series, SeriesGroup } from './series.ts';
import { joinWords } from './wording.ts';

/** "LL → LL128 at 64 KiB → Simple at 1 MiB", without what is the same in all; empty where it never changes. */
export function breaksText(group: SeriesGroup, series: Series): string {
  const found = namedRanges(series);
  if (found.length < 2) return '';
  return found
    .map(({ name, first }, i) => (i === 0 ? name : `${name} at ${group.x.text(first)}`))
    .join(' → ');
}

/** "cold" or "hot": what the GPUs' caches held of the buffers; null where no GPU measured. */
export function cacheOf(group: SeriesGroup): string | null {
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

/** More would be longer than the caption. */
const mostBreaks = 4;

/** Charts over x, whose lines break. */
const broken = (id: string): boolean => id === 'time' || id === 'busbw';

export function addCaptionNotes(figure: ChartFigure, group: SeriesGroup, id: string): ChartFigure {
  const breaks = broken(id)
    ? group.series
        .map((series) => ({ series, text: breaksText(group, series) }))
        .filter(({ text }) => text !== '')
        .slice(0, mostBreaks)
        .map(({ series, text }) => ` ${series.name}: ${text}.`)
    : [];
  const more = `${breaks.join('')}${cacheSentence(group)}`;
  return more === '' ? figure : { ...figure, caption: `${figure.caption}${more}` };
}

/** For the first screen: what the figure shows. How to read it is said in its chapter. */
export function shortenCaption(figure: ChartFigure): ChartFigure {
  const [first = ''] = figure.caption.split(/(?<=\.) (?=[A-Z])/);
  return { ...figure, caption: first };
}

/** What `shortened` left out. */
export const restOfCaption = (figure: ChartFigure): string =>
  figure.caption.slice(shortenCaption(figure).caption.length).trim();
