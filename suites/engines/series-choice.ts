import type { FixedChoice, RunPlan } from '../../results/schema/index.ts';

/** A choice that cannot be measured: an algorithm, protocol or number of channels, or one of them over a transport. */
export interface RejectedChoice {
  /** Requested algorithm, protocol, channels or combination that cannot be used: "ring", "nvls with LL"; or the command's name. */
  name: string;
  reason: string;
}

/** A series to measure: the choices in its name after the transport (such as "@ring/LL"), and the engine settings that it needs. */
export interface SeriesChoice {
  /** Algorithm, protocol and other choices that name the series after its transport: "@ring/LL". */
  fixed: FixedChoice;
  settings: RunPlan['settings'] | undefined;
  /**
   * Returns true if the series can be measured over a transport; absent = it can be measured over all requested transports.
   * @param transport name of the transport, of a plugin with its path: "plugin:/opt/libnet.so"
   */
  isOver?: (transport: string) => boolean;
  /**
   * Returns the choice that cannot run with this number of ranks, with the reason; null if the series can run. Absent = it can run
   * with any number.
   */
  refuses?: (ranks: number) => RejectedChoice | null;
}

/**
 * Keeps the series (algorithm, protocol, ...) that can run with every one of these numbers of ranks.
 * @param sizes number of ranks of each group
 * @returns `leftOut` has the other series, each with the first reason
 */
export function filterChoicesByGroups(
  choices: readonly SeriesChoice[],
  sizes: readonly number[],
): { choices: SeriesChoice[]; leftOut: RejectedChoice[] } {
  const why = ({ refuses = () => null }: SeriesChoice) =>
    sizes.flatMap((ranks) => refuses(ranks) ?? [])[0] ?? null;
  return {
    choices: choices.filter((choice) => why(choice) === null),
    leftOut: choices.flatMap((choice) => why(choice) ?? []),
  };
}
