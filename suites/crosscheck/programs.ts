import type { CollectiveName } from '../../results/schema/index.ts';
import { isCollective } from '../../results/schema/index.ts';

/**
 * Name of the nccl-tests program by collective of collbench. alltoallv is missing, because collbench and nccl-tests choose
 * different uneven lengths and so move different data.
 */
export const programNames: Record<string, string> = {
  allreduce: 'all_reduce_perf',
  allgather: 'all_gather_perf',
  reducescatter: 'reduce_scatter_perf',
  alltoall: 'alltoall_perf',
  broadcast: 'broadcast_perf',
  reduce: 'reduce_perf',
  gather: 'gather_perf',
  scatter: 'scatter_perf',
  sendrecv: 'sendrecv_perf',
  hypercube: 'hypercube_perf',
};

/** Collectives that `crosscheck` can compare with nccl-tests, in the order of nccl-tests. */
export const comparable: readonly CollectiveName[] = Object.keys(programNames).filter(isCollective);

/** Collectives that `crosscheck` compares if the user names none: those that training jobs commonly use. */
const usual = ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast'];
export const usualCollectives: readonly CollectiveName[] = comparable.filter((name) => usual.includes(name));
