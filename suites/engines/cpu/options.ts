/** Options that only the embedded engine has. */
export interface CpuOptions {
  /** True if ranks are threads of this process. */
  inProcess: boolean;
  /** File of a tuning table; `off` = no table; null = the table of this machine, if it has one. */
  tuning: string | null;
  /** Channels per rank; each number is a series of its own. */
  channels: number[];
}
