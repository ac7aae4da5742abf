import { median } from 'simple-statistics';
import { studentQuantile } from '../../derive/statistics/student.ts';
import type { LinkCostName, LinkDevice } from './device.ts';
import { type Equation, type LinkSolution, solveNonNegative } from './solve.ts';
import type { LinkSteps } from './steps.ts';

/** One size as the fit sees it. */
export interface LinkPoint {
  /** "pingpong", "put window 64". */
  series: string;
  /** As it was measured: of a message or of the collective. */
  bytes: number;
  timeNs: number;
  /** Half of its 95 % interval, as a share of it; 0 = not known. */
  half: number;
  /** What the emulation takes by itself, without a link model; 0 = not known. */
  ownNs: number;
  steps: LinkSteps;
}

export interface FittedCost {
  name: LinkCostName;
  ns: number;
  /** 95 %, from the residuals and from the intervals of the times. */
  interval: { low: number; high: number };
}

export interface LinkFit {
  /** In the order of the device; only those that the times can tell. */
  costs: FittedCost[];
  /** Their interval reaches 0: too small to be told from the other costs. */
  untold: LinkCostName[];
  /** For each point: what the emulation takes with these costs, and by how much of the measured time that is off. */
  rows: { point: LinkPoint; modelNs: number; off: number }[];
  medianOff: number;
}

/** A size that is off by more of the scatter of all counts linearly, not squared (Huber 1964). */
const huberLimit = 2;
/** No time is trusted to less than this share. */
const leastSpread = 0.003;

/** What the costs make of the steps. */
export function linkTimeNs(steps: LinkSteps, ns: Readonly<Partial<Record<LinkCostName, number>>>): number {
  const fixed = Object.entries(steps.times).reduce(
    (sum, [name, times]) => sum + times * (ns[name as LinkCostName] ?? 0),
    0,
  );
  return fixed + steps.writes * Math.max(steps.bytes * (ns.byte ?? 0), ns.message ?? 0);
}

/**
 * Costs of a link from times of many sizes: least squares of shares of each time, so that no size owns the fit, with sizes
 * that stick out counted less. A write takes the longer of bandwidth and message rate; all places where that may change are
 * tried.
 * @returns null where nothing can be solved
 */
export function fitLink(device: LinkDevice, points: readonly LinkPoint[]): LinkFit | null {
  const all = Object.keys(device.costs) as LinkCostName[];
  const first = bestOf(all, points);
  if (first === null) return null;
  const told = first.costs.filter((cost) => isTold(cost) && weighs(cost, points)).map(({ name }) => name);
  const untold = all.filter((name) => !told.includes(name));
  if (told.length === 0) return { costs: [], untold, rows: [], medianOff: 1 };
  const fit = untold.length === 0 ? first : bestOf(told, points);
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
  return { costs, untold, rows, medianOff: median(rows.map(({ off }) => Math.abs(off))) };
}

interface CostEstimate {
  name: LinkCostName;
  ns: number;
  /** Half width of the 95 % interval; null = the cost is 0. */
  half: number | null;
}
const isTold = ({ ns, half }: CostEstimate): boolean => half !== null && half < ns;

/** What is a smaller part of a time, the errors of that time can make up. */
const leastShare = 0.05;
export const minSizesShown = 3;

/** Whether a cost is a good part of the time at several sizes: what one size alone asks for may be a fault of that size. */
function weighs({ name, ns }: CostEstimate, points: readonly LinkPoint[]): boolean {
  const sizes = points.filter(
    ({ steps, timeNs }) => linkTimeNs(steps, { [name]: ns }) >= leastShare * timeNs,
  );
  return new Set(sizes.map(({ bytes }) => bytes)).size >= minSizesShown;
}

/**
 * By how much each cost moves when all times are at the ends of their intervals: the launches of a run share their fate, so
 * errors of its sizes do not average out.
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
  // Of one write: up to which size the message rate sets its time.
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
    spread = Math.max(leastSpread, 1.4826 * median(offs));
    weights = offs.map((off) => Math.min(1, (huberLimit * spread) / Math.max(off, Number.MIN_VALUE)));
  }
  if (solution === null) return null;
  const offs = offsOf(names, points, solution);
  // Over both branches of the true cost: a wrong place of the change costs what it misses.
  const z = offs.map((off) => off / leastSpread);
  const cost = z.reduce(
    (sum, x) => sum + (x <= huberLimit ? x ** 2 : 2 * huberLimit * x - huberLimit ** 2),
    0,
  );
  const degrees = Math.max(1, points.length - names.length);
  const variance = offs.reduce((sum, off, i) => sum + (weights[i] as number) * off ** 2, 0) / degrees;
  const half = (i: number) => {
    const own = solution.variances[i] ?? null;
    const deviation = Math.sqrt(Math.max(variance, leastSpread ** 2) * (own ?? 0));
    return own === null ? null : studentQuantile(0.975, degrees) * deviation;
  };
  const costs = names.map(
    (name, i): CostEstimate => ({ name, ns: solution.values[i] as number, half: half(i) }),
  );
  return { costs, cost };
}

/** Shares of the time, so that the residual is one, too. */
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

/** Digits that the interval bears out, and no exponent: as link models are written. */
export function linkText(device: LinkDevice, costs: readonly FittedCost[]): string {
  const parts = costs.flatMap(({ name, ns }) => {
    const parameter = device.costs[name];
    return parameter === undefined ? [] : [`${parameter.name}=${plainNumber(parameter.written(ns))}`];
  });
  return `custom:${parts.join(',')}`;
}

/** Three digits: "0.0497", "12400". */
function plainNumber(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(value)));
  return String(Number(value.toFixed(Math.min(digits, 9))));
}
