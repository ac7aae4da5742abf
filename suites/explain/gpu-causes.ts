// Causes of lost time that engines on GPUs have in common.
import { formatTime } from '../../results/units.ts';
import type { CauseRow } from './causes.ts';
import type { Intervention } from './variants.ts';

/**
 * The cause that the host needs longer to queue an operation than the GPU to execute it, so that operations back to back wait for
 * the host. Experiments: operations queued as a CUDA graph, if the engine has option --graph, and operations that are queued before
 * the first of them starts.
 */
export const queueingCause = ({ hasGraph }: { hasGraph: boolean }): CauseRow => ({
  id: 'queueing',
  title: 'queueing of operations by the host',
  suspicion({ queueing }) {
    if (queueing === undefined || queueing.hostNs <= queueing.deviceNs) return null;
    const { hostNs, deviceNs } = queueing;
    return {
      share: 1 - deviceNs / hostNs,
      text: `the host needs ${formatTime(hostNs)} to queue an operation that takes ${formatTime(deviceNs)}`,
    };
  },
  interventions({ queueing, options: { graph } }) {
    const changes: Intervention[] = [];
    if (hasGraph && graph === undefined)
      changes.push({ title: 'operations queued as one CUDA graph', change: { graph: 'true' } });
    if (queueing !== undefined && queueing.hostNs > queueing.deviceNs)
      changes.push({ title: 'operations queued before they start', change: {}, filter: 'queued-before' });
    if (changes.length > 0) return { changes };
    if (graph !== undefined) return { absent: 'the operations are queued as a CUDA graph' };
    if (queueing === undefined) return { reason: 'the time to queue an operation was not recorded' };
    const { hostNs, deviceNs } = queueing;
    return {
      absent: `the host needs ${formatTime(hostNs)} to queue an operation that takes ${formatTime(deviceNs)}`,
    };
  },
});

export const coldCacheCause: CauseRow = {
  id: 'cache',
  title: 'buffers that no cache holds',
  interventions: ({ options: { cache } }) =>
    cache === 'hot'
      ? { absent: 'all calls use the same buffers' }
      : { changes: [{ title: 'the same buffers in all calls', change: { cache: 'hot' } }] },
};

const sharingTexts = {
  turns: 'they take turns: the times, also that of the bound, are its time slices',
  mps: 'they use it at the same time (CUDA MPS) and share its processors and memory bandwidth, also in the bound',
};

export const sharedGpuCause: CauseRow = {
  id: 'shared-gpu',
  title: 'ranks that share a GPU',
  suspicion: ({ sharesGpu }) =>
    sharesGpu === undefined
      ? null
      : { share: sharesGpu === 'turns' ? 1 : 0.5, text: sharingTexts[sharesGpu] },
  interventions: ({ sharesGpu }) =>
    sharesGpu === undefined ? { absent: 'each rank has a GPU' } : { reason: 'needs a GPU for each rank' },
};
