/** Modes of timing NCCL kernels. */
export const whenTimed = ['auto', 'always', 'never'] as const;
export type TimingMode = (typeof whenTimed)[number];

export interface RecorderFiles {
  /** Folder into which the recorded processes write. */
  folder: string;
  token: string;
  times: TimingMode;
  /** Path of NCCL's profiler plugin; null = NCCL is not recorded. */
  plugin: string | null;
  /** Library that is preloaded into MPI programs, and the library that it opens; null = MPI is not recorded. */
  preloaded: { file: string; opens: string } | null;
  /** Folder that Python loads first, to record PyTorch over Gloo; null = not recorded. */
  python: string | null;
}

/** Environment of the recorded command; all its child processes inherit it. */
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
