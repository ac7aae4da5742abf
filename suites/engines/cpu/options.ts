/** What only the embedded engine understands. */
export interface CpuOptions {
  /** Ranks are threads of this process. */
  inProcess: boolean;
  /** File of a tuning table; `off` = none; null = that of this machine, if there is one. */
  tuning: string | null;
  /** Of each rank; each number is a series of its own. */
  channels: number[];
}
