// Adapts the options of a measurement to pairs of hosts.
import { refuse } from '../../results/refusals/refusal.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import type { ParsedOptions } from '../../suites/options/parsed-options.ts';
import type { PairsChoice } from '../../suites/pairs-plan.ts';
import { requireEngineOptions } from '../../suites/planning/rules.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { hasNodes, requireHostOptions } from '../preparing/host-rules.ts';

/** Condition under which a search counts a run as bad. */
export type PairThreshold =
  | { kind: 'fails' }
  | { kind: 'wrong' }
  /** Bad if the bus bandwidth is below `limit`, GB/s. Kind `us`: bad if the time is above `limit`, microseconds. */
  | { kind: 'GBps'; limit: number }
  | { kind: 'us'; limit: number };

export interface PairsOptions extends PairsChoice {
  /** Condition of --bisect, as typed and as parsed; null = no search. */
  bisect: { text: string; when: PairThreshold } | null;
}

/** Options that are fixed for pairs: only the network path between two ranks may differ. */
export const fixedOptions = {
  launches: 1,
  precision: null,
  dtype: ['float32'],
  inPlace: [false],
  attest: false,
  batch: 0,
} satisfies Partial<MeasureOptions>;

/**
 * Changes options to suit pairs.
 * @throws Refusal if options contradict each other
 */
export function fitToPairs(
  options: MeasureOptions,
  pairs: PairsOptions,
  said: ParsedOptions<Exclude<keyof MeasureOptions, 'words'>>,
): void {
  options.sizes = [pairs.size];
  requireHostOptions(options, said);
  requireEngineOptions(options.engine, said);
  const { usual } = planningEngines[options.engine];
  if (hasNodes(options)) ranksOfHosts(options, pairs);
  else if (usual.ranks !== null && (options.ranks ?? 0) < 2) throw refuse('nothing-to-pair');
  if (usual.here.length === 1) options.transport ??= [...usual.here];
  if (pairs.bisect === null) return;
  if (pairs.oneAtATime) throw refuse('search-one-at-a-time');
  const transports = options.transport?.length ?? 0;
  if (transports > 1) throw refuse('search-over-one-transport', { transports });
}

/** Sets one rank per host, or the number in `--hosts`. Slots in a hostfile are capacity, not a request, so they are ignored. */
function ranksOfHosts(options: MeasureOptions, { bisect }: PairsOptions): void {
  const { hosts, ranks } = options;
  if (ranks !== null) throw refuse('ranks-and-hosts-paired');
  if (hosts?.length === 1) throw refuse('one-host-no-pairs');
  const many = hosts?.find(({ slots }) => slots !== null && slots > 1);
  if (hosts === null || many === undefined) {
    options.ranksPerNode = 1;
    return;
  }
  if (bisect !== null) throw refuse('search-takes-one-rank', { host: many.name, slots: many.slots ?? 1 });
  options.hosts = hosts.map((host) => ({ ...host, slots: host.slots ?? 1 }));
}
