/** When kernels of NCCL are timed. */
export const whenTimed = ['auto', 'always', 'never'] as const;
export type TimingMode = (typeof whenTimed)[number];

export interface RecorderFiles {
  /** LaunchContext the processes write. */
  folder: string;
  token: string;
  times: TimingMode;
  /** NCCL's profiler plugin; null = NCCL is not recorded. */
  plugin: string | null;
  /** What is loaded before an MPI, and what that opens; null = MPI is not recorded. */
  preloaded: { file: string; opens: string } | null;
  /** Folder that Python loads first, for PyTorch over Gloo; null = it is not recorded. */
  python: string | null;
}

/** What a command finds in its environment; all below it inherit that. */
export function recordingEnvironment(
  own: NodeJS.ProcessEnv,
  { folder, token, times, plugin, preloaded, python }: RecorderFiles,
): NodeJS.ProcessEnv {
  const before = own.LD_PRELOAD;
  return {
    ...own,
    COLLBENCH_RECORD_DIR: folder,
    COLLBENCH_RECORD_TOKEN: token,
    COLLBENCH_RECORD_TIMES: times,
    ...(python === null ? {} : { PYTHONPATH: own.PYTHONPATH ? `${python}:${own.PYTHONPATH}` : python }),
    ...(plugin === null ? {} : { NCCL_PROFILER_PLUGIN: plugin }),
    ...(preloaded === null
      ? {}
      : {
          COLLBENCH_RECORD_LIBRARY: preloaded.opens,
          LD_PRELOAD: before ? `${preloaded.file}:${before}` : preloaded.file,
        }),
  };
}
