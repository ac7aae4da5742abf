import type { OptionValues } from '../options/flag.ts';
import { cpuFlags } from './cpu/flags.ts';
import { mpiFlags } from './mpi/flags.ts';
import { ncclFlags } from './nccl/flags.ts';
import { nvshmemFlags } from './nvshmem/flags.ts';
import { workerFlags } from './torch/flags.ts';

/** Options that apply to only one engine, of all engines together. */
export const engineFlags = { ...cpuFlags, ...ncclFlags, ...nvshmemFlags, ...mpiFlags, ...workerFlags };

/** Values of the options in `engineFlags`, by name. */
export type EngineOptions = OptionValues<typeof engineFlags>;
