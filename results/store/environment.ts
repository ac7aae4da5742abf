/** Prefixes of the environment variables that are stored: these can explain a difference between runs. No others are stored. */
export const recordedPrefixes = [
  'NCCL_',
  'NVSHMEM_',
  'UCX_',
  'FI_',
  'OFI_',
  'OMPI_',
  'SOFTNTB_',
  'COLLBENCH_',
] as const;

// The agent has the same patterns, with explanations (native/metrics/facts/environment.h).
export const secretName = /TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL|^SOFTNTB_FABRIC$|^COLLBENCH_LIVE$/i;
export const openMpiParameter = /^OMPI_MCA_/i;
export const recordedOpenMpiParameter = /^OMPI_MCA_(btl|pml|mtl|coll|osc|mpi)(_|$)/i;
export const secretValue =
  /^(gh[a-z]_|github_pat_|glpat-|xox[a-z]-|sk-|hf_|npm_|AKIA|ASIA|eyJ|Bearer |Basic |-----BEGIN )|:\/\/[^/]*@/;
export const keyLikeValue = [/^[^/]*$/, /([^0-9]*[0-9]){8}/, /[A-Za-z0-9+=_-]{32}/] as const;
const mostValueLength = 4096;

const isSecretName = (name: string) =>
  secretName.test(name) || (openMpiParameter.test(name) && !recordedOpenMpiParameter.test(name));
const isSecretValue = (value: string) =>
  secretValue.test(value) || keyLikeValue.every((pattern) => pattern.test(value));

/** True for an environment variable that must never be stored, whatever its prefix: its name or value looks like a secret. */
export const isSecret = (name: string, value: string): boolean =>
  isSecretName(name) || isSecretValue(value.slice(0, mostValueLength));

/** Returns the environment variables that may be stored with a run (known prefixes, no secrets), sorted by name. */
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
