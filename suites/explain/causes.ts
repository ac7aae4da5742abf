// Suspected causes of lost time: a row of an engine says by which changes of the command each could go.
import type { ExplainedOperation, OptionChange } from './variants.ts';

/** Changes of the command that may take the cause away, or the reason why none can be tried. */
export type Interventions = { changes: readonly Intervention[] } | { reason: string };

export interface Intervention {
  /** The change in words: "algorithm direct". */
  title: string;
  change: OptionChange;
}

/** CPUs of the machines of a run. */
export interface CpuCounts {
  /** CPUs that the ranks may use, on the host that has the fewest. */
  cpus: number;
  /** Most ranks on one host. */
  ranks: number;
}

export interface CauseRow {
  id: string;
  /** The cause as a noun phrase. */
  title: string;
  interventions(operation: ExplainedOperation, cpus: CpuCounts): Interventions;
}
