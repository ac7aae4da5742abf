import { type EngineName, engineOf, type RunPlan } from '../../results/schema/index.ts';
import { cpu } from './cpu/index.ts';
import { cuda } from './cuda/index.ts';
import type { Engine } from './engine.ts';
import { mpi } from './mpi/index.ts';
import { nccl } from './nccl/index.ts';
import { nvshmem } from './nvshmem/index.ts';
import { script } from './script/index.ts';
import { tensorflow } from './tensorflow/index.ts';
import { torch } from './torch/index.ts';
import { toy } from './toy/index.ts';

export type { Engine, EngineListing, HostQuestion, MeasureOptions } from './engine.ts';

/** The engines (libraries whose operations are measured) by name: the parts that probe and check hosts. */
export const engines: Readonly<Record<EngineName, Engine>> = {
  cpu,
  nccl,
  nvshmem,
  mpi,
  cuda,
  torch,
  tensorflow,
  script,
  toy,
};

/** The engine of a plan. @throws {RangeError} if only imported runs have this engine */
export const engineIn = (plan: Pick<RunPlan, 'engine'>): Engine => engines[engineOf(plan)];
