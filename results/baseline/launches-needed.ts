// Whether a gate can come to a verdict, known before anything is measured: few launches see no change worth seeing.
import { sum } from 'simple-statistics';
import { usualOptions } from '../compare/options.ts';
import { minimumDetectableEffect, nightScatter, withNights } from '../judge/index.ts';
import type { Baseline } from '../schema/index.ts';
import type { GateSource } from './reference.ts';

/** An entry of the suite as planned. */
export interface EntryForecast {
  entry: string;
  /** At most, of either side that is measured. */
  launches: number;
  /** Groups of sizes that will be judged (results/derive/cell-group.ts). */
  groups: number;
}

/** Standard deviation of log time between launches: what a quiet machine shows at best, and what it mostly shows. */
const leastScatter = 0.015;
const quietScatter = 0.02;
const mostLaunches = 100;

export interface TooFewLaunches {
  entry: string;
  /** The baseline's, where it is what is too few; else those of the suite. */
  of: 'suite' | 'baseline';
  launches: number;
  /** Smallest change that so many would show where they scatter by `scatter`; Infinity where one shows nothing. */
  sees: number;
  scatter: number;
  /** Launches of both sides that show what must be seen up to `wantedScatter`; null = no number up to 100. */
  wanted: number | null;
  wantedScatter: number;
}

/**
 * The entry that is furthest from a verdict, if there is one that cannot have any. What a baseline has learned of the
 * scatter may help few launches: such entries are left to the gate.
 * @param mustDetect smallest relative change that must not stay unseen
 */
export function tooFewLaunches(
  entries: readonly EntryForecast[],
  source: GateSource,
  mustDetect: number,
): TooFewLaunches | null {
  const alpha = usualOptions.falseDiscovery / Math.max(1, sum(entries.map(({ groups }) => groups)));
  // Without a reference yet it will be a baseline, which is of another night.
  const sees = (a: number, b: number, scatter = leastScatter): number =>
    seesWith([a, b], scatter, { alpha, isOtherNight: !source.hasAnchor });
  const found = entries.flatMap(({ entry, launches }): TooFewLaunches[] => {
    if (hasLearned(source.baseline, entry)) return [];
    const before = source.hasAnchor ? null : launchesOf(source.baseline, entry);
    const reference = before ?? launches;
    const smallest = sees(reference, launches);
    if (smallest <= mustDetect) return [];
    const wanted = fewest((r) => sees(r, r, quietScatter) <= mustDetect);
    return [
      {
        entry,
        // Where as many of tonight as are wanted would not help, the reference is what is lacking.
        of: before !== null && sees(before, wanted ?? mostLaunches) > mustDetect ? 'baseline' : 'suite',
        launches: Math.min(reference, launches),
        sees: smallest,
        scatter: leastScatter,
        wanted,
        wantedScatter: quietScatter,
      },
    ];
  });
  return found.sort((a, b) => b.sees - a.sees)[0] ?? null;
}

interface OtherNight {
  alpha: number;
  isOtherNight: boolean;
}

/** Infinity where a side has one launch. */
function seesWith(
  launches: readonly [number, number],
  scatter: number,
  { alpha, isOtherNight }: OtherNight,
): number {
  const [a, b] = launches;
  if (Math.min(a, b) < 2) return Number.POSITIVE_INFINITY;
  const share = 1 / a + 1 / b;
  // Welch's, of equal scatter.
  const degrees = share ** 2 / (1 / (a ** 2 * (a - 1)) + 1 / (b ** 2 * (b - 1)));
  const own = { variance: scatter ** 2 * share, degrees };
  const total = withNights(own, isOtherNight ? nightScatter(null, null) : null);
  return minimumDetectableEffect({
    variance: total.variance / share,
    degrees: total.degrees,
    ...{ launches, alpha, floor: Math.log1p(usualOptions.groupThreshold) },
  });
}

function fewest(isEnough: (launches: number) => boolean): number | null {
  for (let launches = 2; launches <= mostLaunches; launches += 1) if (isEnough(launches)) return launches;
  return null;
}

const hasLearned = (baseline: Baseline | null, entry: string): boolean =>
  baseline?.learned?.groups.some((group) => group.entry === entry) === true;

/** Of the cell that has most; null where the baseline does not have the entry. */
function launchesOf(baseline: Baseline | null, name: string): number | null {
  const cells = baseline?.entries.find(({ entry }) => entry === name)?.cells ?? [];
  const counts = cells.flatMap((cell) =>
    cell.status === 'ok'
      ? cell.figures.flatMap((figure) => (figure.kind === 'measured' ? [figure.launches] : []))
      : [],
  );
  return counts.length === 0 ? null : Math.max(...counts);
}
