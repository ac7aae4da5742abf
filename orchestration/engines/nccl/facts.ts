// Interpretation of the facts that a probe of the nccl engine reports.
import { variablesInFacts } from '../../../results/schema/index.ts';
import type { TransportCapability } from '../../protocol.ts';

export interface NcclGpu {
  number: number;
  name: string;
  /** Memory of the GPU, bytes; 0 = unknown. */
  memoryBytes: number;
  /** Compute capability of the GPU times ten (90 = 9.0); 0 = unknown. */
  capability: number;
}

export type NcclFacts = Record<string, string>;

export const factsIn = ({ probed }: { probed: readonly TransportCapability[] }): NcclFacts =>
  probed[0]?.facts ?? {};

const counted = <T>(facts: NcclFacts, of: (number: number) => T): T[] =>
  Array.from({ length: Number(facts['gpu.count'] ?? 0) }, (_, number) => of(number));

/**
 * Returns the GPUs of the machine, in the order of their numbers from 0; empty if the facts do not contain the number of GPUs. A
 * GPU without a name is called "GPU".
 */
export const gpusOfFacts = (facts: NcclFacts): NcclGpu[] =>
  counted(facts, (number) => ({
    number,
    name: facts[`gpu.${number}.name`] ?? 'GPU',
    memoryBytes: Number(facts[`gpu.${number}.memoryBytes`] ?? 0),
    capability: Math.round(Number(facts[`gpu.${number}.capability`] ?? 0) * 10),
  }));

/** Returns the NUMA node of each GPU, indexed by GPU number; -1 if the system does not know the node. */
export const gpuNumaNodes = (facts: NcclFacts): number[] =>
  counted(facts, (number) => Number(facts[`gpu.${number}.numa`] ?? -1));

/** Returns the number and the different names of GPUs as text: "2 GPUs (NVIDIA H200)". The list must not be empty. */
export function gpusText(gpus: readonly NcclGpu[]): string {
  const names = [...new Set(gpus.map(({ name }) => name))].join(', ');
  return `${gpus.length} ${gpus.length === 1 ? 'GPU' : 'GPUs'} (${names})`;
}

/**
 * Returns versions for run.json, keyed by name ("nccl", "driver"), that may explain a difference between runs. Unknown versions
 * are left out. librariesOfProbe() adds the hash of the NCCL library, `nccl.sha256`, for this machine.
 */
export function versionsIn(facts: NcclFacts, gpus: readonly NcclGpu[]): Record<string, string> {
  return definedFacts([
    ['nccl', facts['nccl.version']],
    ['nccl.path', facts['nccl.path']],
    ['nccl.how', facts['nccl.how']],
    ['driver', facts['driver.release']],
    ['driver.cuda', facts['driver.version']],
    ['nvrtc', facts['nvrtc.path'] ?? facts['nvrtc.missing']],
    ['gpus', gpusText(gpus)],
  ]);
}

/** Makes an object from pairs of name and value; pairs whose value is undefined are left out. */
export const definedFacts = (
  facts: readonly (readonly [string, string | undefined])[],
): Record<string, string> =>
  Object.fromEntries(facts.filter((one): one is readonly [string, string] => one[1] !== undefined));

/**
 * Returns the environment variables that the engine sets for a rank with this transport, as pairs of name and value, sorted by
 * name. Empty if the probe has no facts.
 */
export function environmentIn({ facts = {} }: TransportCapability): [string, string][] {
  return variablesInFacts(facts).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Converts a version to one number: "2.28.9" is 22809, "2.28" is 22800. 0 if the text is undefined; NaN if a part is no number. */
export function versionNumber(text: string | undefined): number {
  const [major = 0, minor = 0, patch = 0] = (text ?? '').split('.').map(Number);
  return major * 10_000 + minor * 100 + patch;
}
