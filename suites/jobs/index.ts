import { statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { jsonOrNull } from '../../results/files/json.ts';
import { readPlainSync, UnreadableFile } from '../../results/files/plain.ts';
import { ImportError } from '../../results/import/imported-output.ts';
import { jobOfTrace } from '../../results/import/traces/read-job.ts';
import { type Job, job as jobForm } from '../../results/schema/index.ts';
import { ValueError } from '../options/values.ts';
import { textHash } from '../text-hash.ts';
import { languageJobs } from './language.ts';
import { trainingJobs } from './models.ts';
import { scriptOf } from './script.ts';

export { scaleComputations as scaled, scriptOf, totalsOf } from './script.ts';

/** Training jobs (lists of collective calls and computations) that are shipped with collbench. */
export const shippedJobs: readonly Job[] = [...trainingJobs, ...languageJobs];

/** Size limit of a job file, bytes; a larger file is taken for a mistake. */
const largestFileBytes = 256 * 2 ** 20;

/**
 * Maximum number of calls in one step of a job. Every call is verified, so more calls would take too long; no known job has as
 * many.
 */
const maxCalls = 20_000;

/** Name of the file in a run's folder that holds its job. `record`, `train` and the import of traces write it. */
const runJobFile = 'job.json';

function contentOf(word: string): { file: string; content: Buffer } | null {
  try {
    const file = statSync(word).isDirectory() ? path.join(word, runJobFile) : word;
    const content = readPlainSync(file, largestFileBytes);
    const isPacked = content[0] === 0x1f && content[1] === 0x8b;
    return { file, content: isPacked ? gunzipSync(content, { maxOutputLength: largestFileBytes }) : content };
  } catch (error) {
    if (error instanceof UnreadableFile && ['not-a-file', 'too-large'].includes(error.code))
      throw new ValueError(`'${word}' cannot be read: ${error.message}`);
    return null;
  }
}

function parsed({ file, content }: { file: string; content: Buffer }): Job {
  const found = jsonOrNull(content.toString('utf8'));
  // A trace need not be a single JSON value: it may be cut off, have one value per line, or be binary.
  const isTrace =
    found === null ||
    (typeof found === 'object' && ['traceEvents', 'nodes', 'header', '0'].some((one) => one in found));
  if (isTrace) return traced(content, file);
  const read = jobForm.safeParse(found);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ValueError(`'${file}' is no job: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  return read.data;
}

function traced(content: Buffer, file: string): Job {
  try {
    return jobOfTrace(content, file);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new ValueError(`'${file}' is no job: ${error.message}`);
  }
}

/**
 * Finds the training job that a word of the command line names: a job that collbench ships; otherwise a job file, a profiler trace,
 * or the folder of a run that contains a job. Files may be packed by gzip.
 * @throws ValueError if there is no such job, the file cannot be read or is neither job nor trace, or the job has no collective or
 * more than `maxCalls`
 */
export function jobOf(word: string): Job {
  const shipped = shippedJobs.find(({ name }) => name === word);
  if (shipped !== undefined) return shipped;
  const content = contentOf(word);
  if (content === null)
    throw new ValueError(`'${word}' is no job of collbench, and no file, run or trace with a job`);
  const found = parsed(content);
  const calls = found.items.filter((item) => item.do === 'call').length;
  if (calls === 0) throw new ValueError(`'${word}' has no collective`);
  if (calls > maxCalls)
    throw new ValueError(`'${word}' has ${calls} collectives in a step: at most ${maxCalls}`);
  return found;
}

/**
 * Finds the jobs of a comma-separated list, in the order of the list; `all` means all shipped jobs. A job counts once, also if
 * several words name it.
 * @throws ValueError as jobOf() does, for the first word that names no usable job
 */
export const jobsOf = (text: string): Job[] => {
  const words = new Set(text.split(',').map((word) => word.trim()));
  const jobs = [...words].flatMap((word) => (word === 'all' ? shippedJobs : [jobOf(word)]));
  return [...new Map(jobs.map((job) => [keyOfJob(job), job])).values()];
};

/**
 * Name of a training job and a hash of its steps, as in "resnet50@3f2a1c09". Results are compared only if both are equal.
 * The name is cut after 60 characters, and unusual characters become dashes.
 */
export const keyOfJob = ({ name, items }: Job): string =>
  `${name.replaceAll(/[^\w.+-]/g, '-').slice(0, 60)}@${textHash(scriptOf(items))}`;
