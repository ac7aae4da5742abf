// Decides before any measurement if a gate can come to a verdict: with few launches only very large changes can be detected.
import { sum } from 'simple-statistics';
import { usualOptions } from '../compare/options.ts';
import { maxLaunches, minimumDetectableEffect, minLaunchesFor } from '../judge/detectable.ts';
import { nightScatter, withNights } from '../judge/nights.ts';
import { allMeasuredFigures, type Baseline } from '../schema/index.ts';

/** A suite entry before it is measured, to predict whether its planned launches are enough for a verdict. */
export interface EntryForecast {
  entry: string;
  /** Number of launches planned for each series; with adaptive sampling, the highest number. */
  launches: number;
  /**
   * Number of size ranges that will be judged, over all series of the entry. The more are judged, the more certain each change must
   * be.
   */
  groups: number;
}

/** Lowest standard deviation of log time between launches on an idle machine (0.015 is 1.5 %); `quietScatter` is a usual one. */
const minScatter = 0.015;
const quietScatter = 0.02;

export interface TooFewLaunches {
  entry: string;
  /** The side that has too few launches: the suite as planned, or the stored baseline. */
  of: 'suite' | 'baseline';
  /** Lower one of the two sides' numbers of launches: baseline (or reference build) and suite as planned. */
  launches: number;
  /**
   * Smallest relative change (0.1 = 10 %) that the launches of both sides (the baseline's, and those planned) would detect if their
   * log times have the standard deviation `scatter`; Infinity if a side has one launch.
   */
  sees: number;
  scatter: number;
  /**
   * Number of launches per side that would detect the required change if their log times have the standard deviation
   * `wantedScatter`; null if more than 100.
   */
  wanted: number | null;
  wantedScatter: number;
}

/**
 * Returns the entry whose planned launches are furthest from being enough for a verdict; null if all entries have enough. Entries
 * for which the baseline has a learned scatter are not checked, because with it few launches may be enough.
 * @param baseline null if there is none
 * @param mustDetect smallest relative change that the gate must detect: 0.1 = 10 %
 */
export function tooFewLaunches(
  entries: readonly EntryForecast[],
  baseline: Baseline | null,
  mustDetect: number,
): TooFewLaunches | null {
  const alpha = usualOptions.falseDiscovery / Math.max(1, sum(entries.map(({ groups }) => groups)));
  const sees = (a: number, b: number, scatter = minScatter): number => seesWith([a, b], scatter, alpha);
  const found = entries.flatMap(({ entry, launches }): TooFewLaunches[] => {
    if (hasLearned(baseline, entry)) return [];
    const before = launchesOf(baseline, entry);
    const reference = before ?? launches;
    const smallest = sees(reference, launches);
    if (smallest <= mustDetect) return [];
    const wanted = minLaunchesFor((r) => sees(r, r, quietScatter) <= mustDetect);
    return [
      {
        entry,
        // If the change could not be detected with any number of launches tonight, the baseline's launches are too few.
        of: before !== null && sees(before, wanted ?? maxLaunches) > mustDetect ? 'baseline' : 'suite',
        launches: Math.min(reference, launches),
        sees: smallest,
        scatter: minScatter,
        wanted,
        wantedScatter: quietScatter,
      },
    ];
  });
  return found.sort((a, b) => b.sees - a.sees)[0] ?? null;
}

/**
 * Returns the smallest relative change that these numbers of launches (reference, tonight) detect; Infinity if a side has only one
 * launch.
 * @param scatter standard deviation of log time between launches
 * @param alpha significance level of one test
 */
function seesWith(launches: readonly [number, number], scatter: number, alpha: number): number {
  const [a, b] = launches;
  if (Math.min(a, b) < 2) return Number.POSITIVE_INFINITY;
  const share = 1 / a + 1 / b;
  // Degrees of freedom by Welch, with equal scatter of both sides.
  const degrees = share ** 2 / (1 / (a ** 2 * (a - 1)) + 1 / (b ** 2 * (b - 1)));
  const own = { variance: scatter ** 2 * share, degrees };
  // The baseline was measured in another night, so the variance between nights is added.
  const total = withNights(own, nightScatter(null, null));
  return minimumDetectableEffect({
    variance: total.variance / share,
    degrees: total.degrees,
    ...{ launches, alpha, floor: Math.log1p(usualOptions.groupThreshold) },
  });
}

const hasLearned = (baseline: Baseline | null, entry: string): boolean =>
  baseline?.learned?.groups.some((group) => group.entry === entry) === true;

/**
 * Returns the highest number of launches of any measured time of a baseline entry; null if the baseline lacks the entry or the
 * entry has no times.
 * @param name name of the suite entry
 */
function launchesOf(baseline: Baseline | null, name: string): number | null {
  const cells = baseline?.entries.find(({ entry }) => entry === name)?.cells ?? [];
  const counts = cells.flatMap(allMeasuredFigures).map(({ launches }) => launches);
  return counts.length === 0 ? null : Math.max(...counts);
}
