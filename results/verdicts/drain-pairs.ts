import type { PairFinding, PairsOverview } from '../derive/index.ts';
import type { RunRecord } from '../schema/index.ts';
import { formatBandwidth, formatTime } from '../units.ts';
import type { DrainResult, NodeReason } from './drain.ts';

type PairsRecord = Pick<RunRecord, 'plan' | 'failures'>;

/** What a search among ranks said, by their names in the plan. */
export interface SearchVerdict {
  /** Null where it was not ended. */
  culprit: { kind: 'none' | 'host' | 'pair' | 'set'; hosts: readonly string[]; isCertain: boolean } | null;
  trials: readonly { names: readonly string[]; isBad: boolean; why: string }[];
}

/** Nodes of the plan, which node a rank is of, and those at which something failed. */
function nodesOf({ plan, failures }: PairsRecord) {
  return {
    nodes: plan.hosts.map(({ name }) => name),
    nodeOf: (name: string): string => {
      const rank = plan.pairs?.names.indexOf(name) ?? -1;
      return plan.hosts.find(({ ranks }) => ranks.includes(rank))?.name ?? name;
    },
    failed: failures.flatMap(({ host, message }) => (host === null ? [] : [{ node: host, reason: message }])),
  };
}

function reasonOf({ measure, value, typical }: PairFinding, transport: string): string {
  const text = measure === 'bandwidth' ? formatBandwidth : formatTime;
  const seen = value === null ? 'did not run' : text(value);
  return `${measure} over ${transport}: ${seen}${typical === null ? '' : `, typical ${text(typical)}`}`;
}

/**
 * Nodes that stand out in a run of pairs, at which its ring drops, or at which something failed, fail. Of a pair that stands
 * out alone nobody knows which of the two it is.
 */
export function foundByPairs(record: PairsRecord, overviews: readonly PairsOverview[]): DrainResult {
  const { nodes, nodeOf, failed } = nodesOf(record);
  const failing: NodeReason[] = [...failed];
  const unknown: NodeReason[] = [];
  for (const { transport, findings, ringDrop, pairs, hasVerdict } of overviews) {
    for (const finding of findings) {
      const { kind, names } = finding;
      const reason = reasonOf(finding, transport);
      if (kind === 'host') failing.push(...names.map((name) => ({ node: nodeOf(name), reason })));
      else
        unknown.push(
          ...names.map((name) => ({ node: nodeOf(name), reason: `${names.join(' - ')} ${reason}` })),
        );
    }
    if (ringDrop !== null && ringDrop.last !== null) {
      const { fromGBps, toGBps, last, ranks } = ringDrop;
      const to = toGBps === null ? 'nothing' : formatBandwidth(toGBps);
      const reason = `ring of ${ranks} over ${transport}: from ${formatBandwidth(fromGBps)} to ${to}`;
      failing.push({ node: nodeOf(last), reason });
    }
    if (!hasVerdict) unknown.push(...nodes.map((node) => ({ node, reason: `no verdict over ${transport}` })));
    // What did not run with a node that fails does not speak against the other.
    const isBad = new Set(failing.map(({ node }) => node));
    for (const { a, b, GBps, reason } of pairs) {
      const both = [nodeOf(a), nodeOf(b)];
      if (GBps !== null || both.some((node) => isBad.has(node))) continue;
      const said = `${a} - ${b} over ${transport}: ${reason ?? 'did not run'}`;
      unknown.push(...both.map((node) => ({ node, reason: said })));
    }
  }
  return { nodes, failing, unknown };
}

/** Who took part in a good run passes; of several that break only together nobody knows which it is. */
export function foundBySearch(record: PairsRecord, { culprit, trials }: SearchVerdict): DrainResult {
  const { nodes, nodeOf, failed } = nodesOf(record);
  const isIn = (names: readonly string[], node: string) => names.some((name) => nodeOf(name) === node);
  const named = (culprit?.hosts ?? []).map((name) => {
    const least = trials
      .filter(({ isBad, names }) => isBad && names.includes(name))
      .sort((one, other) => one.names.length - other.names.length)[0];
    const who = culprit?.kind === 'host' ? 'breaks every run' : `breaks with ${culprit?.hosts.join(', ')}`;
    const doubt = culprit?.isCertain === false ? ', not each time' : '';
    return { node: nodeOf(name), reason: `${who}${doubt}: ${least?.why ?? 'did not run'}` };
  });
  const unseen = nodes
    .filter((node) => !trials.some(({ isBad, names }) => !isBad && isIn(names, node)))
    .map((node) => ({ node, reason: 'took part in no good run' }));
  return culprit?.kind === 'host'
    ? { nodes, failing: [...failed, ...named], unknown: unseen }
    : { nodes, failing: failed, unknown: named.length > 0 ? [...named, ...unseen] : unseen };
}
