import type { RunPlan } from '../../results/schema/index.ts';

/** What one series fixes beside its transport. */
export interface SeriesChoice {
  /** Behind the name of the transport: "", "@ring", "@LL", "@ring/LL". */
  suffix: string;
  settings: RunPlan['settings'] | undefined;
  /** Whether a transport has it; absent = all that were asked for. @param transport its name, whole */
  isOver?: (transport: string) => boolean;
}
