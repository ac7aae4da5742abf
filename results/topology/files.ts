import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readPlainText } from '../files/plain.ts';
import { refuse } from '../refusals/refusal.ts';
import { disagreements, joinTopologies } from './join.ts';
import { ncclLog } from './nccl-log.ts';
import type { TopologyView } from './report.ts';
import { readSource, sourceKinds, type TopologySource } from './sources.ts';
import { type CommGraph, type Topology, TopologyError } from './types.ts';

const maxBytes = 256 * 2 ** 20;

/**
 * Returns the path of the file to read: the file itself or, for the folder of a run, the machines.json in it.
 * @throws Refusal if the folder has no machines.json, or if the file is missing or too large
 */
async function fileOf(name: string): Promise<string> {
  const about = await stat(name).catch(unreadable(name));
  if (!about.isDirectory()) {
    if (about.size > maxBytes) throw refuse('topology-too-large', { file: name });
    return name;
  }
  const machines = path.join(name, 'machines.json');
  if ((await stat(machines).catch(() => null)) === null) throw refuse('folder-of-no-run', { folder: name });
  return machines;
}

const unreadable = (file: string) => (error: Error) => {
  throw refuse('topology-unreadable', { file, why: error.message });
};

async function textOf(file: string): Promise<string> {
  return readPlainText(file, maxBytes).catch(unreadable(file));
}

function understood(text: string, file: string): TopologySource {
  try {
    return readSource(text, path.basename(file));
  } catch (error) {
    if (!(error instanceof TopologyError)) throw error;
    throw refuse('topology-not-understood', { file, why: error.message, kinds: sourceKinds });
  }
}

/**
 * Reads topology files (XML and logs of NCCL, nvidia-smi, machines.json) and joins them to one topology per machine. Logs of
 * several ranks are read as one log, because each rank logs its own part of a tree. If there is one machine only, its notes say
 * where tables of nvidia-smi contradict it. Without any files and machines, all lists are empty.
 * @param names paths of files or run folders
 * @param queried topologies of machines that were queried directly; they come before those of files
 * @throws Refusal if a file does not exist, cannot be read or parsed, or is too large
 */
export async function viewOf(names: readonly string[], queried: readonly Topology[]): Promise<TopologyView> {
  const topologies = [...queried];
  const graphs: CommGraph[] = [];
  const matrices: TopologyView['matrices'][number][] = [];
  const logs: { name: string; text: string }[] = [];
  for (const named of names) {
    const file = await fileOf(named);
    const name = path.basename(file);
    const text = await textOf(file);
    const found = understood(text, file);
    if (found.kind === 'machines') topologies.push(...found.topologies);
    else if (found.kind === 'graphs') graphs.push(...found.graphs);
    else if (found.kind === 'matrix') matrices.push({ name, matrix: found.matrix });
    else logs.push({ name, text });
  }
  const log =
    logs.length === 0
      ? null
      : ncclLog(logs.map(({ text }) => text).join('\n'), logs.map(({ name }) => name).join(', '));
  const all = joinTopologies([...topologies, ...(log?.topologies ?? [])]);
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) {
    only.notes.push(...matrices.flatMap(({ matrix }) => disagreements(only, matrix)));
  }
  return { topologies: all, graphs: [...graphs, ...(log?.graphs ?? [])], matrices, log };
}
