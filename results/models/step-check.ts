import type { CellRecord, MeasuredFigure } from '../schema/index.ts';
import { workloadOf } from '../schema/index.ts';

/** Predicted or measured time of one training step of a job over one transport. */
export interface StepTime {
  transport: string;
  medium: string;
  ns: number;
  /** Lower and upper bound of the time's 95 % interval, ns; null if not known. */
  lowNs: number | null;
  highNs: number | null;
  /** True if launches differ too much for an interval. False or absent if they do not, or if it is not known. */
  isScattered?: boolean;
  /** Names of the flags (warnings) of the measurement; absent if unknown. */
  flags?: readonly string[];
}

/** A prediction counts as correct if it differs from the measured time by at most this share of it. */
export const stepLimit = 0.1;
/**
 * A predicted difference in time between two transports counts as correct if it deviates from the measured difference by at most
 * this share of it.
 */
export const changeLimit = 0.15;

export interface StepComparison {
  transport: string;
  predicted: StepTime;
  measured: StepTime;
  /** Predicted minus measured time, as a share of the measured time. */
  error: number;
  /**
   * True if the error is at most `stepLimit`. Null if it is larger, but the intervals overlap or launches differ too much for
   * intervals, so that nothing is proved. Otherwise false; a time without interval counts as exact.
   */
  isWithin: boolean | null;
  /**
   * Measured minus predicted time in ns, in two parts: `sharedNs`, which all transports have in common, and `ownNs`, the rest for
   * this transport.
   */
  sharedNs: number;
  ownNs: number;
}

export interface ChangeCheck {
  from: string;
  to: string;
  /** Predicted time over transport `to` minus that over `from`, ns; `measuredNs` is the measured difference. */
  predictedNs: number;
  measuredNs: number;
  /** Predicted minus measured difference, as a share of the measured one; 0 if that is 0. */
  error: number;
  /**
   * True if the predicted change of time from one transport to the other deviates from the measured one by at most the share
   * `changeLimit`, or if the intervals of the two changes overlap. Null if the two measured times cannot be distinguished, or if
   * launches differ too much for intervals.
   */
  isWithin: boolean | null;
}

export interface StepCheck {
  /** Comparison for each transport that has a predicted and a measured time. */
  steps: StepComparison[];
  /** Differences of the step's time between transports: from the transport with the shortest measured step to each other one. */
  changes: ChangeCheck[];
  /** Transports with a predicted time alone, which are not compared; `onlyMeasured`: those with a measured time alone. */
  onlyPredicted: string[];
  onlyMeasured: string[];
}

/**
 * Compares predicted and measured times of one training step, for all transports that have both, in the order of `measured`; of
 * several predictions for a transport the first counts. Changes are from the transport with the shortest measured step to each
 * other one.
 */
export function checkSteps(predicted: readonly StepTime[], measured: readonly StepTime[]): StepCheck {
  const pairs = measured.flatMap((one) => {
    const other = predicted.find(({ transport }) => transport === one.transport);
    return other === undefined ? [] : [{ predicted: other, measured: one, missesNs: one.ns - other.ns }];
  });
  const sharedNs = sharedOf(pairs.map(({ missesNs }) => missesNs));
  const steps = pairs.map(({ missesNs, ...pair }): StepComparison => {
    const error = -missesNs / pair.measured.ns;
    const isWithin = Math.abs(error) <= stepLimit || (overlap(pair.predicted, pair.measured) ? null : false);
    const { transport } = pair.measured;
    return { transport, ...pair, error, isWithin, sharedNs, ownNs: missesNs - sharedNs };
  });
  const [first, ...others] = [...steps].sort((a, b) => a.measured.ns - b.measured.ns);
  const names = new Set(steps.map(({ transport }) => transport));
  const rest = (times: readonly StepTime[]) =>
    times.map(({ transport }) => transport).filter((transport) => !names.has(transport));
  return {
    steps,
    changes: first === undefined ? [] : others.map((one) => changeOf(first, one)),
    onlyPredicted: rest(predicted),
    onlyMeasured: rest(measured),
  };
}

/**
 * Returns the part of the deviations that all transports have in common, ns: the deviation closest to 0 if all have the same sign,
 * otherwise 0. Also 0 for a single transport.
 * @param misses measured minus predicted time of each transport, ns
 */
function sharedOf(misses: readonly number[]): number {
  const [least] = [...misses].sort((a, b) => Math.abs(a) - Math.abs(b));
  const isShared = misses.length > 1 && misses.every((one) => Math.sign(one) === Math.sign(misses[0] ?? 0));
  return isShared ? (least ?? 0) : 0;
}

const low = ({ ns, lowNs }: StepTime) => lowNs ?? ns;
const high = ({ ns, highNs }: StepTime) => highNs ?? ns;
const isOpen = (...times: readonly StepTime[]) => times.some((one) => one.isScattered === true);
const overlap = (a: StepTime, b: StepTime): boolean =>
  isOpen(a, b) || (low(a) <= high(b) && low(b) <= high(a));
/**
 * Returns the bounds of the change of time from a to b, ns, from opposite ends of their 95 % intervals. They are wider than a 95 %
 * interval of the difference.
 */
const changeBetween = (a: StepTime, b: StepTime) => ({
  lowNs: low(b) - high(a),
  highNs: high(b) - low(a),
});

function changeOf(a: StepComparison, b: StepComparison): ChangeCheck {
  const predictedNs = b.predicted.ns - a.predicted.ns;
  const measuredNs = b.measured.ns - a.measured.ns;
  const error = measuredNs === 0 ? 0 : (predictedNs - measuredNs) / measuredNs;
  const [predicted, measured] = [
    changeBetween(a.predicted, b.predicted),
    changeBetween(a.measured, b.measured),
  ];
  const isInside = measured.lowNs <= predicted.highNs && measured.highNs >= predicted.lowNs;
  const isSeen =
    !isOpen(a.predicted, a.measured, b.predicted, b.measured) && low(b.measured) > high(a.measured);
  const isWithin = isSeen ? isInside || Math.abs(error) <= changeLimit : null;
  return { from: a.transport, to: b.transport, predictedNs, measuredNs, error, isWithin };
}

/**
 * Returns the measured times of whole training steps in ns, one per transport, by name of the job. The pipelined time is used if
 * there is one, else the latency. Of several results over one transport the first counts. Cells that failed, or that measured no
 * training step, are left out.
 */
export function stepsMeasured(cells: readonly CellRecord[]): Map<string, StepTime[]> {
  const steps = new Map<string, StepTime[]>();
  for (const cell of cells) {
    const name = workloadOf(cell.workload).stepOf?.(cell.axes) ?? null;
    if (name === null || cell.status !== 'ok') continue;
    const measured = cell.figures.filter((one): one is MeasuredFigure => one.kind === 'measured');
    // Steps of a job follow each other, so the pipelined figure is preferred.
    const figure =
      measured.find((one) => one.name === 'pipelined') ?? measured.find((one) => one.name === 'latency');
    const own = steps.get(name) ?? [];
    if (figure === undefined || own.some(({ transport }) => transport === cell.transport)) continue;
    const { value, interval, launchValues } = figure;
    const { transport, medium } = cell;
    own.push({
      ...{ transport, medium, ns: value },
      lowNs: interval?.low ?? null,
      highNs: interval?.high ?? null,
      isScattered: interval === null && launchValues.length > 1,
      flags: [...new Set(cell.flags.map((flag) => flag.name))],
    });
    steps.set(name, own);
  }
  return steps;
}
