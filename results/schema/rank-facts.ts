/**
 * Returns the environment variable that a fact is about: "NCCL_NET" for "env.NCCL_NET"; null if the fact is no variable. Facts are
 * texts by name that a rank reports when it starts.
 */
export const variableOfFact = (fact: string): string | null =>
  fact.startsWith('env.') ? fact.slice('env.'.length) : null;

/**
 * Returns the environment variables among the facts (texts by name) that a rank reported, as [name, value], in the order of the
 * facts; empty if there are none.
 */
export const variablesInFacts = (facts: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(facts).flatMap(([fact, value]): [string, string][] => {
    const name = variableOfFact(fact);
    return name === null ? [] : [[name, value]];
  });

/**
 * True if the value of a fact that a rank reports belongs to one launch, such as a measured time or size, so that the fact is no
 * setting. The end of the fact's name shows it: "nccl.initNs".
 */
export const isFactOfOneLaunch = (fact: string): boolean => /(Ns|Bytes|GBps|MASTER_PORT)$/.test(fact);

/**
 * Returns the key under which `versions` of run.json stores a fact that ranks report: "nccl" for "nccl.version", otherwise the name
 * of the fact itself.
 */
export const versionedName = (fact: string): string => fact.replace(/\.version$/, '');

/**
 * Returns the GPU model in the device text of a rank (`device` in run.json): "NVIDIA H200" for "GPU 0 NVIDIA H200
 * [0000:18:00.0]"; null if the device is no GPU.
 */
export const gpuModelOf = (device: string): string | null =>
  /^GPU \d+ (.+?)(?: \[.*)?$/.exec(device)?.[1] ?? null;
