/**
 * Prefixes of the environment variables that are stored, because they can explain a difference between runs. Not stored are
 * variables without such a prefix, and those that may hold a secret (`isSecret`).
 */
export const recordedPrefixes = [
  'NCCL_',
  'NVSHMEM_',
  // Others of CUDA name folders and versions, which differ between shells and change no result.
  'CUDA_DEVICE_',
  'CUDA_LAUNCH_',
  'CUDA_MPS_ACTIVE_',
  'CUDA_VISIBLE_',
  'UCX_',
  'FI_',
  'OFI_',
  'OMPI_',
  'MPIR_CVAR_',
  'I_MPI_',
  'SOFTNTB_',
  'COLLBENCH_',
] as const;

// The patterns mean the same in POSIX (extended) and in ECMAScript: the agent applies the same rule with the same texts, which
// orchestration/contract generates.

/**
 * Names of variables that are never stored, because they may hold a secret: SOFTNTB_FABRIC contains the run's token.
 * COLLBENCH_LIVE is excluded because it only concerns the screen and changes no result.
 */
export const secretName = /TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|^SOFTNTB_FABRIC$|^COLLBENCH_LIVE$/i;
/**
 * Matches the names of all parameters of Open MPI. Of these only the ones that match `recordedOpenMpiParameter` are stored, because
 * others contain addresses and keys of the job.
 */
export const openMpiParameter = /^OMPI_MCA_/i;
export const recordedOpenMpiParameter = /^OMPI_MCA_(btl|pml|mtl|coll|osc|mpi)(_|$)/i;
/** Matches values that begin like a key of a known issuer (eyJ: a JSON web token), or contain an address with a login. */
export const secretValue =
  /^(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|hf_|npm_|AKIA|ASIA|eyJ|Bearer |Basic |-----BEGIN )|:\/\/[^/]*@/;
/**
 * A value that matches all of these patterns may be a key: it is not a path, has at least eight digits, and contains a word of
 * at least 32 characters.
 */
export const keyLikeValue = [/^[^/]*$/, /([^0-9]*[0-9]){8}/, /[A-Za-z0-9+=_-]{32}/] as const;
/** Number of leading characters of a variable's value in which secrets are looked for (in the agent: bytes). */
export const maxValueLength = 4096;

const isSecretName = (name: string) =>
  secretName.test(name) || (openMpiParameter.test(name) && !recordedOpenMpiParameter.test(name));
const isSecretValue = (value: string) =>
  secretValue.test(value) || keyLikeValue.every((pattern) => pattern.test(value));

/**
 * True for an environment variable that must never be stored, whatever its prefix: its name or value looks like a secret. Only
 * the first `maxValueLength` characters of the value are examined.
 */
export const isSecret = (name: string, value: string): boolean =>
  isSecretName(name) || isSecretValue(value.slice(0, maxValueLength));

/**
 * Returns the environment variables that may be stored with a run, by name, sorted by name: those with a known prefix
 * (`recordedPrefixes`) that hold no secret (`isSecret`).
 */
export function recordedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(environment).filter(
    ([name, value]) =>
      value !== undefined &&
      recordedPrefixes.some((prefix) => name.startsWith(prefix)) &&
      !isSecret(name, value),
  );
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept) as Record<string, string>;
}
