import { statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readPlainSync, UnreadableFile } from '../../results/files/plain.ts';
import { ImportError } from '../../results/import/imported-output.ts';
import { jobOfTrace } from '../../results/import/traces/read-job.ts';
import { type Job, job as jobForm } from '../../results/schema/index.ts';
import { ValueError } from '../options/flag.ts';
import { textHash } from '../text-hash.ts';
import { languageJobs } from './language.ts';
import { trainingJobs } from './models.ts';
import { scriptOf } from './script.ts';

export { scaleComputations as scaled, scriptOf, totalsOf } from './script.ts';

/** Jobs that come with collbench. */
export const shippedJobs: readonly Job[] = [...trainingJobs, ...languageJobs];

/** Beyond it nobody meant it. */
const largestFileBytes = 256 * 2 ** 20;

/** More calls than of any step; each is verified. */
const mostCalls = 20_000;

/** What a run of `record` or `train`, or an imported trace, keeps beside its cells. */
const ofRun = 'job.json';

function contentOf(word: string): { file: string; content: Buffer } | null {
  try {
    const file = statSync(word).isDirectory() ? path.join(word, ofRun) : word;
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
  const found = jsonOf(content.toString('utf8'));
  // A trace that was cut off, has a value a line, or is binary is no JSON.
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Names of one word of the command line with the rest of the world: one that is shipped, a job's file, or a run that has one. @throws ValueError */
export function jobOf(word: string): Job {
  const shipped = shippedJobs.find(({ name }) => name === word);
  if (shipped !== undefined) return shipped;
  const content = contentOf(word);
  if (content === null)
    throw new ValueError(`'${word}' is no job of collbench, and no file, run or trace with a job`);
  const found = parsed(content);
  const calls = found.items.filter((item) => item.do === 'call').length;
  if (calls === 0) throw new ValueError(`'${word}' has no collective`);
  if (calls > mostCalls)
    throw new ValueError(`'${word}' has ${calls} collectives in a step: at most ${mostCalls}`);
  return found;
}

/** @throws ValueError */
export const jobsOf = (text: string): Job[] => {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].flatMap((word) => (word === 'all' ? shippedJobs : [jobOf(word)]));
};

/** Its name and a hash of what it does: jobs of one name that differ are never compared. */
export const keyOfJob = ({ name, items }: Job): string =>
  `${name.replaceAll(/[^\w.+-]/g, '-').slice(0, 60)}@${textHash(scriptOf(items))}`;
