/**
 * Values of the option that decides which NCCL kernels are timed while a job is recorded: `auto` = the first 512, then one of 16;
 * `always` = all; `never` = none.
 */
const whenTimed = ['auto', 'always', 'never'] as const;
export type TimingMode = (typeof whenTimed)[number];

export interface RecorderFiles {
  /** Folder into which the recorders in the recorded processes write. */
  folder: string;
  token: string;
  times: TimingMode;
  /** Path of NCCL's profiler plugin; null = NCCL is not recorded. */
  plugin: string | null;
  /**
   * Paths of two libraries that record MPI, which exist already. `file` is preloaded into all programs of the job; where MPI is
   * started, it loads `opens`, which writes the records. Null = MPI is not recorded.
   */
  preloaded: { file: string; opens: string } | null;
  /**
   * Folder with a module that Python loads before any program, to record PyTorch over Gloo; null = Gloo is not
   * recorded.
   */
  python: string | null;
}

/**
 * Returns the whole environment of the recorded command, which all its child processes inherit: `own` with the variables of the
 * recorders. LD_PRELOAD and PYTHONPATH of the user are kept, behind the added paths.
 * @param own environment variables that the command would get without recorders
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
