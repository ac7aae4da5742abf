import type { OptionValues } from '../options/flag.ts';
import { cpuFlags } from './cpu/flags.ts';
import { mpiFlags } from './mpi/flags.ts';
import { ncclFlags } from './nccl/flags.ts';
import { nvshmemFlags } from './nvshmem/flags.ts';
import { workerFlags } from './torch/flags.ts';

/** Options that say something to one engine alone, of all engines. */
export const engineFlags = { ...cpuFlags, ...ncclFlags, ...nvshmemFlags, ...mpiFlags, ...workerFlags };

/** What each engine adds. */
export type EngineOptions = OptionValues<typeof engineFlags>;
