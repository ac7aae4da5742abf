// Adapts the options of a measurement to pairs of hosts.
import { refuse } from '../../results/refusals/refusal.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import type { ParsedOptions } from '../../suites/options/parsed-options.ts';
import type { PairsChoice } from '../../suites/pairs-plan.ts';
import { requireEngineOptions } from '../../suites/planning/rules.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { hasNodes, requireHostOptions } from '../preparing/host-rules.ts';

/**
 * Condition of --bisect, under which a search counts a run as bad. A run that fails or has wrong data is bad with
 * every condition, and with `fails` and `wrong` no other run is. With `GBps` and `us` a run that is too slow is bad, too.
 */
export type PairThreshold =
  | { kind: 'fails' }
  | { kind: 'wrong' }
  /**
   * Kind `GBps`: the bus bandwidth is below `limit`, in GB/s. Kind `us`: the time of an operation is above `limit`, in
   * microseconds.
   */
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
 * Changes the options, in the given object, to those that pairs need: the size, the ranks of each host, the default transport.
 * fixedOptions are not among them.
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
 * Sets the number of ranks per host, in the given options: one, or the numbers of slots in `--hosts`. Slots in a hostfile are
 * ignored, because they say how many ranks a host can hold, not how many are wanted.
 * @throws Refusal if --ranks is given, --hosts names only one host, or a search has several ranks on a host
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
