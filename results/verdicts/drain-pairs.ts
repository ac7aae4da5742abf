import type { PairFinding, PairsOverview } from '../derive/index.ts';
import type { RunRecord } from '../schema/index.ts';
import { formatBandwidth, formatTime } from '../units.ts';
import type { DrainResult, NodeReason } from './drain.ts';

type PairsRecord = Pick<RunRecord, 'plan' | 'failures'>;

/**
 * Result of a search for faulty ranks by repeatedly halving the set of ranks (`--bisect`). Ranks have the names of the plan.
 * `trials`: each trial with its ranks (`names`), and the reason why it was bad or good (`why`).
 */
export interface SearchVerdict {
  /**
   * Smallest set of ranks with which trials are bad; null if the search was not finished. `kind`: `none` = a trial with all ranks
   * was good; `host` = trials are bad with each of `hosts`, whatever others take part; `pair`, `set` = only if all of `hosts` take
   * part. `hosts`: names of the ranks. `isCertain`: true if the trial with these ranks was bad again when it was repeated; always
   * true for `none`.
   */
  culprit: { kind: 'none' | 'host' | 'pair' | 'set'; hosts: readonly string[]; isCertain: boolean } | null;
  trials: readonly { names: readonly string[]; isBad: boolean; why: string }[];
}

/**
 * Returns all hosts (`nodes`), a function from a rank's name to its host (`nodeOf`), and the hosts with a failure and its message
 * (`failed`). A name that no rank of the plan has is returned unchanged by `nodeOf`.
 */
function nodesOf({ plan, failures }: PairsRecord) {
  return {
    nodes: plan.hosts.map(({ name }) => name),
    nodeOf: (name: string): string => {
      const rank = plan.pairs?.names.indexOf(name) ?? -1;
      return plan.hosts.find(({ ranks }) => ranks.includes(rank))?.name ?? name;
    },
    failed: failures.flatMap(({ host, message, kind }) =>
      host === null ? [] : [{ node: host, reason: message, cause: kind }],
    ),
  };
}

function reasonOf({ measure, value, typical }: PairFinding, transport: string): string {
  const text = measure === 'bandwidth' ? formatBandwidth : formatTime;
  const seen = value === null ? 'did not run' : text(value);
  return `${measure} over ${transport}: ${seen}${typical === null ? '' : `, typical ${text(typical)}`}`;
}

/**
 * Returns from a run of `collbench pairs` which hosts are faulty. A host fails if it is slow, if the bandwidth of a ring drops when
 * it joins and one of its pairs is slow, if the ring breaks then, or if something failed on it. If a single pair is slow or did not run, it is not known which of its two hosts is
 * faulty; if the pairs over a transport allow no verdict, no host is known to pass.
 * @param overviews results of the run, one for each transport
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
      // With fast pairs the cause may be what the hosts share, such as an uplink.
      const isItsOwn = findings.some(({ names }) => names.includes(last)) || toGBps === null;
      (isItsOwn ? failing : unknown).push({ node: nodeOf(last), reason });
    }
    if (!hasVerdict) unknown.push(...nodes.map((node) => ({ node, reason: `no verdict over ${transport}` })));
    // If a pair did not run and one of its hosts is failing, this is no evidence against the other host.
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

/**
 * Returns from a search which hosts are faulty: those with which every trial is bad, again when it was repeated, and those on which
 * something failed. A host
 * that took part in a trial whose result was not bad passes; one that took part in none is unknown. If trials are bad only with
 * several hosts together, it is not known which of these is faulty.
 */
export function foundBySearch(record: PairsRecord, { culprit, trials }: SearchVerdict): DrainResult {
  const { nodes, nodeOf, failed } = nodesOf(record);
  const isIn = (names: readonly string[], node: string) => names.some((name) => nodeOf(name) === node);
  const named = (culprit?.hosts ?? []).map((name) => {
    const least = trials
      .filter(({ isBad, names }) => isBad && names.includes(name))
      .sort((one, other) => one.names.length - other.names.length)[0];
    const isAgain = culprit?.isCertain === true;
    const verb = isAgain ? 'breaks' : 'broke';
    const who = culprit?.kind === 'host' ? `${verb} every run` : `${verb} with ${culprit?.hosts.join(', ')}`;
    const doubt = isAgain ? '' : ', but not when tried again';
    return { node: nodeOf(name), reason: `${who}${doubt}: ${least?.why ?? 'did not run'}` };
  });
  const unseen = nodes
    .filter((node) => !trials.some(({ isBad, names }) => !isBad && isIn(names, node)))
    .map((node) => ({ node, reason: 'took part in no good run' }));
  return culprit?.kind === 'host' && culprit.isCertain
    ? { nodes, failing: [...failed, ...named], unknown: unseen }
    : { nodes, failing: failed, unknown: named.length > 0 ? [...named, ...unseen] : unseen };
}
