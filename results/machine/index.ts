import type { MachineFacts } from '../schema/index.ts';
import { recordedEnvironment } from '../store/environment.ts';
import { type Cpu, cpuOf } from './cpu.ts';
import { type Limits, limitsOf, type Memory, memoryOf, type NumaNode, numaOf } from './memory.ts';
import { type Network, networkOf, type RdmaPort, rdmaOf } from './network.ts';
import { type PciDevice, pciOf } from './pci.ts';
import { type Iommu, iommuOf, type NvidiaDriver, ntbOf, nvidiaOf, type System, systemOf } from './system.ts';
import { Tree } from './tree.ts';

export type { Cpu } from './cpu.ts';
export type { Limits, Memory, NumaNode } from './memory.ts';
export type { Network, NetworkInterface, RdmaPort } from './network.ts';
export { type PciDevice, pciName } from './pci.ts';
export type { Iommu, System } from './system.ts';

type Library = MachineFacts['libraries'][number];
export type Gpu = NonNullable<MachineFacts['nvml']>['gpus'][number];

/** A machine as a report tells it (thesis table 5.1) and as checks look at it. What is not known is null. */
export interface Machine {
  system: System;
  cpu: Cpu;
  memory: Memory;
  numa: NumaNode[];
  limits: Limits;
  iommu: Iommu;
  pci: PciDevice[];
  network: Network;
  rdma: RdmaPort[];
  ntb: string[];
  nvidia: NvidiaDriver | null;
  /** As NVML tells them; null = it could not be asked, `nvmlMissing` says why. */
  gpus: Gpu[] | null;
  nvmlMissing: string | null;
  libraries: Library[];
  glibc: string | null;
  clock: { synchronised: boolean | null; maxErrorUs: number | null };
  /** The agent runs as root; null = not told. */
  isRoot: boolean | null;
  /** Of the agent: variables that are recorded, without secrets. */
  environment: Record<string, string>;
}

export function machineOf(facts: MachineFacts): Machine {
  const tree = new Tree(facts.files);
  const { live, nvml } = facts;
  const hasNvml = nvml !== null && nvml.missing === '';
  return {
    system: systemOf(tree),
    cpu: cpuOf(tree, live?.statLater ?? null),
    memory: memoryOf(tree, { bytes: live?.shmBytes ?? null, freeBytes: live?.shmFreeBytes ?? null }),
    numa: numaOf(tree),
    limits: limitsOf(tree),
    iommu: iommuOf(tree),
    pci: pciOf(tree),
    network: networkOf(tree),
    rdma: rdmaOf(tree),
    ntb: ntbOf(tree),
    nvidia: nvidiaOf(tree),
    gpus: hasNvml ? nvml.gpus : null,
    nvmlMissing: hasNvml ? null : (nvml?.missing ?? 'not asked'),
    libraries: facts.libraries,
    glibc: live?.glibc ?? null,
    clock: { synchronised: live?.clockSynchronised ?? null, maxErrorUs: live?.clockMaxErrorUs ?? null },
    isRoot: live?.root ?? null,
    environment: recordedEnvironment(live?.environment ?? {}),
  };
}
