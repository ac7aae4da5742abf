import type { DoctorCheck } from '../check.ts';
import type { ClusterCheck } from '../cluster.ts';
import { reachChecks } from './connections.ts';
import { containerChecks } from './container.ts';
import { cpuChecks } from './cpu.ts';
import { gpuChecks } from './gpu.ts';
import { libraryChecks } from './libraries.ts';
import { memoryChecks } from './memory.ts';
import { networkChecks } from './network.ts';
import { pciChecks } from './pci.ts';
import { skewChecks } from './skew.ts';
import { systemChecks } from './system.ts';

/** All doctor checks of a single machine, in the order of the report. A new check needs a row here and a case in its test. */
export const checks: readonly DoctorCheck[] = [
  ...libraryChecks,
  ...gpuChecks,
  ...pciChecks,
  ...networkChecks,
  ...cpuChecks,
  ...memoryChecks,
  ...systemChecks,
  ...containerChecks,
];

/**
 * All doctor checks that need several machines: connections between hosts, and differences of versions. Both lists together are
 * all checks.
 */
export const clusterChecks: readonly ClusterCheck[] = [...reachChecks, ...skewChecks];
