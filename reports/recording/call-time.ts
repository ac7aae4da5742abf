import type { FunctionTotal } from '../../results/record/index.ts';
import { sizeText } from '../../results/units.ts';

/**
 * Returns the total time of all ranks inside calls of one function and size, in ns. If some of the calls' kernels were timed
 * on the GPU, their mean is used for all calls. Otherwise it is the time on the host, or 0 if the calls only enqueue work.
 */
export function callTimeNs({ deviceNs, timed, calls, hostNs, issued }: FunctionTotal): number {
  if (timed > 0) return (deviceNs * calls) / timed;
  return issued === calls ? 0 : hostNs;
}

/** Returns the function's name with the bytes of each call: "allreduce 1 MiB". */
export const nameOf = ({
  function: name,
  bytesEach,
}: Pick<FunctionTotal, 'function' | 'bytesEach'>): string =>
  bytesEach === null || bytesEach === 0 ? name : `${name} ${sizeText(bytesEach)}`;
