// The cause that ranks run on CPUs that are too few, shared, or far from their devices.
import type { CauseRow } from './causes.ts';
import type { Intervention } from './variants.ts';

/** For engines whose ranks compute or wait on CPUs: other CPUs for each rank. */
export const placementCause: CauseRow = {
  id: 'placement',
  title: 'the placement of ranks on CPUs',
  interventions({ options: { bind } }, { cpus, ranks }) {
    if (cpus < ranks) return { reason: `${ranks} ranks share ${cpus} CPUs; needs a CPU for each rank` };
    const changes: Intervention[] = [];
    if (bind !== undefined && bind !== 'core')
      changes.push({ title: 'a core for each rank', change: { bind: 'core' } });
    if (bind !== 'none') changes.push({ title: 'ranks not bound', change: { bind: 'none' } });
    return { changes };
  },
};

/**
 * For engines on GPUs, whose ranks are not bound unless the user asks for it, because a rank has several threads: ranks not bound,
 * and ranks near their GPUs.
 */
export const gpuPlacementCause: CauseRow = {
  ...placementCause,
  interventions({ options: { bind = 'none' } }, { numaNodes }) {
    const changes: Intervention[] = [];
    if (bind !== 'none') changes.push({ title: 'ranks not bound', change: { bind: null } });
    if (bind !== 'numa' && numaNodes > 1)
      changes.push({ title: 'ranks on the NUMA node of their GPU', change: { bind: 'numa' } });
    return changes.length > 0
      ? { changes }
      : { absent: 'the ranks are not bound, and there is one NUMA node' };
  },
};
