import type { FunctionTotal } from '../../results/record/index.ts';
import { bytesText, sizeText } from '../../results/units.ts';
import { type DocumentTable, tableOf } from '../document/blocks.ts';
import { formatCount, formatTime } from '../wording.ts';

/**
 * Returns the total time that all ranks spent inside the calls of one function and size, in ns. If some of the calls' kernels were
 * timed on the GPU, the mean of these times is used for all calls. Otherwise it is the time on the host, or 0 if the calls only
 * enqueue work for the GPU.
 */
export function callTimeNs({ deviceNs, timed, calls, hostNs, issued }: FunctionTotal): number {
  if (timed > 0) return (deviceNs * calls) / timed;
  return issued === calls ? 0 : hostNs;
}

/** Returns the function's name with the bytes of each call: "allreduce 1 MiB"; the name alone if the bytes are 0 or unknown. */
export const nameOf = ({
  function: name,
  bytesEach,
}: Pick<FunctionTotal, 'function' | 'bytesEach'>): string =>
  bytesEach === null || bytesEach === 0 ? name : `${name} ${sizeText(bytesEach)}`;

/** Maximum number of rows of the table of calls in a terminal; the report has all rows. */
const maxRows = 12;

/**
 * Returns the mean time of a call of one function and size as text: of the kernels on the GPU if any were timed, else of the host.
 * For calls that only enqueued work, and whose kernels were not timed, it is the host's time "to enqueue". Null if no time is known.
 */
function meanText(total: FunctionTotal): string | null {
  const { calls, hostNs } = total;
  const ns = callTimeNs(total);
  if (ns > 0) return formatTime(ns / calls);
  return hostNs > 0 ? `${formatTime(hostNs / calls)} to enqueue` : null;
}

/**
 * Returns the table of recorded calls by function and size, over all ranks: number of calls, bytes, time inside the calls, its
 * share of the time inside all calls, and the mean time of a call.
 */
export function callTable(totals: readonly FunctionTotal[]): DocumentTable {
  const all = totals.reduce((sum, total) => sum + callTimeNs(total), 0);
  return tableOf<FunctionTotal>(
    [
      { head: 'call', cell: nameOf },
      { head: 'calls', align: 'right', cell: ({ calls }) => formatCount(calls) },
      { head: 'bytes', align: 'right', cell: ({ bytes }) => bytesText(bytes) },
      { head: 'inside', quantity: 'ns', cell: (total) => callTimeNs(total) || null },
      { head: 'of all', quantity: 'share', cell: (total) => (all > 0 ? callTimeNs(total) / all : null) },
      { head: 'mean', align: 'right', cell: meanText },
    ],
    totals,
    {
      title: 'Calls by function and size,',
      caption: 'of all ranks together: most bytes first.',
      ...{ maxRows, rest: ' in the report' },
    },
  );
}
