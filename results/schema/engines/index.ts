import { cpu } from './cpu.ts';
import { cuda } from './cuda.ts';
import { foreign, foreignRow } from './foreign.ts';
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

/** Name of an engine that this version of collbench can run. */
export type EngineName = keyof typeof own;
export const isEngineName = (name: string): name is EngineName => Object.hasOwn(own, name);
/** Names of all engines that collbench can run, in the order of help and lists. */
export const engineNames: readonly EngineName[] = Object.keys(own).filter(isEngineName);

/**
 * All engines: those that collbench can run, in the order of `engineNames`, and then those that occur only in results imported
 * from other programs.
 */
export const engines: readonly EngineRow[] = [...Object.values(own), ...foreign];

/**
 * Returns the description of an engine. For a name that this version does not know, as in a run of a newer collbench, it is the
 * description of engine `cpu` with that name, marked as foreign.
 */
export function engineRow({ engine }: { engine: string }): EngineRow {
  return engines.find((row) => row.name === engine) ?? foreignRow(engine, engine);
}

interface EngineSettings {
  engine: string;
  settings: Readonly<Record<string, string>>;
}

/** True if the plan gives every setting in `wanted` the same value as `wanted` does; false if `wanted` is empty. */
const hasSettings = ({ settings }: EngineSettings, wanted: Readonly<Record<string, string>> = {}): boolean =>
  Object.keys(wanted).length > 0 && Object.entries(wanted).every(([word, value]) => settings[word] === value);

/**
 * Returns the kind of evidence that shows which transport moved the bytes of a run: byte counters, the library's log, ...
 * (EngineRow.evidence). An unknown engine has that of engine `cpu`.
 */
export function evidenceKindOf(plan: EngineSettings): EngineRow['evidence'] {
  const { evidence, logsWith } = engineRow(plan);
  return hasSettings(plan, logsWith) ? 'log' : evidence;
}

/**
 * True if the ranks of a run with this engine and these settings use GPUs. False for `torch` with a backend in host memory, for
 * example, and for an unknown engine.
 */
export function usesGpus(plan: EngineSettings): boolean {
  const { rankNoun, gpusWith } = engineRow(plan);
  return rankNoun === 'GPU' || hasSettings(plan, gpusWith);
}

/**
 * Returns the name of the plan's engine. @throws {RangeError} if this version of collbench cannot run this engine, because the
 * run was imported or comes from another version
 */
export function engineOf({ engine }: { engine: string }): EngineName {
  if (!isEngineName(engine)) throw new RangeError(`engine ${engine} is known from imported runs alone`);
  return engine;
}
