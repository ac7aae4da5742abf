import { transportOptions } from '../../suites/transports/index.ts';
import { gpuEngine } from './gpu-engine.ts';
import { gpuEngineHosts } from './gpu-hosts.ts';

/** Engine for collbench's own GPU kernels: on one machine over p2p and ibgda, between machines over ibgda. */
export const cuda = gpuEngine({
  name: 'cuda',
  engineHosts: gpuEngineHosts,
  library: null,
  linesBefore: (facts) => [
    `engine cuda: kernels of collbench, compiled by ${facts['nvrtc.path'] ?? 'NVRTC, which is missing'}`,
  ],
  summaries: {
    p2p: 'GPU to GPU on one machine, by loads and stores over NVLink or PCIe',
    ibgda: 'kernels write and ring the queues of the adapter',
  },
  optionsFor: transportOptions,
});
