// Selects the series of a run: every transport with every algorithm or protocol choice that the ranks support.
import { refuse } from '../../results/refusals/refusal.ts';
import { type GroupsPlan, seriesNameText, type TransportPlan } from '../../results/schema/index.ts';
import { amongRanks, rejectionTexts, type SeriesChoice } from '../../suites/engines/index.ts';
import { transportOptions } from '../../suites/transports/index.ts';
import { detailOver, type Engine } from '../engines/engine.ts';
import type { MeasureOptions } from '../engines/index.ts';
import type { ProbedHosts } from './probe-hosts.ts';

/**
 * The choices (algorithm, protocol and so on) that all groups can use; without groups, that all ranks can use.
 * @throws Refusal if no choice is left
 */
export function requirePossibleChoices(
  command: string,
  { engine }: Pick<MeasureOptions, 'engine'>,
  choices: readonly SeriesChoice[],
  groups: GroupsPlan | undefined,
  ranks: number,
): ReturnType<typeof amongRanks> {
  const possible = amongRanks(choices, groups?.members.map((one) => one.ranks.length) ?? [ranks]);
  if (possible.choices.length === 0) {
    const leftOut = rejectionTexts(possible.leftOut);
    throw refuse('engine-has-no-series', { engine, collective: command, leftOut });
  }
  return possible;
}

/**
 * One series (a curve of the result) for every combination of transport and choice (algorithm, protocol and so on). The
 * descriptions of transports come from the probe of the first host.
 */
export function seriesPlans(
  engine: Engine,
  { names, hosts }: ProbedHosts,
  choices: readonly SeriesChoice[],
  options: MeasureOptions,
  hostCount: number,
): TransportPlan[] {
  return (hosts[0]?.result.probed ?? []).flatMap((capability, i) => {
    const name = names[i] ?? capability.name;
    const given = transportOptions(name, options);
    const network = engine.networkOf(name, capability);
    const isBound = given.interface !== undefined;
    return choices
      .filter(({ isOver = () => true }) => isOver(name))
      .map(
        ({ fixed, settings }): TransportPlan => ({
          name: seriesNameText({ transport: name, ...fixed }),
          medium: capability.medium,
          detail: detailOver(engine, hostCount, isBound, capability),
          options: given,
          ...(settings === undefined ? {} : { settings }),
          ...(network === undefined ? {} : { network }),
        }),
      );
  });
}
