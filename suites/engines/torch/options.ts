/** What engines understand that start Python workers. */
export interface WorkerOptions {
  /** Program that runs the workers. */
  python: string;
  /** null = by the transport. */
  backend: string | null;
  /** 0 = an equal share of the CPUs. */
  workerThreads: number;
  /** Seconds; null = of the engine. */
  joinTimeout: number | null;
}
