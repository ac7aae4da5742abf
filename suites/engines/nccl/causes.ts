import { isCollective } from '../../../results/schema/index.ts';
import type { CauseRow } from '../../explain/causes.ts';
import { environmentCause } from '../../explain/environment-cause.ts';
import { coldCacheCause, queueingCause, sharedGpuCause } from '../../explain/gpu-causes.ts';
import { machineCauses } from '../../explain/machine-causes.ts';
import { networkCauses } from '../../explain/network-causes.ts';
import { gpuPlacementCause } from '../../explain/placement-cause.ts';
import type { Intervention } from '../../explain/variants.ts';
import { ncclAlgorithmNames, ncclProtocolNames, seriesOf } from './series.ts';

/**
 * Environment variables that limit NCCL's choices, for tuning or for tests. `collbench explain` may remove them, because NCCL runs
 * on any machine without them. Variables that work around hardware faults, such as NCCL_NVLS_ENABLE, are not in the list.
 */
const limits: readonly string[] = [
  'NCCL_ALGO',
  'NCCL_PROTO',
  'NCCL_MIN_NCHANNELS',
  'NCCL_MAX_NCHANNELS',
  'NCCL_MIN_CTAS',
  'NCCL_MAX_CTAS',
  'NCCL_NTHREADS',
  'NCCL_BUFFSIZE',
  'NCCL_P2P_LEVEL',
  'NCCL_P2P_NET_CHUNKSIZE',
  'NCCL_P2P_NVL_CHUNKSIZE',
  'NCCL_NSOCKS_PERTHREAD',
  'NCCL_SOCKET_NTHREADS',
  'NCCL_IB_QPS_PER_CONNECTION',
  'NCCL_IB_SPLIT_DATA_ON_QPS',
  'NCCL_CROSS_NIC',
  'NCCL_NET_GDR_LEVEL',
];

/**
 * Algorithms and protocols that `collbench explain` tries. CollNet and NVLS are left out: they need special hardware, and NCCL
 * chooses them by itself where the hardware exists. LL128 is left out because it needs stores of 128 bytes that arrive whole. NCCL
 * uses it where it knows that they do; forced elsewhere, it corrupts data (seen over sockets with two ranks on one GPU).
 */
const [algorithms, protocols] = [
  ncclAlgorithmNames.filter((name) => ['ring', 'tree', 'pat'].includes(name)),
  ncclProtocolNames.filter((name) => !['auto', 'LL128'].includes(name)),
];

/**
 * Changes of the command that try other values of an option: first no value, so that NCCL chooses, if the user typed another one
 * than "auto"; then each of `others`.
 * @param key name of the option, without the leading `--`
 * @param title name of the option in texts, such as "algorithm"
 * @param typed value that the user gave; undefined = none
 * @param others values of the option to try, in this order
 */
const choices = (
  key: 'algo' | 'proto',
  title: string,
  typed: string | undefined,
  others: readonly string[],
) => [
  ...(typed === undefined || typed === 'auto'
    ? []
    : [{ title: `NCCL's choice of ${title}`, change: { [key]: null } }]),
  ...others.map((name): Intervention => ({ title: `${title} ${name}`, change: { [key]: name } })),
];

/**
 * Possible causes of lost time in NCCL, with their experiments. Causes that no recorded figure speaks for are tried in this order.
 */
export const ncclCauses: readonly CauseRow[] = [
  ...networkCauses,
  environmentCause('NCCL', (name) => limits.includes(name)),
  queueingCause({ hasGraph: true }),
  {
    id: 'algorithm',
    title: 'the algorithm',
    interventions({ command, algorithm, options: { algo } }) {
      if (!isCollective(command)) return { absent: `${command} has no algorithm to choose` };
      const others = algorithms.filter(
        (name) => name !== algorithm.toLowerCase() && seriesOf(command, [name], ['auto']).series.length > 0,
      );
      if (others.length === 0) return { absent: `NCCL has one algorithm for ${command}` };
      return { changes: choices('algo', 'algorithm', algo, others) };
    },
  },
  {
    id: 'protocol',
    title: 'the protocol',
    interventions({ command, options: { proto } }) {
      if (!isCollective(command)) return { absent: `${command} has no protocol to choose` };
      const others = protocols.filter(
        (name) => name !== proto && seriesOf(command, ['auto'], [name]).series.length > 0,
      );
      if (others.length === 0) return { absent: `NCCL chooses no protocol for ${command}` };
      return { changes: choices('proto', 'protocol', proto, others) };
    },
  },
  {
    id: 'transport',
    title: 'the path between the GPUs',
    interventions({ transport, hosts = [], sharesGpu }) {
      if (transport === 'p2p') return { absent: 'the GPUs access each other directly' };
      if (hosts.length > 1) return { absent: 'the GPUs are in several hosts' };
      if (sharesGpu !== undefined) return { reason: 'p2p needs a GPU for each rank' };
      return { changes: [{ title: 'transport p2p', change: { transport: 'p2p' } }] };
    },
  },
  {
    id: 'registration',
    title: 'buffers that NCCL does not know in advance',
    interventions: ({ options: { register, deviceApi } }) =>
      deviceApi !== undefined || (register !== undefined && register !== 'none')
        ? { absent: 'the buffers are registered' }
        : { changes: [{ title: 'registered buffers', change: { register: 'local' } }] },
  },
  coldCacheCause,
  sharedGpuCause,
  gpuPlacementCause,
  ...machineCauses,
];
