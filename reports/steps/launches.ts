import { median } from 'simple-statistics';
import type { SeriesGroup } from '../series.ts';

/** Time to start an empty kernel, in ns: medians over launches. */
export interface LaunchCost {
  /** Time from the call that starts the kernel until the host sees that it has ended, in ns. */
  kernelNs: number;
  /** The same time for a CUDA graph that contains one kernel; null if it was not measured. */
  graphNs: number | null;
}

/** Names of the facts in which ranks report these times (native/engines/cuda/probe.h). */
const facts = { kernelNs: 'launch.kernelNs', graphNs: 'launch.graphNs' } as const;

/** Returns the time to start a kernel on rank 0, which starts the operations; null if the engine does not measure it. */
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
