import type { CollectiveName } from '../../results/schema/index.ts';
import { isCollective } from '../../results/schema/index.ts';

/**
 * Our name of a collective, nccl-tests' name of its program. alltoallv is not among them: each side has uneven lengths
 * of its own, so the two move different data.
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

/** Collectives that both sides have, in nccl-tests' order. */
export const comparable: readonly CollectiveName[] = Object.keys(programNames).filter(isCollective);

/** Measured when none is named: those every training job uses. */
const usual = ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast'];
export const usualCollectives: readonly CollectiveName[] = comparable.filter((name) => usual.includes(name));
