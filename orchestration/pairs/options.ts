// Adapts the options of a measurement to pairs of hosts.
import { refuse } from '../../results/refusals/refusal.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import type { ParsedOptions } from '../../suites/options/parsed-options.ts';
import type { PairsChoice } from '../../suites/pairs-plan.ts';
import { requireEngineOptions } from '../../suites/planning/rules.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { hasNodes, requireHostOptions } from '../preparing/host-rules.ts';

/** Condition of --bisect under which the search treats a run as failed. */
export type PairThreshold =
  | { kind: 'fails' }
  | { kind: 'wrong' }
  /** Kind `GBps`: the bus bandwidth is below `limit`, in GB/s. Kind `us`: the time is above `limit`, in microseconds. */
  | { kind: 'GBps'; limit: number }
  | { kind: 'us'; limit: number };

export interface PairsOptions extends PairsChoice {
  /** Condition of --bisect, as typed and as parsed; null = all pairs are measured instead of a search. */
  bisect: { text: string; when: PairThreshold } | null;
}

/** Option values that `collbench pairs` fixes, because only the network path may differ between two pairs. */
export const fixedOptions = {
  launches: 1,
  precision: null,
  dtype: ['float32'],
  inPlace: [false],
  attest: false,
  batch: 0,
} satisfies Partial<MeasureOptions>;

/**
 * Changes the options in place to those that pairs need: the size, the ranks of each host, the default transport.
 * @param parsed options that the user typed, as opposed to defaults
 * @throws Refusal if options contradict each other, or leave nothing to pair
 */
export function fitToPairs(
  options: MeasureOptions,
  pairs: PairsOptions,
  parsed: ParsedOptions<Exclude<keyof MeasureOptions, 'words'>>,
): void {
  options.sizes = [pairs.size];
  requireHostOptions(options, parsed);
  requireEngineOptions(options.engine, parsed);
  const { usual } = planningEngines[options.engine];
  if (hasNodes(options)) ranksOfHosts(options, pairs);
  else if (usual.ranks !== null && (options.ranks ?? 0) < 2) throw refuse('nothing-to-pair');
  if (usual.here.length === 1) options.transport ??= [...usual.here];
  if (pairs.bisect === null) return;
  if (pairs.oneAtATime) throw refuse('search-one-at-a-time');
  const transports = options.transport?.length ?? 0;
  if (transports > 1) throw refuse('search-over-one-transport', { transports });
}

/**
 * Sets the number of ranks: one per host, or the numbers in `--hosts`. Slots in a hostfile say what a host can hold, not
 * what is wanted, so they are ignored.
 * @throws Refusal if --ranks is given, there is one host alone, or a search gets several ranks on a host
 */
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
