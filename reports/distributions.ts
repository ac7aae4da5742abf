// Distributions of the samples of each configuration, as small histograms for an HTML page. They are made from raw samples.
import { quantileSorted } from 'simple-statistics';
import { addAll } from '../results/collections.ts';
import { operationTimes } from '../results/derive/cells/operation-times.ts';
import { distributionKey } from './charts/chart.ts';
import { isOk, type ReportRun } from './series.ts';

/** Maximum number of bars in the histogram of a point's samples. */
const maxBars = 24;
/** Height of the highest bar; heights are written as one digit in base 36, so 35 is "z". */
const highest = 35;
/** Minimum number of samples for a histogram. Fewer samples show no more than their quantiles do. */
const minSamples = 12;
/**
 * Maximum number of samples of a run, over all figures and ranks, for which histograms are made. Reading more would take longer
 * than the rest of a report, so the points of such a run have only quantiles.
 */
const maxSamples = 1e6;

/**
 * Returns the histogram of each point's samples as text "FROM TO DIGITS". FROM and TO are the smallest sample and the 99th
 * percentile in ns; each digit in base 36 is the height of a bar, 35 for the highest. Samples above TO are left out. Points with
 * fewer than 12 samples, or with FROM equal to TO, have no histogram; nor have runs without stored samples or with more than a
 * million. Keys name run, configuration and trial (`distributionKey`).
 */
export async function distributionsOf(runs: readonly ReportRun[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const run of runs) {
    for (const [key, samples] of await samplesOf(run)) {
      const text = distribution(samples);
      if (text !== null) found.set(key, text);
    }
  }
  return found;
}

/**
 * Returns the samples of all launches of a run in ns, by `distributionKey`. Empty if the run does not keep its samples, if they
 * cannot be read, or if they are more than `maxSamples`.
 */
async function samplesOf({ record, cells, blocks }: ReportRun): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>();
  const due = cells
    .filter(isOk)
    .flatMap(({ figures, ranks }) =>
      figures.map((one) => (one.kind === 'measured' ? one.samples * ranks : 0)),
    );
  if (due.reduce((sum, one) => sum + one, 0) > maxSamples) return samples;
  try {
    for await (const block of blocks?.() ?? []) {
      const transport = record.plan.transports[block.transport]?.name ?? '';
      const key = distributionKey(record.id, { ...block, transport }, block.trial);
      addAll(samples, key, operationTimes(block).ns);
    }
  } catch {
    // The report needs only results, which could be read; without samples its points have no distributions.
    return new Map();
  }
  return samples;
}

export function distribution(samples: readonly number[]): string | null {
  if (samples.length < minSamples) return null;
  const sorted = samples.toSorted((a, b) => a - b);
  const from = sorted[0] ?? 0;
  const to = quantileSorted(sorted, 0.99);
  if (!(to > from)) return null;
  const bars = new Array<number>(Math.min(maxBars, Math.ceil(2 * Math.sqrt(sorted.length)))).fill(0);
  for (const value of sorted) {
    if (value > to) break;
    const bar = Math.min(bars.length - 1, Math.floor(((value - from) / (to - from)) * bars.length));
    bars[bar] = (bars[bar] ?? 0) + 1;
  }
  const most = Math.max(...bars);
  // Heights are rounded up, so that a bar of a single sample stays visible.
  const digits = bars.map((count) => Math.ceil((count / most) * highest).toString(36)).join('');
  return `${Number(from.toPrecision(4))} ${Number(to.toPrecision(4))} ${digits}`;
}
