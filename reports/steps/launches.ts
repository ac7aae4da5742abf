import { median } from 'simple-statistics';
import type { SeriesGroup } from '../series.ts';

/** Cost of starting an empty kernel: medians over launches, ns. */
export interface LaunchCost {
  /** Time from the call until the host sees the kernel's end, ns. */
  kernelNs: number;
  /** The same time for a graph of one kernel; null if it was not measured. */
  graphNs: number | null;
}

/** Facts of engines that measure this cost (native/engines/cuda/launches.h). */
const facts = { kernelNs: 'launch.kernelNs', graphNs: 'launch.graphNs' } as const;

/** Returns the cost on rank 0, which starts the operations; null if the engine does not report it. */
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
