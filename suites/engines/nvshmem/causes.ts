import { algorithmCause } from '../../explain/algorithm-cause.ts';
import type { CauseRow } from '../../explain/causes.ts';
import { environmentCause } from '../../explain/environment-cause.ts';
import { coldCacheCause, queueingCause } from '../../explain/gpu-causes.ts';
import { machineCauses } from '../../explain/machine-causes.ts';
import { networkCauses } from '../../explain/network-causes.ts';
import { gpuPlacementCause } from '../../explain/placement-cause.ts';
import { algorithmsFor } from '../named-series.ts';
import { nvshmemAlgorithms } from './series.ts';

/** Environment variables that limit NVSHMEM's choices, for tuning or for tests. */
const limits: readonly string[] = [
  'NVSHMEM_DISABLE_P2P',
  'NVSHMEM_DISABLE_NCCL',
  'NVSHMEM_BCAST_ALGO',
  'NVSHMEM_IBGDA_NUM_RC_PER_PE',
  'NVSHMEM_IBGDA_NUM_DCI',
];

/**
 * Possible causes of lost time in NVSHMEM and in kernels that use it, with their experiments. Grids are no cause, because the engine
 * tries them for every size.
 */
export const nvshmemCauses: readonly CauseRow[] = [
  ...networkCauses,
  environmentCause('NVSHMEM', (name) => limits.includes(name)),
  queueingCause({ hasGraph: true }),
  algorithmCause((collective) => algorithmsFor(nvshmemAlgorithms, collective)),
  coldCacheCause,
  gpuPlacementCause,
  ...machineCauses,
];
