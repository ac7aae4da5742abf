/** Options that only the mpi engine has; native/engines/mpi/settings.h has the names in the agent protocol. */
export interface MpiOptions {
  /** Path of mpirun or of an MPI installation; null = mpirun from PATH. */
  mpi: string | null;
}
