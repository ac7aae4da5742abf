// Makes and stores jobs of a run: the communication calls and computations of its operations, for replay.
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { addAll } from '../collections.ts';
import { type BlockRecord, engineRow, type Job, type RunPlan, workloadOf } from '../schema/index.ts';
import type { LoadedRun } from './types.ts';
import { replaceFile } from './write.ts';

/**
 * Name of the file with the first job in the folder of a run, which `replay RUN` reads. The names of further files are `<name of
 * the job>.job.json`.
 */
export const jobFile = 'job.json';

/**
 * Returns jobs for `collbench replay` (computations and collective calls). There is one for each point of the plan whose workload
 * can be replayed and whose computation times were recorded; [] if there is none. A computation's time is the median over the
 * isolated samples of the first rank in all launches and transports, because it depends on neither.
 */
async function jobsOfRun({ record: { plan }, blocks }: Pick<LoadedRun, 'record' | 'blocks'>): Promise<Job[]> {
  if (!plan.points.some(({ workload }) => workloadOf(workload).jobOf !== undefined)) return [];
  const columns = new Map<string, Map<string, number[]>>();
  for await (const block of blocks()) {
    if (block.columns === undefined || block.trial !== 'isolated') continue;
    const key = `${block.point}`;
    const own = columns.get(key) ?? new Map<string, number[]>();
    columns.set(key, own);
    add(own, block.columns);
  }
  return plan.points.flatMap((point, i) => {
    const own = columns.get(`${i}`);
    const { jobOf } = workloadOf(point.workload);
    if (own === undefined || jobOf === undefined) return [];
    const middles = [...own].map(([name, values]) => [name, Math.round(median(values))] as const);
    const job = jobOf(point.axes, Object.fromEntries(middles));
    return job === null ? [] : [{ ...job, source: sourceOf(plan), ranks: plan.ranks }];
  });
}

function add(own: Map<string, number[]>, columns: NonNullable<BlockRecord['columns']>): void {
  for (const [name, [values = []]] of Object.entries(columns))
    if (values.length > 0) addAll(own, name, values);
}

const sourceOf = (plan: RunPlan): string =>
  `${engineRow(plan).title}, ${plan.command.join(' ')}`.slice(0, 200);

/**
 * Writes the jobs for `collbench replay` that can be made from a run into its folder.
 * @returns names of the files, relative to the run's folder; [] if no job can be made
 * @throws StoreError full, unwritable, write; broken, newer if the samples cannot be read
 */
export const writeJobs = async (run: Pick<LoadedRun, 'dir' | 'record' | 'blocks'>): Promise<string[]> =>
  keepJobs(run.dir, await jobsOfRun(run));

/**
 * Writes jobs for `collbench replay` into folder `dir`, one JSON file each; older files of the same names are replaced.
 * @returns names of the files, `job.json` for the first job, `<name>.job.json` for others; [] without jobs
 * @throws StoreError full, unwritable, write
 */
export async function keepJobs(dir: string, jobs: readonly Job[]): Promise<string[]> {
  const files = jobs.map(({ name }, i) => (i === 0 ? jobFile : `${name}.${jobFile}`));
  for (const [i, job] of jobs.entries())
    await replaceFile(join(dir, files[i] ?? jobFile), `${JSON.stringify(job, null, 1)}\n`, '');
  return files;
}
