import type { Engine } from './engine.ts';
import { gpuEngine } from './gpu-engine.ts';
import { gpuEngineHosts } from './gpu-hosts.ts';
import { definedFacts, factsIn, type NcclFacts } from './nccl/facts.ts';

const found = (facts: NcclFacts): string =>
  facts['nvshmem.path'] === undefined
    ? 'no NVSHMEM found'
    : `NVSHMEM ${facts['nvshmem.version'] ?? '(version unknown)'} of ${facts['nvshmem.path']}, found by ${facts['nvshmem.how'] ?? 'search'}`;

const common = gpuEngine({
  name: 'nvshmem',
  engineHosts: gpuEngineHosts,
  library: (facts) =>
    facts['nvshmem.path'] === undefined ? 'no NVSHMEM' : `NVSHMEM ${facts['nvshmem.version'] ?? ''}`.trim(),
  linesBefore: (facts) => [
    `engine nvshmem: ${found(facts)}`,
    `  nvcc: ${facts['nvcc.path'] ?? 'none found'}`,
  ],
  summaries: {
    p2p: 'GPU to GPU on one machine, by loads and stores over NVLink or PCIe',
    ibgda: "NVSHMEM's own IBGDA: GPUs write the queues of a ConnectX, or of its emulation softmlx5",
  },
});

/** Engine for NVSHMEM on the GPUs of one machine. */
export const nvshmem: Engine = {
  ...common,
  async versions(plan, hosts, isHere) {
    const facts = hosts[0] === undefined ? {} : factsIn(hosts[0]);
    const own = definedFacts([
      ['nvshmem', facts['nvshmem.version']],
      ['nvshmem.path', facts['nvshmem.path']],
      ['nvcc', facts['nvcc.path']],
    ]);
    return { ...own, ...(await common.versions(plan, hosts, isHere)) };
  },
};
