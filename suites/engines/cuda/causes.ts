import { isCollective } from '../../../results/schema/index.ts';
import { algorithmCause } from '../../explain/algorithm-cause.ts';
import type { CauseRow } from '../../explain/causes.ts';
import { queueingCause, sharedGpuCause } from '../../explain/gpu-causes.ts';
import { machineCauses } from '../../explain/machine-causes.ts';
import { networkCauses } from '../../explain/network-causes.ts';
import { gpuPlacementCause } from '../../explain/placement-cause.ts';
import { algorithmsFor } from '../named-series.ts';
import { cudaAlgorithms } from './series.ts';

/**
 * Options about the grid of a kernel, with the name that users read and values to try. The engine's own choice was measured on H200
 * GPUs, so other GPUs may need another one.
 */
const gridOptions = [
  { key: 'blocks', title: 'blocks', values: ['16', '64'] },
  { key: 'threads', title: 'threads in a block', values: ['256', '1024'] },
] as const;

/**
 * Possible causes of lost time in the cuda engine, with their experiments. Causes that no recorded figure speaks for are tried in
 * this order.
 */
export const cudaCauses: readonly CauseRow[] = [
  ...networkCauses,
  queueingCause({ hasGraph: false }),
  algorithmCause((collective, { transport }) =>
    // Over ibgda the size decides the algorithm.
    transport === 'p2p' ? algorithmsFor(cudaAlgorithms, collective) : [],
  ),
  {
    id: 'grid',
    title: 'the grid of the kernel',
    interventions({ command, transport, options }) {
      if (!isCollective(command) || transport !== 'p2p')
        return { absent: 'only collectives over p2p have a choice of grids' };
      return {
        changes: gridOptions.flatMap(({ key, title, values }) => {
          const typed = options[key];
          const own = { title: `the engine's number of ${title}`, change: { [key]: null } };
          return [
            ...(typed === undefined ? [] : [own]),
            ...values
              .filter((value) => value !== typed)
              .map((value) => ({ title: `${value} ${title}`, change: { [key]: value } })),
          ];
        }),
      };
    },
  },
  sharedGpuCause,
  gpuPlacementCause,
  ...machineCauses,
];
