/** Values of the option that says when NCCL kernels are timed. */
export const whenTimed = ['auto', 'always', 'never'] as const;
export type TimingMode = (typeof whenTimed)[number];

export interface RecorderFiles {
  /** Folder into which the recorders in the recorded processes write. */
  folder: string;
  token: string;
  times: TimingMode;
  /** Path of NCCL's profiler plugin; null = NCCL is not recorded. */
  plugin: string | null;
  /**
   * `file`: library that is preloaded into MPI programs to record MPI; `opens`: the library that it opens. Null = MPI is not
   * recorded.
   */
  preloaded: { file: string; opens: string } | null;
  /** Folder with a module that Python loads first, which records PyTorch over Gloo; null = not recorded. */
  python: string | null;
}

/**
 * Environment variables of the recorded command; all its child processes inherit them. Earlier values of LD_PRELOAD and
 * PYTHONPATH stay behind the added ones.
 */
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
