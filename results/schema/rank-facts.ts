/** Name of the environment variable whose value a fact of a rank is, "NCCL_NET" for "env.NCCL_NET"; null for other facts. */
export const variableOfFact = (fact: string): string | null =>
  fact.startsWith('env.') ? fact.slice('env.'.length) : null;

/** Returns the environment variables among the facts of a rank, [name, value], in the given order. */
export const variablesInFacts = (facts: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(facts).flatMap(([fact, value]): [string, string][] => {
    const name = variableOfFact(fact);
    return name === null ? [] : [[name, value]];
  });

/**
 * True for facts that are measurements of one launch, or differ in each launch, and so are no settings; their names' ends show
 * it.
 */
export const isFactOfOneLaunch = (fact: string): boolean => /(Ns|Bytes|GBps|MASTER_PORT)$/.test(fact);

/** Name of the fact without "version": "nccl" for "nccl.version", under which a run stores the same version. */
export const versionedName = (fact: string): string => fact.replace(/\.version$/, '');

/** Model in the name of a rank's GPU: "NVIDIA H200" of "GPU 0 NVIDIA H200 [0000:18:00.0]"; null if the device is no GPU. */
export const gpuModelOf = (device: string): string | null =>
  /^GPU \d+ (.+?)(?: \[.*)?$/.exec(device)?.[1] ?? null;
