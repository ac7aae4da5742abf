/** What only the embedded engine understands. */
export interface CpuOptions {
  /** `null` = chosen by size. */
  algorithm: string | null;
  /** Ranks are threads of this process. */
  inProcess: boolean;
}
