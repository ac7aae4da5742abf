import type { FunctionTotal } from '../../results/record/index.ts';
import { sizeText } from '../../results/units.ts';

/**
 * ns of all ranks inside the calls of a kind: their kernels where some were timed, as much for the others; else the calls
 * themselves, but for those that only begin.
 */
export function callTimeNs({ deviceNs, timed, calls, hostNs, issued }: FunctionTotal): number {
  if (timed > 0) return (deviceNs * calls) / timed;
  return issued === calls ? 0 : hostNs;
}

/** "allreduce 1 MiB". */
export const nameOf = ({
  function: name,
  bytesEach,
}: Pick<FunctionTotal, 'function' | 'bytesEach'>): string =>
  bytesEach === null || bytesEach === 0 ? name : `${name} ${sizeText(bytesEach)}`;
