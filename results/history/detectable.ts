import { minimumDetectableEffect, varianceOf } from '../judge/index.ts';
import { changeRules } from './changes.ts';
import type { Trend } from './trend.ts';

/** Lowest number of points with which a series can show a change. */
export const minHistoryPoints = changeRules.left + changeRules.scan.right;

/**
 * Returns the smallest change that would have been found with probability 0.8, if it had happened at the latest possible point.
 * The scatter is that of the points since the last change.
 * @returns relative: 0.05 is 5 %; null with too few points
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
