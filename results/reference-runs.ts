// Recorded runs that ship with collbench, to judge a figure by: only of the same GPUs, in the same number.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseJson } from './files/json.ts';
import { readPlainTextSync } from './files/plain.ts';
import { packageFile } from './package.ts';
import type { RunRecord } from './schema/index.ts';
import { type LoadedRun, openRun, StoreError } from './store/index.ts';
import { maxRecordBytes } from './store/paths.ts';

const folder = packageFile('results', 'reference');

export interface ReferenceRun {
  /** Of its folder: "nccl-2-h200". */
  name: string;
  /** "2 NVIDIA H200". */
  machine: string;
  run: LoadedRun;
}

type RunRanks = Pick<RunRecord, 'id' | 'plan' | 'launches'>;

/** "2 NVIDIA H200": all GPUs alike, a rank each, on one machine; null for anything else. */
export function gpusOf({ plan, launches }: RunRanks): string | null {
  const names = new Map<number, string>();
  for (const { rank, facts, device } of launches.flatMap(({ ranks }) => ranks)) {
    const name = /^GPU \d+ (.+?)(?: \[.*)?$/.exec(facts?.gpu ?? device)?.[1];
    if (name === undefined) return null;
    names.set(rank, name);
  }
  const [model, ...others] = new Set(names.values());
  if (model === undefined || others.length > 0 || names.size !== plan.ranks || plan.hosts.length !== 1)
    return null;
  return `${plan.ranks} ${model}`;
}

/**
 * The shipped runs of the same engine on as many GPUs of the same model; none for machines without GPUs.
 * @param root where they lie
 */
export async function referencesFor(record: RunRanks, root = folder): Promise<ReferenceRun[]> {
  const machine = gpusOf(record);
  if (machine === null || !existsSync(root)) return [];
  const found: ReferenceRun[] = [];
  for (const name of readdirSync(root).sort()) {
    const file = path.join(root, name, 'run.json');
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
