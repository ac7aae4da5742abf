// Coverage on samples recorded on real machines. Blocks of each launch are resampled with replacement, and the interval of the
// new samples must contain the median of all.
import path from 'node:path';
import { median } from 'simple-statistics';
import { medianInterval, operationTimes } from '../../../results/derive/index.ts';
import { openRun } from '../../../results/store/read.ts';
import { root } from '../../e2e/harness.ts';
import type { IntervalCoverage } from './coverage.ts';
import { RandomDraws, shareOf } from './random.ts';

export const recordedRuns = ['nccl-2-h200', 'nccl-4-h200'];
const minSamples = 60;
/** Length of resampled blocks, long enough to keep the correlation of neighbours. */
const blockLength = 10;

/** Samples of each launch in the order of time, by transport and trial. */
async function seriesOf(name: string): Promise<Map<string, number[][]>> {
  const run = await openRun(path.join(root, 'results', 'reference', name));
  const launches = new Map<string, { kind: string; ns: number[] }>();
  for await (const block of run.blocks()) {
    if (block.trial === 'attest') continue;
    const transport = run.record.plan.transports[block.transport]?.name ?? '';
    const key = `${block.point} ${block.transport} ${block.launch} ${block.trial}`;
    const entry = launches.get(key) ?? { kind: `${transport}, ${block.trial}`, ns: [] };
    entry.ns.push(...operationTimes(block).ns);
    launches.set(key, entry);
  }
  const kinds = new Map<string, number[][]>();
  for (const { kind, ns } of launches.values()) {
    if (ns.length >= minSamples) kinds.set(kind, [...(kinds.get(kind) ?? []), ns]);
  }
  return kinds;
}

/**
 * Removes the steps of the clock, because intervals cover more often if many samples are equal. Each sample is moved randomly
 * within its step, which is the smallest difference of two samples.
 * @returns null if all samples are equal: every interval would contain their median
 */
function withoutSteps(ns: readonly number[], draws: RandomDraws): number[] | null {
  const distinct = [...new Set(ns)].sort((a, b) => a - b);
  const stepNs = Math.min(...distinct.slice(1).map((one, i) => one - (distinct[i] as number)));
  return Number.isFinite(stepNs) ? ns.map((one) => one + (draws.uniform() - 0.5) * stepNs) : null;
}

export async function simulateRecordedRuns(repetitions: number): Promise<IntervalCoverage[]> {
  const found: IntervalCoverage[] = [];
  for (const name of recordedRuns) {
    for (const [kind, series] of await seriesOf(name)) {
      const draws = new RandomDraws(20260105);
      let hits = 0;
      let all = 0;
      const widths: number[] = [];
      for (const recorded of series) {
        const ns = withoutSteps(recorded, draws);
        if (ns === null) continue;
        const truth = median(ns);
        for (let i = 0; i < repetitions; i += 1) {
          const drawn = Array.from({ length: Math.ceil(ns.length / blockLength) }, () => {
            const from = draws.below(ns.length);
            return Array.from({ length: blockLength }, (_, k) => ns[(from + k) % ns.length] as number);
          }).flat();
          const interval = medianInterval(drawn, 0);
          if (interval === null) continue;
          all += 1;
          if (interval.low <= truth && truth <= interval.high) hits += 1;
          widths.push((interval.high - interval.low) / 2 / truth);
        }
      }
      if (all === 0) continue;
      const what = `${name}: ${kind}, ${series.length} launches of ${Math.min(...series.map((s) => s.length))} samples or more`;
      found.push({ what, covered: shareOf(hits, all), halfWidth: median(widths) });
    }
  }
  return found;
}
