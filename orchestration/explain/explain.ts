// Explains all message sizes of a run, one after the other, until the budget is over.
import type {
  ExplainedSeries,
  ExplanationRecord,
  SuspectedCause,
  UntriedCause,
} from '../../results/schema/index.ts';
import type { ExplainedOperation } from '../../suites/explain/variants.ts';
import { measureHops } from './hops.ts';
import { type ExplainedPoint, type ExplainWork, PointExplainer } from './point.ts';
import { minLaunches } from './point-launches.ts';
import type { ExplainTools } from './rounds.ts';

export interface ExplainScreen {
  /**
   * Reports progress. @param done estimated finished share of the whole explanation, 0 to 1; it never falls @param what text about
   * what is being measured
   */
  progress(done: number, what: string): void;
}

/**
 * Share of the remaining time budget that measuring the hops (pairs of hosts) may take, divided evenly over the series
 * that are left.
 */
const hopShare = 0.4;

/**
 * Minimum number of hosts for which hops are measured. With two hosts there is only one hop, which cannot be slower
 * than others.
 */
const minHosts = 3;

/** Explains the message sizes of one series, and collects the results in its `record`, which is complete after each call. */
class SeriesExplainer {
  private readonly suspicions = new Map<string, SuspectedCause>();
  private readonly untried = new Map<string, UntriedCause>();
  private readonly flags: (readonly string[])[] = [];
  private readonly work: ExplainWork;
  private readonly tools: ExplainTools;
  private hops: ExplainedOperation['hops'];
  readonly record: ExplainedSeries;

  constructor({ series: name, medium }: ExplainedPoint, work: ExplainWork, tools: ExplainTools) {
    this.work = work;
    this.tools = tools;
    this.record = { name, medium, sizes: [], suspicions: [], untried: [], flags: [] };
  }

  /**
   * Measures each pair of hosts (hop) of a series alone, with messages of its largest size. The times, or the reason why there are
   * none, become part of the sizes that are explained afterwards.
   * @param largest largest size of the series
   * @param limitS seconds that the measurement may take; if its estimate is longer, nothing is measured
   * @returns false if the user interrupted it
   */
  async measureHops(largest: ExplainedPoint, limitS: number): Promise<boolean> {
    const found = await measureHops(largest, limitS, this.tools);
    if (found === 'interrupted') return false;
    this.hops = found;
    return true;
  }

  /**
   * Explains one message size, and adds the result to the record of the series. `isExplained` is false if there was too little
   * time, the command failed, or the user interrupted; nothing is thrown then. `explainer` has the costs and the reason.
   * @param time `seconds`: planned time for this size; `leftS`: time that all remaining sizes have together
   * @param progress shows a text about what is being measured
   */
  async explain(
    point: ExplainedPoint,
    time: { seconds: number; leftS: number },
    progress: (what: string) => void,
  ): Promise<{ isExplained: boolean; explainer: PointExplainer }> {
    const sized = this.hops === undefined ? point : { ...point, hops: this.hops };
    const explainer = new PointExplainer(sized, this.work, this.tools, time, progress);
    const size = await explainer.explain();
    for (const [id, { text }] of explainer.suspicions)
      this.suspicions.set(id, {
        id,
        title: this.work.causes.find((row) => row.id === id)?.title ?? id,
        text,
      });
    for (const [id, one] of explainer.launches.untried) this.untried.set(id, one);
    this.flags.push(...explainer.launches.flags);
    const sizes = [...this.record.sizes, ...(size === null ? [] : [size])];
    this.record.sizes = sizes.sort((a, b) => a.payloadBytes - b.payloadBytes);
    this.record.suspicions = [...this.suspicions.values()];
    this.record.untried = [...this.untried.values()];
    this.record.flags = sharesOf(this.flags);
    if (this.record.rails === undefined && explainer.rails.length > 0)
      this.record.rails = [...explainer.rails];
    return { isExplained: size !== null, explainer };
  }
}

/**
 * Returns the order in which points are explained: the largest size of each series, then the smallest of each, then the others in
 * ascending order. So every series has an explained size before a series gets its second one.
 * @param sizesOfSeries number of message sizes of each series
 * @returns `series`: index into `sizesOfSeries`; `index`: index of the size within the series, 0 = the smallest
 */
export function turnsOf(sizesOfSeries: readonly number[]): { series: number; index: number }[] {
  const most = Math.max(0, ...sizesOfSeries);
  return Array.from({ length: most }, (_, turn) =>
    sizesOfSeries.flatMap((count, series) =>
      turn >= count ? [] : [{ series, index: turn === 0 ? count - 1 : turn - 1 }],
    ),
  ).flat();
}

/**
 * Time and launches that explaining one message size took, failed launches included. `isExplained`: false if it ended without a
 * result.
 */
export interface SizeCost {
  seconds: number;
  launches: number;
  isExplained: boolean;
}

/**
 * Factor by which a suggested time budget is longer than its estimate. Launches on a busy machine take twice as long in one minute
 * as in another.
 */
const budgetReserve = 1.5;

/**
 * Returns an estimate of the seconds that explaining all message sizes takes, with a reserve of half as much: for each size
 * `minLaunches` launches, or as many as an explained one took on average if these are more. Sizes without a measured launch count
 * as the slowest of the others, because the largest are explained first.
 * @param costs of the sizes that were begun, each with at least one launch; not empty
 * @param sizes number of all sizes
 * @param otherS seconds of everything besides, such as measuring hops
 */
export function wholeBudget(costs: readonly SizeCost[], sizes: number, otherS: number): number {
  const explained = costs.filter(({ isExplained }) => isExplained);
  const usual = explained.reduce((sum, { launches }) => sum + launches, 0) / Math.max(1, explained.length);
  const needed = Math.max(minLaunches, usual);
  const each = costs.map(({ seconds, launches }) => (needed * seconds) / launches);
  const slowest = Math.max(...each);
  const estimateS = each.reduce((sum, one) => sum + one, (sizes - costs.length) * slowest);
  return budgetReserve * (otherS + estimateS);
}

/**
 * Explains all points of a command, until the time budget is over or the user interrupts. Each size gets an equal part of the time
 * that is left, but at least the time of `minLaunches` launches, if there is that much.
 * @param record gets the results, in place; its field `ended` says why sizes are missing, and `wholeBudgetS` which budget, in
 * seconds, would suffice for all
 * @param update stores the record; called after each size that was begun, explained or not, and at the end
 */
export async function explainPoints(
  work: ExplainWork,
  record: ExplanationRecord,
  tools: ExplainTools,
  screen: ExplainScreen,
  update: (record: ExplanationRecord) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const elapsedS = () => (performance.now() - began) / 1000;
  const explainers = new Map<number, SeriesExplainer>();
  const turns = turnsOf(work.series.map((points) => points.length));
  const costs: SizeCost[] = [];
  for (const [done, { series: at, index }] of turns.entries()) {
    const points = work.series[at] ?? [];
    const [point, largest] = [points[index], points.at(-1)];
    if (point === undefined || largest === undefined) continue;
    const share = done / turns.length;
    let series = explainers.get(at);
    if (series === undefined) {
      series = new SeriesExplainer(point, work, tools);
      explainers.set(at, series);
      record.series.push(series.record);
      if ((point.hosts?.length ?? 0) >= minHosts) {
        screen.progress(share, 'measuring hops');
        const limitS = (hopShare * (work.budgetS - elapsedS())) / (work.series.length - at);
        record.launches += 1;
        if (!(await series.measureHops(largest, limitS))) record.ended = 'interrupted';
      }
    }
    if (record.ended === 'interrupted') return update(record);
    const leftS = work.budgetS - elapsedS();
    if (leftS <= 0) {
      record.ended = 'budget';
      break;
    }
    const time = { seconds: leftS / (turns.length - done), leftS };
    const { isExplained, explainer } = await series.explain(point, time, (what) =>
      screen.progress(Math.max(share, Math.min((done + 1) / turns.length, elapsedS() / work.budgetS)), what),
    );
    const { tookS, count, wrongCount, ended } = explainer.launches;
    costs.push({ seconds: tookS, launches: count, isExplained });
    // If the command itself fails, more time does not help.
    if (!isExplained && !explainer.hasFailed) record.ended = 'budget';
    if (ended !== null) record.ended = ended;
    record.launches += count;
    record.wrongLaunches += wrongCount;
    await update(record);
  }
  const begun = costs.filter(({ launches }) => launches > 0);
  if (record.ended === 'budget' && begun.length > 0) {
    const inSizesS = costs.reduce((sum, { seconds }) => sum + seconds, 0);
    const otherS = ((elapsedS() - inSizesS) * work.series.length) / explainers.size;
    record.wholeBudgetS = wholeBudget(begun, turns.length, otherS);
  }
  return update(record);
}

/**
 * Returns each flag (remark about a measurement) that occurs, with the share of measurements that have it, above 0 to 1.
 * @param flags flags of each measurement; an empty list counts as a measurement without flags
 */
function sharesOf(flags: readonly (readonly string[])[]): { name: string; share: number }[] {
  const names = [...new Set(flags.flat())];
  return names.map((name) => ({
    name,
    share: flags.filter((one) => one.includes(name)).length / flags.length,
  }));
}
