import { minimumDetectableEffect, varianceOf } from '../judge/index.ts';
import { changeRules } from './changes.ts';
import type { Trend } from './trend.ts';

/** Points that a series needs before a change can be found in it. */
export const minHistoryPoints = changeRules.left + changeRules.scan.right;

/**
 * Smallest step that would have been found by now with probability 0.8, had it come with the last points that the rule
 * needs, as the points since the last change scatter.
 * @returns relative: 0.05 is 5 %; null where there are too few points for any
 */
export function smallestStep({
  nights,
  segments,
  kind,
}: Pick<Trend, 'nights' | 'segments' | 'kind'>): number | null {
  const last = segments.at(-1);
  if (last === undefined) return null;
  const points = last.to - last.from;
  if (points < minHistoryPoints) return null;
  const { scan, fast, left, smallest } = changeRules;
  const { right, p: alpha } = points >= left + scan.right ? scan : fast;
  const logs = nights.slice(last.from, last.to).flatMap((night) => night[kind]?.log ?? []);
  return minimumDetectableEffect({
    ...{ variance: varianceOf(logs), degrees: points - 2, alpha, floor: smallest[kind] },
    launches: [points - right, right],
  });
}
