import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type CommGraph,
  disagreements,
  joined,
  ncclLog,
  readSource,
  sourceKinds,
  type Topology,
  TopologyError,
  type TopologyView,
} from '../../results/topology/index.ts';
import { CommandError } from '../exit.ts';

const mostBytes = 256 * 2 ** 20;

/** The file of a run that tells of its machines, where a folder is named. */
async function fileOf(name: string): Promise<string> {
  try {
    const about = await stat(name);
    if (!about.isDirectory()) {
      if (about.size > mostBytes)
        throw new CommandError(`${name}: more than 256 MiB`, ['  give a part of it']);
      return name;
    }
    const machines = path.join(name, 'machines.json');
    if (await stat(machines).catch(() => null)) return machines;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${name} cannot be read: ${(error as Error).message}`, [
      '  allowed: files, and folders of runs',
    ]);
  }
  throw new CommandError(`${name} is a folder without machines.json`, [
    '  a folder is read where it is that of a run; name the file instead',
  ]);
}

/**
 * What files tell, put together. NCCL's logs of several ranks are read as one: each rank tells its own part of a tree.
 * @param asked machines that were asked, too
 * @throws CommandError a file that cannot be read or understood
 */
export async function viewOf(names: readonly string[], asked: readonly Topology[]): Promise<TopologyView> {
  const topologies = [...asked];
  const graphs: CommGraph[] = [];
  const matrices: TopologyView['matrices'][number][] = [];
  const logs: { name: string; text: string }[] = [];
  for (const name of names) {
    const file = await fileOf(name);
    const short = path.basename(file);
    try {
      const text = await readFile(file, 'utf8');
      const found = readSource(text, short);
      if (found.kind === 'machines') topologies.push(...found.topologies);
      else if (found.kind === 'graphs') graphs.push(...found.graphs);
      else if (found.kind === 'matrix') matrices.push({ name: short, matrix: found.matrix });
      else logs.push({ name: short, text });
    } catch (error) {
      if (!(error instanceof TopologyError) && (error as NodeJS.ErrnoException).code === undefined)
        throw error;
      throw new CommandError(`${file}: ${(error as Error).message}`, [
        '  allowed:',
        ...sourceKinds.map((kind) => `    ${kind}`),
      ]);
    }
  }
  const all = joined(topologies);
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) {
    only.notes.push(...matrices.flatMap(({ matrix }) => disagreements(only, matrix)));
  }
  const log =
    logs.length === 0
      ? null
      : ncclLog(logs.map(({ text }) => text).join('\n'), logs.map(({ name }) => name).join(', '));
  return { topologies: all, graphs: [...graphs, ...(log?.graphs ?? [])], matrices, log };
}
