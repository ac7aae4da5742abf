import { type EngineName, engineOf, type RunPlan } from '../../results/schema/index.ts';
import { cpu } from './cpu.ts';
import { cuda } from './cuda.ts';
import type { Engine } from './engine.ts';
import { mpi } from './mpi.ts';
import { nccl } from './nccl/index.ts';
import { nvshmem } from './nvshmem.ts';
import { toy } from './toy.ts';
import { workerEngine } from './worker.ts';

export type { Engine, EngineListing, HostQuestion, MeasureOptions } from './engine.ts';

/**
 * All engines (libraries whose operations are measured), keyed by name, with the functions that probe and check hosts.
 */
export const engines: Readonly<Record<EngineName, Engine>> = {
  cpu,
  nccl,
  nvshmem,
  mpi,
  cuda,
  torch: workerEngine('torch', ['torch', 'torchvision']),
  tensorflow: workerEngine('tensorflow', ['tensorflow']),
  script: workerEngine('script', []),
  toy,
};

/** Returns the engine of a plan. @throws {RangeError} if collbench has no engine of this name, as in plans of imported runs */
export const engineIn = (plan: Pick<RunPlan, 'engine'>): Engine => engines[engineOf(plan)];
