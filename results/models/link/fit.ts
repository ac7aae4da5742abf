import { median } from 'simple-statistics';
import { studentQuantile } from '../../derive/statistics/student.ts';
import { huberCost, huberLimit } from '../line.ts';
import type { LinkCostName, LinkDevice } from './device.ts';
import { type Equation, type LinkSolution, solveNonNegative } from './solve.ts';
import type { LinkSteps } from './steps.ts';

/** One measured time to which the cost model of a link is fitted. */
export interface LinkPoint {
  /** Name of the series from which the time comes: "pingpong", "put window 64". */
  series: string;
  /** Payload in bytes of the message or of the collective; `timeNs` is the time of one operation. */
  bytes: number;
  timeNs: number;
  /** Half width of the time's 95 % interval, as a share of the time; 0 if not known. */
  half: number;
  /**
   * Time in ns that the software device itself takes without a link model; 0 if not known, or if it overlaps with the link's time.
   */
  ownNs: number;
  steps: LinkSteps;
}

export interface FittedCost {
  name: LinkCostName;
  /** Cost in ns (bandwidth: ns per byte), above 0. */
  ns: number;
  /**
   * 95 % interval of the cost, from `low` to `high`, in ns (bandwidth: ns per byte). It includes both deviations of the fit and
   * intervals of the measured times.
   */
  interval: { low: number; high: number };
}

export interface LinkFit {
  /**
   * Costs that the times determine, in the order of `LinkDevice.costs`. A cost that becomes 0 when these are fitted again without
   * the costs in `notEstimated` is in neither list.
   */
  costs: FittedCost[];
  /**
   * Costs that the times do not determine: their interval includes 0, or there are fewer than three sizes at which they make up at
   * least 5 % of the time.
   */
  notEstimated: LinkCostName[];
  /**
   * Each measured time with the time that the fitted model and `ownNs` give together (`modelNs`), and the model's relative
   * deviation from the measured time (`off`: 0.1 = 10 % too long). `medianOff` is the median deviation, without sign.
   */
  rows: { point: LinkPoint; modelNs: number; off: number }[];
  medianOff: number;
}

/** Lowest relative error of a measured time that the fit assumes: 0.3 %. */
const minSpread = 0.003;

/**
 * Returns the time that the link model predicts for one operation, ns: all fixed costs, plus for each write the longer of its
 * bandwidth time and its cost per message.
 * @param ns cost in ns by name; bandwidth (`byte`) in ns per byte; an absent cost is 0
 */
export function linkTimeNs(steps: LinkSteps, ns: Readonly<Partial<Record<LinkCostName, number>>>): number {
  const fixed = Object.entries(steps.times).reduce(
    (sum, [name, times]) => sum + times * (ns[name as LinkCostName] ?? 0),
    0,
  );
  return fixed + steps.writes * Math.max(steps.bytes * (ns.byte ?? 0), ns.message ?? 0);
}

/**
 * Fits the costs of a link to times of many sizes, by least squares of relative deviations, so that no size dominates. Outliers
 * count less (Huber). A write takes its bandwidth time or the message cost, whichever is longer; every size at which this may
 * change is tried. Costs that the times do not determine are set to 0, and the others fitted again.
 * @returns null if the equations have no solution; no rows and medianOff 1 if the times determine no cost
 */
export function fitLink(device: LinkDevice, points: readonly LinkPoint[]): LinkFit | null {
  const all = Object.keys(device.costs) as LinkCostName[];
  const first = bestOf(all, points);
  if (first === null) return null;
  const told = first.costs.filter((cost) => isTold(cost) && weighs(cost, points)).map(({ name }) => name);
  const notEstimated = all.filter((name) => !told.includes(name));
  if (told.length === 0) return { costs: [], notEstimated, rows: [], medianOff: 1 };
  const fit = notEstimated.length === 0 ? first : bestOf(told, points);
  if (fit === null) return null;
  const ns = Object.fromEntries(fit.costs.map(({ name, ns: cost }) => [name, cost]));
  const shifts = shiftsOf(told, points, fit.costs);
  const rows = points.map((point) => {
    const modelNs = point.ownNs + linkTimeNs(point.steps, ns);
    return { point, modelNs, off: modelNs / point.timeNs - 1 };
  });
  const costs = fit.costs.flatMap(({ name, ns: cost, half }, i) => {
    if (half === null) return [];
    const whole = Math.hypot(half, shifts[i] as number);
    return [{ name, ns: cost, interval: { low: Math.max(0, cost - whole), high: cost + whole } }];
  });
  return { costs, notEstimated, rows, medianOff: median(rows.map(({ off }) => Math.abs(off))) };
}

interface CostEstimate {
  name: LinkCostName;
  ns: number;
  /** Half width of the 95 % interval, ns; null if the cost is 0. */
  half: number | null;
}
const isTold = ({ ns, half }: CostEstimate): boolean => half !== null && half < ns;

/** A cost counts at a size only if it explains at least this share of the time; a smaller share may be an error of measurement. */
const minShare = 0.05;
export const minSizesShown = 3;

/** True if a cost explains at least 5 % of the time at three or more sizes, so that no single wrong time can be its only reason. */
function weighs({ name, ns }: CostEstimate, points: readonly LinkPoint[]): boolean {
  const sizes = points.filter(({ steps, timeNs }) => linkTimeNs(steps, { [name]: ns }) >= minShare * timeNs);
  return new Set(sizes.map(({ bytes }) => bytes)).size >= minSizesShown;
}

/**
 * Returns by how many ns, without sign, each cost changes if all times are at the upper ends of their intervals; in the order of
 * `names`. An error that all sizes of a launch share does not average out over sizes, so this change is part of the costs'
 * intervals.
 */
function shiftsOf(
  names: readonly LinkCostName[],
  points: readonly LinkPoint[],
  costs: readonly CostEstimate[],
): number[] {
  const late = points.map((point) => ({ ...point, timeNs: point.timeNs * (1 + point.half) }));
  const moved = bestOf(names, late);
  return costs.map(({ ns }, i) => Math.abs((moved?.costs[i]?.ns ?? ns) - ns));
}

function bestOf(names: readonly LinkCostName[], points: readonly LinkPoint[]) {
  // Largest size of a write, in bytes, whose time the message rate determines rather than bandwidth; each size is tried, -1 = none.
  const limits = names.includes('message') ? [-1, ...new Set(points.map(({ steps }) => steps.bytes))] : [-1];
  const tried = limits.flatMap((limit) => {
    const found = robust(names, points, limit);
    return found === null ? [] : [found];
  });
  return tried.length === 0 ? null : tried.reduce((best, one) => (one.cost < best.cost ? one : best));
}

function robust(names: readonly LinkCostName[], points: readonly LinkPoint[], limit: number) {
  const equations = points.map((point) => equationOf(names, point, limit));
  let weights = points.map(() => 1);
  let solution: LinkSolution | null = null;
  let spread = 1;
  for (let step = 0; step < 8; step += 1) {
    const weighted = equations.map((one, i) => ({ ...one, weight: weights[i] as number }));
    solution = solveNonNegative(weighted, names.length);
    if (solution === null) return null;
    const offs = offsOf(names, points, solution);
    spread = Math.max(minSpread, 1.4826 * median(offs));
    weights = offs.map((off) => Math.min(1, (huberLimit * spread) / Math.max(off, Number.MIN_VALUE)));
  }
  if (solution === null) return null;
  const offs = offsOf(names, points, solution);
  // These deviations are from the complete model (the longer of both times), so a wrong limit raises the cost.
  const cost = huberCost(offs.map((off) => off / minSpread));
  const degrees = Math.max(1, points.length - names.length);
  const variance = offs.reduce((sum, off, i) => sum + (weights[i] as number) * off ** 2, 0) / degrees;
  const half = (i: number) => {
    const own = solution.variances[i] ?? null;
    const deviation = Math.sqrt(Math.max(variance, minSpread ** 2) * (own ?? 0));
    return own === null ? null : studentQuantile(0.975, degrees) * deviation;
  };
  const costs = names.map(
    (name, i): CostEstimate => ({ name, ns: solution.values[i] as number, half: half(i) }),
  );
  return { costs, cost };
}

/**
 * Returns the equation "sum of costs = measured time", divided by that time, so that deviations of the fit are relative.
 * @param limit size of a write, in bytes, up to which its time comes from the message cost; above, from bandwidth
 */
function equationOf(names: readonly LinkCostName[], point: LinkPoint, limit: number): Equation {
  const { steps, timeNs, ownNs } = point;
  const isByRate = steps.bytes <= limit;
  const factors = names.map((name) => {
    if (name === 'byte') return (isByRate ? 0 : steps.writes * steps.bytes) / timeNs;
    const written = name === 'message' && isByRate ? steps.writes : 0;
    return ((steps.times[name] ?? 0) + written) / timeNs;
  });
  return { factors, value: (timeNs - ownNs) / timeNs, weight: 1 };
}

function offsOf(
  names: readonly LinkCostName[],
  points: readonly LinkPoint[],
  { values }: LinkSolution,
): number[] {
  const ns = Object.fromEntries(names.map((name, i) => [name, values[i] as number]));
  return points.map((point) => Math.abs((point.ownNs + linkTimeNs(point.steps, ns)) / point.timeNs - 1));
}

/** Returns the fitted link model as the user types it: `custom:latency-us=1.2,gbps=12`, each number with about three digits. */
export function linkText(device: LinkDevice, costs: readonly FittedCost[]): string {
  const parts = costs.flatMap(({ name, ns }) => {
    const parameter = device.costs[name];
    return parameter === undefined ? [] : [`${parameter.name}=${plainNumber(parameter.written(ns))}`];
  });
  return `custom:${parts.join(',')}`;
}

/**
 * Returns a number above 0 as text without exponent, rounded to three significant digits, but to at most nine decimals and never
 * beyond whole numbers: "0.0497", "12437".
 */
function plainNumber(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(value)));
  return String(Number(value.toFixed(Math.min(digits, 9))));
}
