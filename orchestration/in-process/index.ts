import { type CollectiveName, collectiveNames } from '../../results/schema/index.ts';
import type { AgentMessage, TransportCapability } from '../protocol.ts';
import { type MeasureOptions, type MeasureResult, measureCollective } from './collective.ts';
import { loadAddon } from './native.ts';

/**
 * collbench inside Node: measurements with ranks as native threads of this process, and samples of the machine's load.
 * Times are nanoseconds of CLOCK_MONOTONIC, sizes bytes; errors carry a `code` (NativeError).
 * ```ts
 * import { allreduce, transports, Sampler } from 'collbench';
 * const result = await allreduce({ count: 262144, transport: 'sisci' });
 * console.log(result.medianNs, result.interval, result.medium, result.wrongElements);
 * ```
 */
export type { BlockResult, MeasureOptions, MeasureResult } from './collective.ts';
export { InProcessLaunch } from './in-process.ts';
export { NativeError } from './native.ts';
export {
  type ChannelReading,
  type Sample,
  type SampleChannel,
  type SampleRow,
  Sampler,
  type SamplerOptions,
} from './sampler.ts';

/** Measures allreduce: every rank gets the reduction of all ranks' vectors of `count` elements. Rejects as measure() does. */
export const allreduce = (options: MeasureOptions): Promise<MeasureResult> =>
  measureCollective('allreduce', options);

/** Measures allgather: every rank gets all ranks' parts of `count` elements each, in rank order. Rejects as measure() does. */
export const allgather = (options: MeasureOptions): Promise<MeasureResult> =>
  measureCollective('allgather', options);

/** Measures reduce-scatter: rank r gets the r-th part, of `count` elements, of the reduction. Rejects as measure() does. */
export const reducescatter = (options: MeasureOptions): Promise<MeasureResult> =>
  measureCollective('reducescatter', options);

/** Measures broadcast: every rank gets the root's vector of `count` elements. Rejects as measure() does. */
export const broadcast = (options: MeasureOptions): Promise<MeasureResult> =>
  measureCollective('broadcast', options);

/** Measures reduce: the root gets the reduction of all ranks' vectors of `count` elements. Rejects as measure() does. */
export const reduce = (options: MeasureOptions): Promise<MeasureResult> =>
  measureCollective('reduce', options);

/**
 * Measures the collective with this name.
 * @throws {RangeError} if an option is out of its range
 * @throws {NativeError} `invalid_argument` for a name that collectives() does not return; other codes if measuring fails
 */
export const measure = (collective: CollectiveName, options: MeasureOptions): Promise<MeasureResult> =>
  measureCollective(collective, options);

/**
 * Returns the names of the collectives that ranks in this process can run. GPUs support more (`collbench --engine nccl`).
 * @throws {NativeError} `unavailable` without collbench.node
 */
export function collectives(): CollectiveName[] {
  const offered = hello().engines.find(({ name }) => name === 'cpu')?.offers.collective?.collective ?? [];
  return collectiveNames.filter((name) => offered.includes(name));
}

/**
 * Returns all transports that collbench knows: whether each can run on this machine and, if not, the reason and a remedy.
 * @throws {NativeError} `unavailable` without collbench.node
 */
export const transports = (): TransportCapability[] => hello().transports;

const hello = () => JSON.parse(loadAddon().hello()) as Extract<AgentMessage, { type: 'hello' }>;
