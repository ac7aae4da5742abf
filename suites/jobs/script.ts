import {
  type CollectiveName,
  collectives,
  dtypeBytes,
  groupWord,
  type Job,
  type JobItem,
  minBytesMoved,
} from '../../results/schema/index.ts';

/**
 * One step of a training job as text that the ranks parse: a line per item, "wait", "compute NS" or a collective call such as
 * "call allreduce float32 sum - 4096". The words of a call are collective, data type, operator, root, bytes, and its group if it
 * has one; "-" = no operator or root. The last line has no line feed.
 */
export const scriptOf = (items: readonly JobItem[]): string => items.map(lineOf).join('\n');

function lineOf(item: JobItem): string {
  if (item.do === 'wait') return 'wait';
  if (item.do === 'compute') return `compute ${item.ns}`;
  const { collective, dtype, op, root, bytes, group } = item;
  // Sum is the default, because nearly all reductions are sums and some sources do not name the operator.
  const reduction = collectives[collective].reduces ? (op ?? 'sum') : '-';
  const at = collectives[collective].rooted ? (root ?? 0) : '-';
  const of = group === undefined ? [] : [groupWord(group)];
  return ['call', collective, dtype, reduction, at, bytes, ...of].join(' ');
}

/**
 * Calls, waits and computations of a job. Computation times are scaled to `percent` % of the recorded times; computations that
 * become 0 ns are removed.
 */
export const scaleComputations = ({ items }: Job, percent: number): JobItem[] =>
  items.flatMap((item): JobItem[] => {
    if (item.do !== 'compute') return [item];
    const ns = Math.round((item.ns * percent) / 100);
    return ns === 0 ? [] : [{ do: 'compute', ns }];
  });

export interface ScriptTotals {
  computeNs: number;
  calls: number;
  bytes: number;
  sentBytes: number;
}

/**
 * Totals of one step of a training job: ns of computation of one rank, number of calls, sum of their payload bytes (each rounded up
 * to whole elements per rank), and the minimum number of bytes that all ranks together must send. For a call of a group, the sent
 * bytes of all groups of its size are counted.
 * @param script the step as text from scriptOf()
 * @param ranks number of all ranks
 */
export function totalsOf(script: string, ranks: number): ScriptTotals {
  const totals: ScriptTotals = { computeNs: 0, calls: 0, bytes: 0, sentBytes: 0 };
  for (const line of script.split('\n')) {
    const [what, first = '', dtype = '', , , bytes, group] = line.split(' ');
    if (what === 'compute') totals.computeNs += Number(first);
    if (what !== 'call') continue;
    const row = collectives[first as keyof typeof collectives];
    const members = group === undefined ? ranks : Number.parseInt(group, 10);
    const type = dtype as keyof typeof dtypeBytes;
    const unit = row.parts(members) * dtypeBytes[type];
    const padded = unit > 0 ? Math.ceil(Number(bytes) / unit) * unit : Number(bytes);
    totals.calls += 1;
    totals.bytes += padded;
    totals.sentBytes += minBytesMoved(first as CollectiveName, type, padded, members) * (ranks / members);
  }
  return totals;
}
