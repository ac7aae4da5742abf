import { cpu } from './cpu.ts';
import { cuda } from './cuda.ts';
import { foreign } from './foreign.ts';
import { mpi } from './mpi.ts';
import { nccl } from './nccl.ts';
import { nvshmem } from './nvshmem.ts';
import type { EngineRow } from './row.ts';
import { script } from './script.ts';
import { tensorflow } from './tensorflow.ts';
import { torch } from './torch.ts';
import { toy } from './toy.ts';

export type { EngineLibrary, EngineRow } from './row.ts';

const own = { cpu, nccl, nvshmem, mpi, cuda, torch, tensorflow, script, toy };

/** Name of an engine of this build. */
export type EngineName = keyof typeof own;
export const isEngineName = (name: string): name is EngineName => Object.hasOwn(own, name);
/** Names of this build's engines in the order in which help and lists show them. */
export const engineNames: readonly EngineName[] = Object.keys(own).filter(isEngineName);

/** Every engine of this build, and engines that only other programs have. */
export const engines: readonly EngineRow[] = [...Object.values(own), ...foreign];

/**
 * Returns the facts about an engine. For a name that this build lacks (run of a newer collbench): the facts of cpu, marked
 * foreign.
 */
export function engineRow({ engine }: { engine: string }): EngineRow {
  return (
    engines.find((row) => row.name === engine) ?? {
      ...cpu,
      name: engine,
      title: engine,
      isForeign: true,
      isEmbedded: false,
    }
  );
}

interface EngineSettings {
  engine: string;
  settings: Readonly<Record<string, string>>;
}

/** True if the plan has all of these settings; false without any. */
const hasSettings = ({ settings }: EngineSettings, wanted: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(wanted).length > 0 && Object.entries(wanted).every(([word, value]) => settings[word] === value);

/** Returns which kind of evidence proves the path of the bytes in a run with this engine and these settings. */
export function evidenceKindOf(plan: EngineSettings): EngineRow['evidence'] {
  const { evidence, logsWith } = engineRow(plan);
  return hasSettings(plan, logsWith) ? 'log' : evidence;
}

/** True if the ranks of a run with this engine and these settings use GPUs. */
export function usesGpus(plan: EngineSettings): boolean {
  const { rankNoun, gpusWith } = engineRow(plan);
  return rankNoun === 'GPU' || hasSettings(plan, gpusWith);
}

/** Returns the plan's engine as one of this build's names. @throws {RangeError} if only imported runs can have the engine */
export function engineOf({ engine }: { engine: string }): EngineName {
  if (!isEngineName(engine)) throw new RangeError(`engine ${engine} is known from imported runs alone`);
  return engine;
}
