// Which rank ends last: from the raw samples of isolated operations, at a few sizes of each series.
import { median } from 'simple-statistics';
import type { BlockRecord } from '../results/schema/index.ts';
import { isOk, type ReportRun, xOfPoint } from './series.ts';

/** The ranks of one configuration. */
export interface RankTimes {
  transport: string;
  point: number;
  /** From the common start to the end of each rank, on GPUs from its own start: medians, by rank. */
  medians: number[];
  /** How often each rank was the last one. */
  lastIn: number[];
  operations: number;
}

/** Reading more samples would take longer than the rest of a report. */
const mostEnds = 300_000;
/** Fewer show nothing of who is last. */
const fewestOperations = 8;

/** At the smallest, the middle and the largest size of each series; empty where samples are not kept, or too many. */
export async function rankTimesOf(run: ReportRun): Promise<RankTimes[]> {
  const { plan } = run.record;
  const ok = run.cells.filter(isOk);
  const ends = ok.reduce((sum, { figures, ranks }) => sum + ranks * samplesOf(figures), 0);
  if (plan.groups !== undefined || plan.ranks < 2 || ends > mostEnds || run.blocks === undefined) return [];
  const wanted = new Set(telling(run));
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
    if (operations < fewestOperations) return [];
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

/** Keys of the points that are looked at. */
function telling({ record: { plan }, cells }: ReportRun): string[] {
  const series = new Map<string, { x: number; key: string }[]>();
  for (const cell of cells.filter(isOk)) {
    const { bytes: _bytes, ...others } = cell.axes;
    const name = JSON.stringify([cell.workload, others, cell.transport]);
    const one = { x: xOfPoint(plan, cell), key: `${cell.point}/${cell.transport}` };
    series.set(name, [...(series.get(name) ?? []), one]);
  }
  return [...series.values()].flatMap((points) => {
    const sorted = points.toSorted((a, b) => a.x - b.x);
    const at = [0, Math.floor((sorted.length - 1) / 2), sorted.length - 1];
    return [...new Set(at)].flatMap((i) => sorted[i]?.key ?? []);
  });
}

/** Operations that no rank began late. */
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

/** Beyond what the other ranks take, as a share: less is no straggler. */
const least = 0.05;
/** Of all operations. */
const usuallyLast = 0.75;

/** The rank that is last in most operations and clearly slower than the others; null where none is. */
export function stragglerOf({ medians, lastIn, operations }: RankTimes): number | null {
  const rank = lastIn.indexOf(Math.max(...lastIn));
  const others = medians.filter((_, r) => r !== rank);
  const isSlow = (medians[rank] ?? 0) > (1 + least) * Math.max(...others);
  return isSlow && (lastIn[rank] ?? 0) / operations >= usuallyLast ? rank : null;
}
