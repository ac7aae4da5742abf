import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readPlainText, type UnreadableFile } from '../files/plain.ts';
import { type Calibration, calibration, type RunRecord } from '../schema/index.ts';
import { StoreError } from './errors.ts';
import { maxRecordBytes } from './paths.ts';
import { check } from './records.ts';
import { replaceFile } from './write.ts';

/**
 * Name of a file in the folder of all runs. It has the scatter that `collbench aa` measured between equal runs: for each set of
 * machines and engine only the entry that was stored last.
 */
const name = 'calibration.json';
const learnedFile = z.strictObject({
  schemaVersion: z.literal(2),
  learned: z.array(
    z.strictObject({
      machine: z.string(),
      engine: z.string(),
      /** Start time of one of the equal runs from which the entry was computed, usually the first, ISO 8601. */
      at: z.string(),
      /**
       * Standard deviation of the z-scores of differences between equal runs, with its 95 % interval, as in `Calibration`, but
       * never null.
       */
      zSd: calibration.shape.zSd.unwrap(),
    }),
  ),
});
type CalibrationFile = z.infer<typeof learnedFile>;
const nothing: CalibrationFile = { schemaVersion: 2, learned: [] };

type CalibrationRun = Pick<RunRecord, 'plan' | 'inventory' | 'startedAt'>;

/**
 * Returns the key of a run's machines: name, CPU count and processor model of each host ("?" if not known), sorted by host. Runs on
 * equal hosts have equal keys.
 */
function machineOf({ plan, inventory }: CalibrationRun): string {
  const hosts = plan.hosts.map(({ name: host }) => {
    const told = inventory[host];
    return `${host}: ${told?.cpuCount ?? '?'} x ${told?.cpuModel ?? '?'}`;
  });
  return hosts.sort().join('; ');
}

async function readLearned(path: string): Promise<CalibrationFile> {
  let text: string;
  try {
    text = await readPlainText(path, maxRecordBytes);
  } catch (error) {
    if ((error as UnreadableFile).code === 'ENOENT') return nothing;
    const what = error instanceof Error ? error.message : String(error);
    throw new StoreError('broken', path, `${path} cannot be read: ${what}`, { cause: error });
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new StoreError('broken', path, `${path} is no JSON; remove it to start again`, { cause: error });
  }
  return check(path, learnedFile, raw);
}

/**
 * Stores the standard deviation of the z-scores of differences between equal runs (`zSd`, in theory 1); later comparisons widen
 * their intervals by it. It replaces the entry of the same machines and engine. The folder and the file are created if they are
 * missing.
 * @param root folder of all runs
 * @param run any of the equal runs; gives machines and engine
 * @returns path of the file; null if the calibration has no z-scores, so that nothing is stored
 * @throws StoreError broken: the present file cannot be read or is not valid; newer: it is of a later collbench; full, unwritable,
 * write
 */
export async function keepCalibration(
  root: string,
  run: CalibrationRun,
  { zSd }: Calibration,
): Promise<string | null> {
  if (zSd === null) return null;
  const path = join(resolve(root), name);
  const [machine, engine] = [machineOf(run), run.plan.engine];
  const { learned } = await readLearned(path);
  const others = learned.filter((one) => one.machine !== machine || one.engine !== engine);
  const all: CalibrationFile = {
    schemaVersion: 2,
    learned: [...others, { machine, engine, at: run.startedAt, zSd }],
  };
  await mkdir(resolve(root), { recursive: true });
  await replaceFile(path, `${JSON.stringify(all, null, 2)}\n`, 'What was learned before is unchanged.');
  return path;
}

/**
 * Returns the stored standard deviation of z-scores between equal runs, with its interval, for the machines and engine of `runs`.
 * Null if `runs` is empty, if the runs are of different machines or engines, or if there is no file or no entry for these.
 * @param root folder of all runs
 * @throws StoreError broken: the file cannot be read or is not valid; newer: it is of a later collbench
 */
export async function calibrationFor(
  root: string,
  runs: readonly CalibrationRun[],
): Promise<NonNullable<Calibration['zSd']> | null> {
  const [machine, ...others] = [...new Set(runs.map(machineOf))];
  const [engine, ...engines] = [...new Set(runs.map(({ plan }) => plan.engine))];
  if (machine === undefined || others.length + engines.length > 0) return null;
  const { learned } = await readLearned(join(resolve(root), name));
  return learned.find((one) => one.machine === machine && one.engine === engine)?.zSd ?? null;
}
