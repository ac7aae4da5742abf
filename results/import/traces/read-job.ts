import path from 'node:path';
import type { Job } from '../../schema/index.ts';
import { ImportError, type ImportedOutput } from '../imported-output.ts';
import { isInspector, readInspector } from '../inspector.ts';
import { sourceOf } from '../source.ts';
import { isKineto, readKineto } from './kineto.ts';
import { jobOfOrderedTrace } from './ordered.ts';
import { readOrderedTrace } from './orders.ts';

/** Returns the name for a job from its file's name: rank0 for "logs/rank0.json.gz". */
const nameOf = (file: string): string =>
  path.basename(file).replace(/(\.pt)?(\.trace)?(\.jsonl?)?(\.gz)?$/i, '') || 'trace';

/**
 * Returns the job (communication calls for `collbench replay`) in the imported output of another program, named after `file`. Null
 * if the output has none.
 */
export function importedJob({ job, program, series }: ImportedOutput, file: string): Job | null {
  if (job === undefined) return null;
  return { source: `${program}, trace of ${series}`, ...job, name: nameOf(file) };
}

/**
 * Makes a job for `collbench replay` from one step of a trace (torch.profiler, Chakra, PARAM, NCCL Inspector), or from all calls of
 * a trace without times in which none repeat.
 * @param file path of the trace, from which the job gets its name; the file itself is not read
 * @throws ImportError if the content is no trace, or has no job
 */
export function jobOfTrace(content: string | Uint8Array, file: string): Job {
  const source = sourceOf(content);
  const ordered = readOrderedTrace(source);
  if (ordered !== null) {
    const { says: _, ...job } = jobOfOrderedTrace(ordered);
    return { ...job, name: nameOf(file) };
  }
  const told = { ranks: null, collective: null, sizeBytes: null };
  const read = isKineto(source) ? readKineto : isInspector(source) ? readInspector : null;
  if (read === null)
    throw new ImportError(
      'it is neither a job nor a trace of torch.profiler, Chakra, PARAM or NCCL Inspector',
    );
  const found = read(source, told);
  const job = importedJob(found, file);
  if (job === null) throw new ImportError(found.says?.find((one) => one.startsWith('no job')) ?? 'no job');
  return job;
}
