import type { OptionValues } from '../options/option.ts';
import { cpuOptionRows } from './cpu/options.ts';
import { mpiOptionRows } from './mpi-options.ts';
import { ncclOptionRows } from './nccl/options.ts';
import { nvshmemOptionRows } from './nvshmem/options.ts';
import { workerOptionRows } from './torch/options.ts';

/** Table of engine-specific options, such as --gpus or --tuning. Each engine lists the options that it accepts. */
export const engineOptionRows = {
  ...cpuOptionRows,
  ...ncclOptionRows,
  ...nvshmemOptionRows,
  ...mpiOptionRows,
  ...workerOptionRows,
};

/** Values of the engine-specific options, such as --gpus or --tuning, by key. */
export type EngineOptions = OptionValues<typeof engineOptionRows>;
