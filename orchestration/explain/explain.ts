// Explains all message sizes of a run, one after the other, until the budget is over.
import type {
  ExplainedSeries,
  ExplanationRecord,
  SuspectedCause,
  UntriedCause,
} from '../../results/schema/index.ts';
import type { ExplainedOperation } from '../../suites/explain/variants.ts';
import { measureHops } from './hops.ts';
import { type ExplainedPoint, type ExplainWork, minLaunches, PointExplainer } from './point.ts';
import type { ExplainTools } from './rounds.ts';

export interface ExplainScreen {
  /** Reports progress. @param done finished share of all sizes, 0 to 1 @param what text about what is being measured */
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

/** Explains the message sizes of one series, and collects the results in its record. */
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
   * Measures each pair of hosts (hop) of a series alone, with messages of its largest size.
   * @param largest largest size of the series
   * @param limitS seconds that the measurement may take
   * @returns false if the user interrupted it
   */
  async measureHops(largest: ExplainedPoint, limitS: number): Promise<boolean> {
    const found = await measureHops(largest, limitS, this.tools);
    if (found === 'interrupted') return false;
    this.hops = found;
    return true;
  }

  /**
   * Explains one message size, and adds the result to the record of the series. `isExplained` is false if there was
   * too little time.
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
    for (const [id, one] of explainer.untried) this.untried.set(id, one);
    this.flags.push(...explainer.flags);
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
 * Returns the order in which points are explained: the largest size of each series, then the smallest of each, then
 * the others in ascending order. So every series has an explained size before a series gets its second one.
 * @param sizesOfSeries number of message sizes of each series
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
 * Explains all points of a command, until the time budget is over or the user interrupts. Each size gets an equal part
 * of the time that is left, but at least the time of `minLaunches` launches.
 * @param record gets the results; its field `ended` says why sizes are missing
 * @param update stores the record; called whenever one more size is complete
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
  let explained = 0;
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
    if (isExplained) explained += 1;
    else record.ended = 'budget';
    if (explainer.ended !== null) record.ended = explainer.ended;
    record.launches += explainer.launches;
    record.wrongLaunches += explainer.wrongLaunches;
    await update(record);
  }
  if (record.ended === 'budget' && record.launches > 0) {
    const sizeS = explained > 0 ? elapsedS() / explained : (minLaunches * elapsedS()) / record.launches;
    record.wholeBudgetS = sizeS * turns.length;
  }
  return update(record);
}

/**
 * Returns each flag (warning about a measurement) with the share of measurements that have it, 0 to 1.
 * @param flags flags of each measurement
 */
function sharesOf(flags: readonly (readonly string[])[]): { name: string; share: number }[] {
  const names = [...new Set(flags.flat())];
  return names.map((name) => ({
    name,
    share: flags.filter((one) => one.includes(name)).length / flags.length,
  }));
}
