/** What only the embedded engine understands. */
export interface CpuOptions {
  /** Ranks are threads of this process. */
  inProcess: boolean;
}
