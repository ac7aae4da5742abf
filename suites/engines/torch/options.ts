/** Options of the engines that start Python workers. */
export interface WorkerOptions {
  /** Program that runs the workers, for example python3. */
  python: string;
  /** Communication backend, for example nccl or gloo; null = chosen by the transport. */
  backend: string | null;
  /** Number of threads per worker process; 0 = an equal share of the host's CPUs. */
  workerThreads: number;
  /** Seconds that workers may take to join the process group; null = the engine's default. */
  joinTimeout: number | null;
}
