/** Makes a run, and a job for replay, from the record files that `collbench record` wrote. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { openPlain } from '../files/plain.ts';
import type { ImportedOutput } from '../import/imported-output.ts';
import { type ImportedRun, runOf } from '../import/to-run.ts';
import type { Job } from '../schema/index.ts';
import { jobOfRecords, type RecordedJob } from './communicators.ts';
import { libraryText, sourceName } from './functions.ts';
import { jobOfRecording, mainOf } from './job.ts';
import { programOf } from './picture.ts';
import { type RankRecord, readRecordsOf, recordFilesIn } from './read.ts';
import { rowsOf } from './rows.ts';
import { noticesOf, sentencesOf } from './sentences.ts';
import { type FunctionTotal, totalsOf } from './totals.ts';

export { pictureOf, type RecordingTimeline, type TimelineCall } from './picture.ts';
export { writeTimeline } from './timeline.ts';
export type { FunctionTotal } from './totals.ts';

/**
 * Name of the folder, inside the folder of a run, with the files that `collbench record` wrote: the calls of each process of the
 * recorded program, one file per communicator.
 */
export const recordFolder = 'record';

export interface RecordingResult {
  run: ImportedRun;
  /** The job for `collbench replay`; null if no recorded call is a collective or send that replay supports. */
  job: Job | null;
  totals: FunctionTotal[];
  /** All recorded calls, with their starts on one common clock. */
  recorded: RecordedJob;
  /**
   * Name of the recorded program. `ranks`: number of ranks of the communicator from which run and job are made. `versions`:
   * versions of the recorded libraries by library name, and the SHA-256 of their files.
   */
  program: string;
  ranks: number;
  versions: Record<string, string>;
}

/**
 * Makes a run, and a job for replay, from the record files in `folder` that `collbench record` wrote. Nothing is stored.
 * @param token identifies the `collbench record` whose files are read; null = all files
 * @param name name of the job; null = that of the program
 * @param command command line as typed, for the run's record
 * @returns null if no process recorded a call
 * @throws StoreError if a file is not a plain file; the error of the file system if `folder` cannot be read
 */
export async function recordingOf(
  folder: string,
  { token, name, command }: { token: string | null; name: string | null; command: string[] },
): Promise<RecordingResult | null> {
  const records = await readRecordsOf(folder, token);
  if (records.length === 0) return null;
  const recorded = jobOfRecords(records);
  const jobName = name ?? programOf(records);
  const found = jobOfRecording(recorded, jobName);
  const main = mainOf(recorded) ?? recorded.communicators[0];
  const ranks = main?.ranks ?? 1;
  const run = runOf(
    {
      ...foundOf(recorded, main?.source ?? 'nccl', ranks),
      says: sentencesOf(recorded, found),
      notices: noticesOf(recorded, found),
    },
    { command, format: 'record', file: await contentOf(folder, await recordFilesIn(folder)), label: null },
  );
  return {
    run,
    job: found?.job ?? null,
    totals: totalsOf(recorded.communicators),
    ...{ recorded, ranks, program: programOf(records), versions: versionsOf(records) },
  };
}

function versionsOf(records: readonly RankRecord[]): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const { source, library } of records) {
    versions[source === 'gloo' ? 'PyTorch' : sourceName(source)] = library.version;
    if (library.sha256 !== null) versions[`${path.basename(library.path)} (SHA-256)`] = library.sha256;
  }
  return versions;
}

function foundOf(recorded: RecordedJob, source: RankRecord['source'], ranks: number): ImportedOutput {
  const first = recorded.records.find((one) => one.source === source);
  const library = first === undefined ? sourceName(source) : libraryText(first);
  const sized = recorded.communicators.filter((one) => one.source === source);
  const others = new Set(recorded.communicators.filter((one) => one.ranks !== ranks).map((one) => one.ranks));
  return {
    series: 'recorded',
    program: library,
    engine: source,
    ranks,
    hosts: recorded.hosts,
    measuredAt: null,
    statistic:
      'median over calls of the shortest time of any rank, so that waiting for other ranks is left out; of messages over all calls',
    method: { clock: source === 'nccl' ? 'device' : 'host', sync: 'none', batch: 1 },
    versions: {},
    environment: {},
    rows: rowsOf(sized, ranks).filter(({ timeNs }) => timeNs !== null),
    saysWrong: false,
    complete: true,
    conversions: [
      'message size: elements x bytes of the type; of gathers and scatters all parts together',
      ...(others.size > 0 ? [`times by size are those of communicators of ${ranks} ranks`] : []),
    ],
    unknown: ['reduction', 'in place or not', 'transport'],
    notices: [],
  };
}

async function contentOf(
  folder: string,
  files: readonly string[],
): Promise<{ name: string; bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of files) {
    const handle = await openPlain(path.join(folder, file));
    for await (const piece of handle.createReadStream()) {
      bytes += (piece as Buffer).length;
      hash.update(piece as Buffer);
    }
  }
  return { name: `${recordFolder}/ (${files.length} files)`, bytes, sha256: hash.digest('hex') };
}
