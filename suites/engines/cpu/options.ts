/** What only the embedded engine understands. */
export interface CpuOptions {
  /** Ranks are threads of this process. */
  inProcess: boolean;
  /** Rules of a tuning table as ranks read them; '' = none; null = that of this machine, if there is one. */
  tuning: string | null;
}
