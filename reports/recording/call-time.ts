import type { FunctionTotal } from '../../results/record/index.ts';
import { sizeText } from '../../results/units.ts';

/**
 * Returns the time of all ranks inside calls of a kind, in ns. If some kernels were timed, their mean is used for all calls.
 * Otherwise it is the host's time, or 0 if the calls only issue work.
 */
export function callTimeNs({ deviceNs, timed, calls, hostNs, issued }: FunctionTotal): number {
  if (timed > 0) return (deviceNs * calls) / timed;
  return issued === calls ? 0 : hostNs;
}

/** Returns the function's name with its size: "allreduce 1 MiB". */
export const nameOf = ({
  function: name,
  bytesEach,
}: Pick<FunctionTotal, 'function' | 'bytesEach'>): string =>
  bytesEach === null || bytesEach === 0 ? name : `${name} ${sizeText(bytesEach)}`;
