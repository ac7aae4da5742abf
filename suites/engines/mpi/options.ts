/** What only the mpi engine understands; its words for the native part stand in native/engines/mpi/settings.h. */
export interface MpiOptions {
  /** mpirun, or the folder of an installation; null = mpirun in PATH. */
  mpi: string | null;
}
