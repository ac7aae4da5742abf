// Finds the rank that usually ends last, from the raw samples of isolated operations at a few sizes of each series.
import { median } from 'simple-statistics';
import { type BlockRecord, seriesKeyOf } from '../results/schema/index.ts';
import { workloadRowOf } from './rows.ts';
import { firstMiddleLast, isOk, type ReportRun, xOfPoint } from './series.ts';

/**
 * Times of each rank in one configuration, and how often each rank was the last to end. `point`: index of the configuration's point
 * in the run's plan. `operations`: number of operations (or batches) that were evaluated.
 */
export interface RankTimes {
  transport: string;
  point: number;
  /**
   * Median time of one operation on each rank in ns, by rank. It is counted from the common start of all ranks to the rank's end;
   * on GPUs from the rank's own start. The time of a batch is divided by its number of operations.
   */
  medians: number[];
  /**
   * Number of operations (or batches) in which a rank ended last, by rank. If several ranks ended at the same time, the first
   * counts.
   */
  lastIn: number[];
  operations: number;
}

/**
 * Maximum number of end times (samples x ranks) in a run whose samples are read; more would take longer than the rest of a report.
 */
const maxEnds = 300_000;
/** Minimum number of operations from which the rank that usually ends last is determined. */
const minOperations = 8;

/**
 * Returns the times of the ranks at the smallest, the middle and the largest size of each series, from isolated operations. A size
 * with fewer than eight operations is left out. Empty if the run keeps no samples or too many, if there is one rank, or if ranks
 * are divided into groups. Rejects if the stored samples cannot be read.
 */
export async function rankTimesOf(run: ReportRun): Promise<RankTimes[]> {
  const { plan } = run.record;
  const ok = run.cells.filter(isOk);
  const ends = ok.reduce((sum, { figures, ranks }) => sum + ranks * samplesOf(figures), 0);
  if (plan.groups !== undefined || plan.ranks < 2 || ends > maxEnds || run.blocks === undefined) return [];
  const wanted = new Set(sampledKeys(run));
  const found = new Map<string, { times: number[][]; lastIn: number[] }>();
  for await (const block of run.blocks()) {
    if (block.trial !== 'isolated') continue;
    const transport = plan.transports[block.transport]?.name ?? '';
    const key = `${block.point}/${transport}`;
    if (!wanted.has(key)) continue;
    const entry = found.get(key) ?? {
      times: block.endNs.map(() => []),
      lastIn: block.endNs.map(() => 0),
    };
    found.set(key, entry);
    addTo(entry, block);
  }
  return [...found].flatMap(([key, { times, lastIn }]) => {
    const operations = times[0]?.length ?? 0;
    if (operations < minOperations) return [];
    const [point = '', ...transport] = key.split('/');
    return [
      {
        transport: transport.join('/'),
        point: Number(point),
        medians: times.map(median),
        lastIn,
        operations,
      },
    ];
  });
}

const samplesOf = (figures: readonly { kind: string; samples?: number | undefined }[]): number =>
  figures.reduce((sum, { kind, samples }) => sum + (kind === 'measured' ? (samples ?? 0) : 0), 0);

/**
 * Returns keys "POINT/TRANSPORT" (POINT: index in the plan) of the smallest, middle and largest measured size of each series. If
 * the workload has no x axis, returns the keys of all its configurations.
 */
function sampledKeys({ record: { plan }, cells }: ReportRun): string[] {
  const series = new Map<string, { x: number; key: string }[]>();
  for (const cell of cells.filter(isOk)) {
    const name = seriesKeyOf(workloadRowOf(plan, cell), cell);
    const one = { x: xOfPoint(plan, cell), key: `${cell.point}/${cell.transport}` };
    series.set(name, [...(series.get(name) ?? []), one]);
  }
  return [...series.values()].flatMap((points) => {
    const sorted = points.toSorted((a, b) => a.x - b.x);
    return firstMiddleLast(sorted).map(({ key }) => key);
  });
}

/**
 * Adds the operations of one block (consecutive samples of one launch) to the ranks' times of a configuration. Operations that any
 * rank started late, or for which the time of a rank is missing, are left out.
 * @param entry changed: for each rank its times per operation in ns (`times`), and in how many operations it ended last (`lastIn`)
 */
function addTo(entry: { times: number[][]; lastIn: number[] }, block: BlockRecord): void {
  const isDevice = block.clock === 'device';
  block.commonStartNs.forEach((common, i) => {
    if (block.late.some((rank) => (rank[i] ?? 0) !== 0)) return;
    const elapsed = block.endNs.map((rank, r) => {
      const from = isDevice ? block.startNs[r]?.[i] : common;
      return ((rank[i] ?? Number.NaN) - (from ?? Number.NaN)) / block.batch;
    });
    if (!elapsed.every(Number.isFinite)) return;
    const last = elapsed.indexOf(Math.max(...elapsed));
    elapsed.forEach((ns, r) => {
      entry.times[r]?.push(ns);
    });
    entry.lastIn[last] = (entry.lastIn[last] ?? 0) + 1;
  });
}

/** Minimum extra time of a straggler (the rank that ends last), as a share of the time of the next slowest rank. */
const least = 0.05;
/** Minimum share of the operations in which a rank must end last to be called a straggler. */
const usuallyLast = 0.75;

/**
 * Returns the straggler: the rank that ends last in at least 75 % of the operations, and whose median time exceeds those of all
 * other ranks by more than 5 %. Null if there is none.
 */
export function stragglerOf({ medians, lastIn, operations }: RankTimes): number | null {
  const rank = lastIn.indexOf(Math.max(...lastIn));
  const others = medians.filter((_, r) => r !== rank);
  const isSlow = (medians[rank] ?? 0) > (1 + least) * Math.max(...others);
  return isSlow && (lastIn[rank] ?? 0) / operations >= usuallyLast ? rank : null;
}
