// How the samples of each configuration are distributed, short enough for a page: of figures with raw samples.
import { quantileSorted } from 'simple-statistics';
import { headlines } from '../results/derive/headline.ts';
import type { BlockRecord } from '../results/schema/index.ts';
import { distributionKey } from './charts/chart.ts';
import { isOk, type ReportRun } from './series.ts';

/** Bars of a distribution at most. */
const mostBars = 24;
/** Heights of bars are digits up to z. */
const highest = 35;
/** Fewer show nothing that the quantiles do not. */
const fewestSamples = 12;
/** Reading more would take longer than the rest of a report: its points have quantiles alone. */
const mostSamples = 1e6;

/** By `distributionKey`: "FROM TO DIGITS", from the smallest sample to the 99th percentile, ns. */
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

/** Of all launches together; none where blocks are not kept, cannot be read, or are too many. */
async function samplesOf({ record, cells, blocks }: ReportRun): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>();
  const due = cells
    .filter(isOk)
    .flatMap(({ figures, ranks }) =>
      figures.map((one) => (one.kind === 'measured' ? one.samples * ranks : 0)),
    );
  if (due.reduce((sum, one) => sum + one, 0) > mostSamples) return samples;
  try {
    for await (const block of blocks?.() ?? []) {
      const key = keyOf(record.id, record.plan.transports[block.transport]?.name ?? '', block);
      const known = samples.get(key);
      const { ns } = headlines(block);
      if (known === undefined) samples.set(key, ns);
      else known.push(...ns);
    }
  } catch {
    // Figures come from the cells, which were read; the points go without their samples.
    return new Map();
  }
  return samples;
}

const keyOf = (run: string, transport: string, { point, group, trial }: BlockRecord): string =>
  distributionKey(run, { point, transport, group }, trial);

export function distribution(samples: readonly number[]): string | null {
  if (samples.length < fewestSamples) return null;
  const sorted = samples.toSorted((a, b) => a - b);
  const from = sorted[0] ?? 0;
  const to = quantileSorted(sorted, 0.99);
  if (!(to > from)) return null;
  const bars = new Array<number>(Math.min(mostBars, Math.ceil(2 * Math.sqrt(sorted.length)))).fill(0);
  for (const value of sorted) {
    if (value > to) break;
    const bar = Math.min(bars.length - 1, Math.floor(((value - from) / (to - from)) * bars.length));
    bars[bar] = (bars[bar] ?? 0) + 1;
  }
  const most = Math.max(...bars);
  // A single sample must be seen.
  const digits = bars.map((count) => Math.ceil((count / most) * highest).toString(36)).join('');
  return `${Number(from.toPrecision(4))} ${Number(to.toPrecision(4))} ${digits}`;
}
