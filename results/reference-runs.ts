// Finds recorded runs that ship with collbench, with which a run on equal GPUs, of equal number, is compared.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from './files/json.ts';
import { readPlainTextSync } from './files/plain.ts';
import { packageFile } from './package.ts';
import { gpuModelOf, type RunRecord } from './schema/index.ts';
import { StoreError } from './store/errors.ts';
import { maxRecordBytes } from './store/paths.ts';
import { openRun } from './store/read.ts';
import type { LoadedRun } from './store/types.ts';

const folder = packageFile('results', 'reference');

export interface ReferenceRun {
  /** Name of the shipped run's folder: "nccl-2-h200". */
  name: string;
  /** Number and model of the GPUs with which it was measured: "2 NVIDIA H200". */
  machine: string;
  run: LoadedRun;
}

type RunRanks = Pick<RunRecord, 'id' | 'plan' | 'launches'>;

/**
 * Returns number and model of a run's GPUs, "2 NVIDIA H200"; null if not every rank used a GPU, or if the run used several models
 * or several hosts.
 */
export function gpusOf({ plan, launches }: RunRanks): string | null {
  const names = new Map<number, string>();
  for (const { rank, facts, device } of launches.flatMap(({ ranks }) => ranks)) {
    const name = gpuModelOf(facts?.gpu ?? device);
    if (name === null) return null;
    names.set(rank, name);
  }
  const [model, ...others] = new Set(names.values());
  if (model === undefined || others.length > 0 || names.size !== plan.ranks || plan.hosts.length !== 1)
    return null;
  return `${plan.ranks} ${model}`;
}

/**
 * Returns the runs shipped with collbench that were measured with the same engine on as many GPUs of the same model, sorted by
 * folder name. The run itself and runs that cannot be opened are left out. Empty if gpusOf() gives null for the run, or if none
 * fits.
 * @throws UnreadableFile or SyntaxError if the file run.json of a shipped run is damaged
 */
export async function referencesFor(record: RunRanks): Promise<ReferenceRun[]> {
  const machine = gpusOf(record);
  if (machine === null || !existsSync(folder)) return [];
  const found: ReferenceRun[] = [];
  for (const name of readdirSync(folder).sort()) {
    const file = path.join(folder, name, 'run.json');
    if (!existsSync(file)) continue;
    const { id, plan, launches } = parseJson(readPlainTextSync(file, maxRecordBytes)) as RunRanks;
    const isLike =
      id !== record.id && plan.engine === record.plan.engine && gpusOf({ id, plan, launches }) === machine;
    if (!isLike) continue;
    try {
      found.push({ name, machine, run: await openRun(path.dirname(file)) });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  return found;
}
