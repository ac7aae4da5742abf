// How precise the figures of a run are, and what it would take for the usual one of them to be as precise as was wanted.
import { median } from 'simple-statistics';
import {
  allMeasuredFigures,
  type CellRecord,
  type MeasuredFigure,
  type OkCell,
  type RunPlan,
} from '../schema/index.ts';
import { type LaunchScatter, launchesFor, scatterOf } from './attainable.ts';
import { launchesOfOthers } from './launches.ts';

/** Half widths of the 95 % intervals of a run, as shares of their figures. */
export interface IntervalWidths {
  typical: number;
  best: number;
  worst: number;
  /** Figures that have an interval. */
  figures: number;
}

/** More launches at the precision that they bring: an order of `--precision --launches --budget`. */
export interface PrecisionOffer {
  precision: number;
  launches: number;
  /** Of the run, about, as the launches so far took. */
  seconds: number;
}

export interface PrecisionOutlook {
  wanted: number;
  /** What keeps the usual figure from it: the larger of its two standard deviations, of launches or within one; a share. */
  limit: { by: 'launches' | 'samples'; deviation: number };
  /** The narrowest precision, `wanted` or a wider one, that can be had; null where none is narrower than what is there. */
  offer: PrecisionOffer | null;
}

/** Precisions that are offered where the one that was wanted cannot be had. */
const rungs = [0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2];
/** Launches of one run wait beside one another: as many processes still leave a machine usable. */
const mostProcesses = 64;
const mostLaunches = 30;
const fewestOffered = 10;
const mostSeconds = 3600;
/** A narrower interval is worth a word where it is at most so much of what is there. */
const worthShare = 0.8;

const isMeasured = (cell: CellRecord): cell is OkCell => cell.status === 'ok';

const widthOf = ({ interval, value }: MeasuredFigure): number | null =>
  interval === null ? null : (interval.high - interval.low) / 2 / value;

/** null where no figure has an interval. */
export function widthsOf(all: readonly CellRecord[]): IntervalWidths | null {
  const cells = all.filter(isMeasured);
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
 * By the components of variance that the launches of this run show (attainable.ts), for the usual figure: the median over
 * figures, one without an interval counted as wider than all.
 * @returns null where nothing was wanted, the usual figure is within it, or there is one launch only
 */
export function outlookOf(all: readonly CellRecord[], plan: RunPlan): PrecisionOutlook | null {
  const cells = all.filter(isMeasured);
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
  const bearable = Math.floor(mostProcesses / (plan.ranks * plan.transports.length));
  const most = Math.min(mostLaunches, Math.max(fewestOffered, bearable), Math.floor(mostSeconds / launchS));
  for (const precision of [wanted, ...rungs.filter((rung) => rung > wanted)]) {
    if (precision > worthShare * now) return null;
    const needed = median(
      scatters.map((one) => launchesFor(one, precision, most) ?? Number.POSITIVE_INFINITY),
    );
    // The launches of this run were not enough, so as few again are no advice.
    if (needed <= most) {
      const launches = Math.ceil(needed);
      return launches <= done ? null : { precision, launches, seconds: launchS * launches };
    }
  }
  return null;
}

/** From the first timed block to the last, of each start of the run, s. */
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
