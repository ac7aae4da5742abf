// Computes the precision of a run's figures, and the number of launches with which the requested precision would be reached.
import { median } from 'simple-statistics';
import {
  allMeasuredFigures,
  type CellRecord,
  isOk,
  type MeasuredFigure,
  type OkCell,
  type RunPlan,
} from '../../schema/index.ts';
import { type LaunchScatter, launchesFor, scatterOf } from './attainable.ts';
import { launchesOfOthers } from './launches.ts';

/**
 * Half widths of the 95 % intervals of all measured times of a run, relative (0.01 = 1 %): their median (`typical`), lowest
 * (`best`) and highest (`worst`). Times without an interval do not count.
 */
export interface IntervalWidths {
  typical: number;
  best: number;
  worst: number;
  /** Number of measured times that have an interval. */
  figures: number;
}

/**
 * Options that are suggested for repeating the run with narrower intervals: `precision` is the half width of an interval over its
 * value for `--precision`, `launches` the number for `--launches`.
 */
export interface PrecisionOffer {
  precision: number;
  launches: number;
  /** Estimated duration of the repeated run in seconds, from the duration of this run's launches. */
  seconds: number;
}

export interface PrecisionOutlook {
  /** Requested half width of the 95 % interval, as a share of the time: 0.01 = 1 %. */
  wanted: number;
  /**
   * Cause that limits the precision of a typical time, as the median over all times: differences between launches, or scatter of
   * samples within one launch. `deviation`: standard deviation of a launch's median by this cause, relative to the time; that by
   * the other cause is smaller.
   */
  limit: { by: 'launches' | 'samples'; deviation: number };
  /**
   * Options with which a repeated run reaches the requested precision, or the best that is possible. Null if none is clearly better
   * than now within 10 to 30 launches (`maxProcesses`) and an hour.
   */
  offer: PrecisionOffer | null;
}

/** Precisions (half width of the interval / value) of which one is suggested if the requested one cannot be reached. */
const rungs = [0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2];
/**
 * More launches than 10 are suggested only if the rank processes of all launches of a run, on all hosts together, are at most this
 * many. They exist at the same time and wait for their turn, and a host must stay usable even if all of them are there.
 */
const maxProcesses = 64;
const maxLaunches = 30;
const minOfferedLaunches = 10;
const maxSeconds = 3600;
/** A precision is suggested only if it is at most this share of the present half width; a smaller gain is not worth the time. */
const worthShare = 0.8;

const widthOf = ({ interval, value }: MeasuredFigure): number | null =>
  interval === null ? null : (interval.high - interval.low) / 2 / value;

/**
 * Returns the median, lowest and highest half width of a run's 95 % intervals, relative (0.01 = 1 %); null if no time has an
 * interval.
 */
export function widthsOf(all: readonly CellRecord[]): IntervalWidths | null {
  const cells = all.filter(isOk);
  const widths = cells.flatMap(allMeasuredFigures).flatMap((figure) => widthOf(figure) ?? []);
  if (widths.length === 0) return null;
  return {
    typical: median(widths),
    best: Math.min(...widths),
    worst: Math.max(...widths),
    figures: widths.length,
  };
}

/**
 * Estimates which precision more launches would reach for the median time of a run, from how much this run's launches differ. A
 * time without an interval counts as less precise than any other.
 * @returns null if no precision was requested, if it is reached, or if fewer than half of the times have several launches
 */
export function outlookOf(all: readonly CellRecord[], plan: RunPlan): PrecisionOutlook | null {
  const cells = all.filter(isOk);
  const wanted = plan.sampling.adaptive?.precision;
  const figures = cells.flatMap(allMeasuredFigures);
  if (wanted === undefined || figures.length === 0) return null;
  const now = median(figures.map((figure) => widthOf(figure) ?? Number.POSITIVE_INFINITY));
  if (now <= wanted) return null;
  const othersOf = launchesOfOthers(cells);
  const scatters = cells.flatMap((cell) =>
    allMeasuredFigures(cell).flatMap((figure) => scatterOf(figure, othersOf(cell, figure.name)) ?? []),
  );
  if (scatters.length < figures.length / 2) return null;
  return { wanted, limit: limitOf(scatters), offer: offerOf(scatters, cells, plan, { wanted, now }) };
}

function limitOf(scatters: readonly LaunchScatter[]): PrecisionOutlook['limit'] {
  const between = Math.sqrt(median(scatters.map((one) => one.between)));
  const within = Math.sqrt(median(scatters.map((one) => one.within)));
  return between >= within ? { by: 'launches', deviation: between } : { by: 'samples', deviation: within };
}

function offerOf(
  scatters: readonly LaunchScatter[],
  cells: readonly OkCell[],
  plan: RunPlan,
  { wanted, now }: { wanted: number; now: number },
): PrecisionOffer | null {
  const done = median(scatters.map(({ launches }) => launches));
  const launchS = measuredS(cells) / done;
  const bearable = Math.floor(maxProcesses / (plan.ranks * plan.transports.length));
  const most = Math.min(
    maxLaunches,
    Math.max(minOfferedLaunches, bearable),
    Math.floor(maxSeconds / launchS),
  );
  for (const precision of [wanted, ...rungs.filter((rung) => rung > wanted)]) {
    if (precision > worthShare * now) return null;
    const needed = median(
      scatters.map((one) => launchesFor(one, precision, most) ?? Number.POSITIVE_INFINITY),
    );
    // This run's launches were not enough, so only a higher number is suggested.
    if (needed <= most) {
      const launches = Math.ceil(needed);
      return launches <= done ? null : { precision, launches, seconds: launchS * launches };
    }
  }
  return null;
}

/**
 * Returns the seconds from the first timed operation to the last, summed over the first start of the run, its resumptions and the
 * repetitions of disturbed cells.
 */
function measuredS(cells: readonly CellRecord[]): number {
  const spans = new Map<number, { from: number; to: number }>();
  for (const cell of cells) {
    if (cell.status !== 'ok') continue;
    for (const { fromNs, toNs } of cell.windows ?? []) {
      const { from, to } = spans.get(cell.attempt ?? 0) ?? { from: fromNs, to: toNs };
      spans.set(cell.attempt ?? 0, { from: Math.min(from, fromNs), to: Math.max(to, toNs) });
    }
  }
  return [...spans.values()].reduce((sum, { from, to }) => sum + (to - from) / 1e9, 0);
}
