/** Variables that can explain a difference between runs; nothing else of the environment is ever stored. */
export const recordedPrefixes = ['NCCL_', 'NVSHMEM_', 'UCX_', 'OMPI_', 'SOFTNTB_', 'COLLBENCH_'] as const;

const secret = /TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
/** The fabric's name is the run's token; how the screen is written changes no figure. */
const never = new Set(['SOFTNTB_FABRIC', 'COLLBENCH_LIVE']);

/** Of Open MPI's parameters those of the parts that move data; others hold addresses of daemons and keys of the job. */
const ofOpenMpi = /^OMPI_MCA_/;
const moving = /^OMPI_MCA_(?:btl|pml|mtl|coll|osc|mpi)(?:_|$)/;

/** A variable whose value must not be written down, whatever its prefix. */
export const isSecret = (name: string): boolean =>
  secret.test(name) || never.has(name) || (ofOpenMpi.test(name) && !moving.test(name));

/** The part of an environment that is recorded with a run, sorted by name. */
export function recordedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(environment).filter(
    ([name, value]) =>
      value !== undefined && recordedPrefixes.some((prefix) => name.startsWith(prefix)) && !isSecret(name),
  );
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept) as Record<string, string>;
}
