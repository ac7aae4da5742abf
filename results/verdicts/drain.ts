// Nodes that fail, for schedulers: a line each, the name and why, as a shell reads them with `read -r node reason`.

import type { PairsOverview } from '../derive/index.ts';
import type { Diagnosis } from '../doctor/index.ts';
import type { RunRecord } from '../schema/index.ts';
import { formatBandwidth, formatTime } from '../units.ts';

export interface FailingNode {
  node: string;
  reason: string;
}

const mostReason = 200;
/** What a shell or `scontrol` would take for more than text. */
const unsafe = /[^\p{L}\p{N} .,:;%+=<>()/_-]+/gu;

/** "gpu03 collbench pairs: 4.1 GB/s where 9.5 GB/s is typical\n"; one line per node, "" where all pass. */
export function drainText(command: string, failing: readonly FailingNode[]): string {
  const reasons = new Map<string, string[]>();
  for (const { node, reason } of failing) {
    const name = node.replace(/[^A-Za-z0-9._-]+/g, '');
    if (name === '') continue;
    const known = reasons.get(name) ?? [];
    if (!known.includes(reason)) reasons.set(name, [...known, reason]);
  }
  return [...reasons]
    .map(([node, own]) => {
      const reason = own.join('; ').replaceAll(unsafe, ' ').replaceAll(/\s+/g, ' ').trim();
      return `${node} ${`collbench ${command}: ${reason}`.slice(0, mostReason)}\n`;
    })
    .join('');
}

/** Hosts that could not be asked, and those with an error. What holds for all together is no fault of one of several. */
export function failingInDoctor({ findings, view }: Pick<Diagnosis, 'findings' | 'view'>): FailingNode[] {
  const all = view.hosts.map(({ name }) => name);
  const unreached = view.hosts.flatMap(({ name, unreached: reason }) =>
    reason === null ? [] : [{ node: name, reason: `not reached: ${reason}` }],
  );
  const errors = findings
    .filter(({ severity }) => severity === 'error')
    .flatMap(({ hosts, title, saw }) => {
      const concerned = hosts.length === 0 && all.length === 1 ? all : hosts;
      return concerned.map((node) => ({ node, reason: `${title}: ${saw}` }));
    });
  return [...unreached, ...errors];
}

/**
 * Hosts that stand out in a run of pairs, at which its ring drops, or at which something failed. Of a pair that stands out
 * alone nobody knows which of the two it is: `pairs` names it, no node of it fails.
 */
export function failingInPairs(
  record: Pick<RunRecord, 'plan' | 'failures'>,
  overviews: readonly PairsOverview[],
): { failing: FailingNode[]; pairs: string[] } {
  const { plan, failures } = record;
  const hostOf = (name: string): string => {
    const rank = plan.pairs?.names.indexOf(name) ?? -1;
    return plan.hosts.find(({ ranks }) => ranks.includes(rank))?.name ?? name;
  };
  const failing: FailingNode[] = failures.flatMap(({ host, message }) =>
    host === null ? [] : [{ node: host, reason: message }],
  );
  const pairs: string[] = [];
  for (const { transport, findings, ringDrop } of overviews) {
    for (const { kind, measure, names, value, typical } of findings) {
      const text = measure === 'bandwidth' ? formatBandwidth : formatTime;
      const seen = value === null ? 'did not run' : text(value);
      const reason = `${measure} over ${transport}: ${seen}${typical === null ? '' : `, typical ${text(typical)}`}`;
      const [name = ''] = names;
      if (kind === 'host') failing.push({ node: hostOf(name), reason });
      else pairs.push(`${names.join(' - ')} ${reason}`);
    }
    if (ringDrop !== null && ringDrop.last !== null) {
      const { fromGBps, toGBps, last, ranks } = ringDrop;
      const to = toGBps === null ? 'nothing' : formatBandwidth(toGBps);
      failing.push({
        node: hostOf(last),
        reason: `ring of ${ranks} over ${transport}: from ${formatBandwidth(fromGBps)} to ${to}`,
      });
    }
  }
  return { failing, pairs };
}
