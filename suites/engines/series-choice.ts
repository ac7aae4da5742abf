import type { FixedChoice, RunPlan } from '../../results/schema/index.ts';

/** Settings and name of one series; the transport is chosen separately. */
export interface SeriesChoice {
  /** Part of the series' name that follows the transport. */
  fixed: FixedChoice;
  settings: RunPlan['settings'] | undefined;
  /**
   * Returns true if a transport supports the series; absent = all requested transports support it.
   * @param transport full name of the transport
   */
  isOver?: (transport: string) => boolean;
  /**
   * Returns the reason why the series cannot run with this number of ranks; null if it can. Absent = it runs with any number.
   */
  refuses?: (ranks: number) => string | null;
}

/**
 * The series that can run with each of these numbers of ranks (one number per group).
 * @returns `leftOut` has the reasons of all others, each reason once
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
