import { median } from 'simple-statistics';
import type { SeriesGroup } from '../series.ts';

/** What it costs to start an empty kernel here, medians over launches, ns. */
export interface LaunchCost {
  /** From the call until the host sees its end. */
  kernelNs: number;
  /** The same of a graph of one kernel; null where it was not measured. */
  graphNs: number | null;
}

/** Facts of engines that measure it (native/engines/cuda/launches.h). */
const facts = { kernelNs: 'launch.kernelNs', graphNs: 'launch.graphNs' } as const;

/** On rank 0, which starts the operations; null for engines that say nothing of it. */
export function launchCostOf({ series }: SeriesGroup): LaunchCost | null {
  const runs = [...new Set(series.map(({ run }) => run))];
  const seen = (name: string): number[] =>
    runs.flatMap(({ launches }) =>
      launches.flatMap(({ ranks }) => {
        const ns = Number(ranks.find(({ rank }) => rank === 0)?.facts?.[name]);
        return ns > 0 ? [ns] : [];
      }),
    );
  const [kernel, graph] = [seen(facts.kernelNs), seen(facts.graphNs)];
  return kernel.length === 0
    ? null
    : { kernelNs: median(kernel), graphNs: graph.length === 0 ? null : median(graph) };
}
