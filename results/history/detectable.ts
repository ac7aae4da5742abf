import { minimumDetectableEffect } from '../judge/detectable.ts';
import { varianceOf } from '../judge/difference.ts';
import { changeRules, minHistoryPoints } from './changes.ts';
import { withoutModes } from './modes.ts';
import type { Trend } from './trend.ts';

/**
 * Returns the smallest relative change (0.05 = 5 %) that would be found with probability 0.8 if it had happened at the latest night
 * that can be judged. The variance comes from the nights since the last change. Null with fewer than `minHistoryPoints` of these.
 */
export function smallestStep({
  nights,
  segments,
  kind,
  modes,
}: Pick<Trend, 'nights' | 'segments' | 'kind' | 'modes'>): number | null {
  const last = segments.at(-1);
  if (last === undefined) return null;
  const points = last.to - last.from;
  if (points < minHistoryPoints) return null;
  const { scan, fast, left, smallest } = changeRules;
  const { right, p: alpha } = points >= left + scan.right ? scan : fast;
  const measured = nights.slice(last.from, last.to).map((night) => night[kind]?.log ?? 0);
  const logs = withoutModes(measured, modes, last.from);
  return minimumDetectableEffect({
    ...{ variance: varianceOf(logs), degrees: points - 2, alpha, floor: smallest[kind] },
    launches: [points - right, right],
  });
}
