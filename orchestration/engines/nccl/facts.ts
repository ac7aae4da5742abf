// What a probe of the nccl engine says of a machine.
import type { TransportCapability } from '../../protocol.ts';

export interface NcclGpu {
  number: number;
  name: string;
  /** 0 = not said. */
  memoryBytes: number;
  /** Compute capability times ten, 90 = 9.0; 0 = not said. */
  capability: number;
}

export type NcclFacts = Record<string, string>;

export const factsIn = ({ probed }: { probed: readonly TransportCapability[] }): NcclFacts =>
  probed[0]?.facts ?? {};

const counted = <T>(facts: NcclFacts, of: (number: number) => T): T[] =>
  Array.from({ length: Number(facts['gpu.count'] ?? 0) }, (_, number) => of(number));

/** GPUs of the machine. */
export const gpusOfFacts = (facts: NcclFacts): NcclGpu[] =>
  counted(facts, (number) => ({
    number,
    name: facts[`gpu.${number}.name`] ?? 'GPU',
    memoryBytes: Number(facts[`gpu.${number}.memoryBytes`] ?? 0),
    capability: Math.round(Number(facts[`gpu.${number}.capability`] ?? 0) * 10),
  }));

/** NUMA node of each GPU; -1 where the system does not know. */
export const gpuNumaNodes = (facts: NcclFacts): number[] =>
  counted(facts, (number) => Number(facts[`gpu.${number}.numa`] ?? -1));

/** "2 GPUs (NVIDIA H200)". */
export function gpusText(gpus: readonly NcclGpu[]): string {
  const names = [...new Set(gpus.map(({ name }) => name))].join(', ');
  return `${gpus.length} ${gpus.length === 1 ? 'GPU' : 'GPUs'} (${names})`;
}

/** What explains a difference between runs, as run.json keeps it; `nccl.sha256` is added by who can read the file. */
export function versionsIn(facts: NcclFacts, gpus: readonly NcclGpu[]): Record<string, string> {
  const told: [string, string | undefined][] = [
    ['nccl', facts['nccl.version']],
    ['nccl.path', facts['nccl.path']],
    ['nccl.how', facts['nccl.how']],
    ['driver', facts['driver.release']],
    ['driver.cuda', facts['driver.version']],
    ['nvrtc', facts['nvrtc.path'] ?? facts['nvrtc.missing']],
    ['gpus', gpusText(gpus)],
  ];
  return Object.fromEntries(told.filter((one): one is [string, string] => one[1] !== undefined));
}

/** Variables that a rank of this transport gets, in the order of their names. */
export function environmentIn({ facts = {} }: TransportCapability): [string, string][] {
  return Object.entries(facts)
    .filter(([name]) => name.startsWith('env.'))
    .map(([name, value]): [string, string] => [name.slice('env.'.length), value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** "2.28.9" as 22809; 0 for nothing. */
export function versionNumber(text: string | undefined): number {
  const [major = 0, minor = 0, patch = 0] = (text ?? '').split('.').map(Number);
  return major * 10_000 + minor * 100 + patch;
}
