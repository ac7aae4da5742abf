import path from 'node:path';
import type { Job } from '../../schema/index.ts';
import { type Found, ImportError } from '../found.ts';
import { sourceOf } from '../source.ts';
import { isExecutionTrace, jobOfExecution } from './execution.ts';
import { isKineto, readKineto } from './kineto.ts';

/** "logs/rank0.json.gz" is rank0. */
const nameOf = (file: string): string =>
  path.basename(file).replace(/(\.pt)?(\.trace)?(\.jsonl?)?(\.gz)?$/i, '') || 'trace';

/** The job of what was imported; null where it tells none. */
export function importedJob({ job, program, series }: Found, file: string): Job | null {
  return job === undefined ? null : { ...job, name: nameOf(file), source: `${program}, trace of ${series}` };
}

/**
 * One step of a trace of torch.profiler, or of an execution trace.
 * @param file for the name
 * @throws ImportError it is no trace, or tells no job
 */
export function jobOfTrace(content: string, file: string): Job {
  const source = sourceOf(content);
  if (isExecutionTrace(source)) return jobOfExecution(source, nameOf(file));
  if (!isKineto(source)) throw new ImportError('it is neither a job nor a trace of torch.profiler');
  const found = readKineto(source, { ranks: null, collective: null, sizeBytes: null });
  const job = importedJob(found, file);
  if (job === null) throw new ImportError(found.says?.find((one) => one.startsWith('no job')) ?? 'no job');
  return job;
}
