import type { MachineFacts } from '../schema/index.ts';
import { recordedEnvironment } from '../store/environment.ts';
import { type CpuFacts, cpuOf } from './cpu.ts';
import { limitsOf, type MemoryFacts, memoryOf, type NumaNode, numaOf, type ProcessLimits } from './memory.ts';
import { type NetworkFacts, networkOf, type RdmaPort, rdmaOf } from './network.ts';
import { type PciDevice, pciOf } from './pci.ts';
import {
  deviceFilesOf,
  type IommuFacts,
  iommuOf,
  type NvidiaDriver,
  ntbOf,
  nvidiaOf,
  type SystemFacts,
  systemOf,
} from './system.ts';
import { FileTree } from './tree.ts';

export type { CpuFacts } from './cpu.ts';
export type { MemoryFacts, NumaNode, ProcessLimits } from './memory.ts';
export type { NetworkFacts, NetworkInterface, RdmaPort } from './network.ts';
export { type PciDevice, pciName } from './pci.ts';
export type { IommuFacts, SystemFacts } from './system.ts';

type MachineLibrary = MachineFacts['libraries'][number];
export type MachineGpu = NonNullable<MachineFacts['nvml']>['gpus'][number];

/**
 * Hardware, system and settings of one host, from files that the agent read there, from NVML and from the agent process itself.
 * Unknown values are null. `limits`, `isRoot` and `environment` are those of the agent process. `ntb`: names of NTB devices.
 * `libraries`: communication libraries that the agent found, with path and problem. `nvidia`: null if the driver is not loaded.
 */
export interface MachineReport {
  system: SystemFacts;
  cpu: CpuFacts;
  memory: MemoryFacts;
  numa: NumaNode[];
  limits: ProcessLimits;
  iommu: IommuFacts;
  pci: PciDevice[];
  /** Paths of GPU and RDMA device files. */
  deviceFiles: string[];
  network: NetworkFacts;
  rdma: RdmaPort[];
  ntb: string[];
  nvidia: NvidiaDriver | null;
  /** GPUs as NVML reports them; null if NVML could not be used. `nvmlMissing` then is the reason as text, otherwise null. */
  gpus: MachineGpu[] | null;
  nvmlMissing: string | null;
  libraries: MachineLibrary[];
  glibc: string | null;
  clock: { synchronised: boolean | null; maxErrorUs: number | null };
  /** True if the agent runs as root; null = not known. */
  isRoot: boolean | null;
  /** Environment variables of the agent that may be stored: known prefixes, no secrets. */
  environment: Record<string, string>;
}

export function machineOf(facts: MachineFacts): MachineReport {
  const tree = new FileTree(facts.files);
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
    deviceFiles: deviceFilesOf(tree),
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
