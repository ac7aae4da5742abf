import type { Job, JobItem } from '../../job.ts';
import type { DtypeName } from '../../names.ts';

interface TrainingConfiguration {
  model: string;
  batch: number;
  image: number;
  numerics: string;
  bucketMiB: number | null;
}

/** Prefix of the columns with start times and bytes of a step's communication; only steps under the profiler have them. */
const prefix = 'timeline.';

/** Data types of BatchNorm's running statistics, which rank 0 broadcasts before the forward pass, one broadcast per type. */
const statistics = ['float32', 'bfloat16', 'int64'] as const satisfies DtypeName[];

/**
 * Converts one rank's training step to a job for replay; null if the step has no times of forward, backward and end (it ran
 * without the profiler), or no gradient bucket.
 * @param found values of the step by name of the column ("timeline.forward", "timeline.bytes0"): ns from the start of the step,
 * or bytes
 */
export function jobOfStep(
  configuration: TrainingConfiguration,
  found: Readonly<Record<string, number>>,
): Omit<Job, 'source' | 'ranks'> | null {
  const at = (name: string): number | undefined => found[prefix + name];
  const [forward, backward, end] = [at('forward'), at('backward'), at('end')];
  if (forward === undefined || backward === undefined || end === undefined) return null;
  const items: JobItem[] = statistics.flatMap((dtype) => {
    const bytes = at(`buffers.${dtype}`) ?? 0;
    const label = 'statistics';
    return bytes === 0 ? [] : [{ do: 'call', collective: 'broadcast', dtype, root: 0, bytes, label }];
  });
  if (items.length > 0) items.push({ do: 'wait' });
  let reachedNs = 0;
  const computeUntil = (ns: number): void => {
    if (ns > reachedNs) items.push({ do: 'compute', ns: ns - reachedNs });
    reachedNs = Math.max(reachedNs, ns);
  };
  computeUntil(forward);
  const dtype = configuration.numerics === 'bf16' ? 'bfloat16' : 'float32';
  let buckets = 0;
  for (let bytes = at('bytes0'); bytes !== undefined; bytes = at(`bytes${buckets}`)) {
    computeUntil(at(`ready${buckets}`) ?? reachedNs);
    items.push({ do: 'call', collective: 'allreduce', dtype, op: 'sum', bytes, label: `bucket ${buckets}` });
    buckets += 1;
  }
  if (buckets === 0) return null;
  computeUntil(backward);
  items.push({ do: 'wait' });
  computeUntil(end);
  return {
    type: 'job',
    schemaVersion: 1,
    name: nameOfStep(configuration),
    hasTimes: true,
    stepNs: null,
    items,
  };
}

/** Returns the name of a training step for replay, from model, batch, image size, numerics and bucket: "resnet50-b32-i224". */
export function nameOfStep({ model, batch, image, numerics, bucketMiB }: TrainingConfiguration): string {
  const words = [model, `b${batch}`, `i${image}`, ...(numerics === 'fp32' ? [] : [numerics])];
  return [...words, ...(bucketMiB === null ? [] : [`bucket${bucketMiB}`])].join('-');
}
