import type { OptionValues } from '../options/flag.ts';
import { cpuFlags } from './cpu/flags.ts';
import { mpiFlags } from './mpi/flags.ts';
import { ncclFlags } from './nccl/flags.ts';
import { nvshmemFlags } from './nvshmem/flags.ts';
import { workerFlags } from './torch/flags.ts';

/** Options that apply to a single engine, of all engines. */
export const engineFlags = { ...cpuFlags, ...ncclFlags, ...nvshmemFlags, ...mpiFlags, ...workerFlags };

/** Values of these options. */
export type EngineOptions = OptionValues<typeof engineFlags>;
