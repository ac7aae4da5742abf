import type { RunPlan } from '../../results/schema/index.ts';

/** What one series fixes beside its transport. */
export interface SeriesChoice {
  /** Behind the name of the transport: "", "@ring", "@LL", "@ring/LL". */
  suffix: string;
  settings: RunPlan['settings'] | undefined;
  /** Whether a transport has it; absent = all that were asked for. @param transport its name, whole */
  isOver?: (transport: string) => boolean;
  /** Why so many ranks that work together cannot take it; null where they can. Absent = any number can. */
  refuses?: (ranks: number) => string | null;
}

/**
 * What groups of these sizes can take.
 * @returns `leftOut` with the reason of each, once
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
