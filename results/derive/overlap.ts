import { median } from 'simple-statistics';
import { measuredOf, measuredRows, type OkCell, workloadOf } from '../schema/index.ts';
import { launchInterval } from './statistics/launch-interval.ts';

/** A value with its 95 % interval; null: one of the figures behind it has none. */
export interface WithInterval {
  value: number;
  low: number | null;
  high: number | null;
}

/** What a load cost the operation, the operation the load, and what was saved by doing both at the same time. */
export interface Overlap {
  /** Speed of the operation beside the load, as a share of its speed in quiet. */
  operation: WithInterval;
  /** Speed of the load beside the operation, as a share of its speed alone. */
  load: WithInterval;
  /** 1: the shorter of the two cost no time. 0: as if one had followed the other. Below 0: worse than that. */
  overlap: WithInterval;
}

/**
 * Time saved as a share of the shorter of both times alone (the overlap of the Intel MPI Benchmarks' IMB-NBC). In the time t
 * of an operation beside the load, the operation alone takes x t and what the load did in it takes y t alone, so together
 * they save x + y - 1 of min(x, y).
 */
const overlapped = (x: number, y: number): number => (x + y - 1) / Math.min(x, y);

/** @param figure one that is measured in both cells; null where it, or a rate of the load, is missing */
export function loadOverlap(quiet: OkCell, loaded: OkCell, figure: string): Overlap | null {
  const [before, beside] = [measuredOf(quiet, figure), measuredOf(loaded, figure)];
  const row = measuredRows(workloadOf(loaded.workload)).find(({ name }) => name === figure);
  const rates = loaded.beside?.trials.find(({ trial }) => trial === row?.trial);
  if (before === null || beside === null || rates === undefined) return null;
  const operation = ratio(before, beside);
  const load = shareOf(rates.keptShares);
  if (load === null || !(load.value > 0)) return null;
  return { operation, load, overlap: combined(overlapped, operation, load) };
}

interface Told {
  value: number;
  interval: { low: number; high: number } | null;
}

function ratio(before: Told, beside: Told): WithInterval {
  const told = ({ value, interval }: Told): WithInterval => ({
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  });
  const [a, b] = [told(before), told(beside)];
  return combined((x, y) => x / y, a, { ...b, low: b.high, high: b.low });
}

/** Over launches; of one there is no interval. */
function shareOf(shares: readonly number[]): WithInterval | null {
  if (shares.length === 0) return null;
  if (shares.length < 2 || shares.some((share) => !(share > 0)))
    return { value: median([...shares]), low: null, high: null };
  const { centreNs, lowNs, highNs } = launchInterval(shares);
  return { value: centreNs, low: lowNs, high: highNs };
}

/**
 * A function that grows from `low` to `high` of both: how far either end moves it, as the root of the sum of squares (MOVER;
 * Zou & Donner 2008).
 */
function combined(f: (x: number, y: number) => number, a: WithInterval, b: WithInterval): WithInterval {
  const value = f(a.value, b.value);
  const reach = (x: number | null, y: number | null): number | null =>
    x === null || y === null ? null : Math.hypot(f(x, b.value) - value, f(a.value, y) - value);
  const [below, above] = [reach(a.low, b.low), reach(a.high, b.high)];
  return {
    value,
    low: below === null ? null : value - below,
    high: above === null ? null : value + above,
  };
}
