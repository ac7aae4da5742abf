import type { OptionValues } from '../options/option.ts';
import { cpuOptionRows } from './cpu/options.ts';
import { mpiOptionRows } from './mpi/options.ts';
import { ncclOptionRows } from './nccl/options.ts';
import { nvshmemOptionRows } from './nvshmem/options.ts';
import { workerOptionRows } from './torch/options.ts';

/** Options that apply to only one engine, of all engines together. */
export const engineOptionRows = {
  ...cpuOptionRows,
  ...ncclOptionRows,
  ...nvshmemOptionRows,
  ...mpiOptionRows,
  ...workerOptionRows,
};

/** Values of the options in `engineOptionRows`, by name. */
export type EngineOptions = OptionValues<typeof engineOptionRows>;
