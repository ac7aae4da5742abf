/** Options that only the cpu engine has. */
export interface CpuOptions {
  /** True if ranks are threads of this process instead of processes. */
  inProcess: boolean;
  /** File of a tuning table; `off` = no table; null = the table of this machine, if it has one. */
  tuning: string | null;
  /** Numbers of channels per rank to measure; each number is a series of its own. */
  channels: number[];
}
