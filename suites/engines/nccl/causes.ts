import { isCollective } from '../../../results/schema/index.ts';
import { joinWords } from '../../../results/units.ts';
import type { CauseRow } from '../../explain/causes.ts';
import { networkCauses } from '../../explain/network-causes.ts';
import type { Intervention } from '../../explain/variants.ts';
import { ncclAlgorithmNames, ncclProtocolNames, seriesOf } from './series.ts';

/**
 * Environment variables that limit NCCL's choices, for tuning or for tests. `collbench explain` may remove them, because NCCL runs
 * on any machine without them. Variables that work around hardware faults, such as NCCL_NVLS_ENABLE, are not in the list.
 */
const limits = [
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

const limitsIn = (environment: Readonly<Record<string, string>>): string[] =>
  limits.filter((name) => name in environment);

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

const sharingTexts = {
  turns: 'they take turns: the times, also that of the bound, are its time slices',
  mps: 'they use it at the same time (CUDA MPS) and share its processors and memory bandwidth, also in the bound',
};

/**
 * Possible causes of lost time in NCCL, with their experiments. Causes that no recorded figure speaks for are tried in this order.
 */
export const ncclCauses: readonly CauseRow[] = [
  ...networkCauses,
  {
    id: 'environment',
    title: "variables that limit NCCL's choices",
    suspicion({ environment }) {
      const found = limitsIn(environment).map((name) => `${name}=${environment[name]}`);
      return found.length === 0 ? null : { share: 1, text: `${joinWords(found)} in the environment` };
    },
    interventions({ environment }) {
      const found = limitsIn(environment);
      if (found.length === 0) return { absent: 'none is set' };
      return {
        changes: found.map((name) => ({
          title: `without ${name}=${environment[name]}`,
          change: {},
          unset: [name],
        })),
      };
    },
  },
  {
    id: 'queueing',
    title: 'queueing of operations by the host',
    interventions: ({ options: { graph } }) =>
      graph === undefined
        ? { changes: [{ title: 'operations queued as one CUDA graph', change: { graph: 'true' } }] }
        : { absent: 'the operations are queued as a CUDA graph' },
  },
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
    id: 'registration',
    title: 'buffers that NCCL does not know in advance',
    interventions: ({ options: { register, deviceApi } }) =>
      deviceApi !== undefined || (register !== undefined && register !== 'none')
        ? { absent: 'the buffers are registered' }
        : { changes: [{ title: 'registered buffers', change: { register: 'local' } }] },
  },
  {
    id: 'cache',
    title: 'buffers that no cache holds',
    interventions: ({ options: { cache } }) =>
      cache === 'hot'
        ? { absent: 'all calls use the same buffers' }
        : { changes: [{ title: 'the same buffers in all calls', change: { cache: 'hot' } }] },
  },
  {
    id: 'shared-gpu',
    title: 'ranks that share a GPU',
    suspicion: ({ sharesGpu }) =>
      sharesGpu === undefined
        ? null
        : { share: sharesGpu === 'turns' ? 1 : 0.5, text: sharingTexts[sharesGpu] },
    interventions: ({ sharesGpu }) =>
      sharesGpu === undefined ? { absent: 'each rank has a GPU' } : { reason: 'needs a GPU for each rank' },
  },
];
