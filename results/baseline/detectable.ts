import { usualOptions } from '../compare/options.ts';
import { minimumDetectableEffect } from '../judge/detectable.ts';
import { nightScatter, withNights } from '../judge/nights.ts';
import { type BaselineGroup, partsOfKey } from '../schema/index.ts';

/**
 * Returns the smallest relative change (0.05 = 5 %) of a size range that is detected with 80 % probability if both sides have the
 * learned number of launches. `anchor`: compared with the reference build in the same night; `night`: compared with another night.
 * @param groups number of size ranges that are tested together
 */
export function detectableOf(learned: BaselineGroup, groups: number): { anchor: number; night: number } {
  const { group, launches } = learned;
  const night = nightScatter(learned.night, partsOfKey(learned.key).get('transport') ?? null);
  const alpha = usualOptions.falseDiscovery / Math.max(1, groups);
  // The launches of both sides add degrees of freedom to the learned variance.
  const degrees = group.degrees + 2 * launches - 2;
  const shared = {
    launches: [launches, launches] as const,
    alpha,
    floor: Math.log1p(usualOptions.groupThreshold),
  };
  const total = withNights({ variance: (group.variance * 2) / launches, degrees }, night);
  return {
    anchor: minimumDetectableEffect({ ...shared, variance: group.variance, degrees }),
    night: minimumDetectableEffect({
      ...shared,
      variance: (total.variance * launches) / 2,
      degrees: total.degrees,
    }),
  };
}
