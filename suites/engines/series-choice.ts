import type { RunPlan } from '../../results/schema/index.ts';

/** Settings and name of one series; the transport is chosen separately. */
export interface SeriesChoice {
  /** Text after the transport name: "", "@ring", "@LL", "@ring/LL". */
  suffix: string;
  settings: RunPlan['settings'] | undefined;
  /**
   * Whether a transport supports the series; absent = all requested transports do.
   * @param transport full name of the transport
   */
  isOver?: (transport: string) => boolean;
  /** Reason why a set of this many ranks cannot use the series; null if it can. Absent = any number of ranks can. */
  refuses?: (ranks: number) => string | null;
}

/**
 * The choices that sets of all these sizes can use.
 * @returns `leftOut` has each reason once
 */
export function filterChoicesByGroups(
  choices: readonly SeriesChoice[],
  sizes: readonly number[],
): { choices: SeriesChoice[]; leftOut: string[] } {
  const why = ({ refuses = () => null }: SeriesChoice) =>
    sizes.flatMap((ranks) => refuses(ranks) ?? [])[0] ?? null;
  return {
    choices: choices.filter((choice) => why(choice) === null),
    leftOut: [...new Set(choices.flatMap((choice) => why(choice) ?? []))],
  };
}
