import { type ClusterDiagnosis, closedHosts, type HostConnection } from '../doctor/index.ts';
import type { DrainResult, NodeReason } from './drain.ts';

/** True for checks of connections between hosts, which foundByDoctor() assigns to hosts itself from the single connections. */
const isOfWays = (id: string): boolean => id.startsWith('reach.');

const wayText = ({ from, to, detail, outcome }: HostConnection): string =>
  `${from} - ${to}: ${detail || outcome}`;

/**
 * Returns from a diagnosis which hosts are faulty. A host fails if it did not answer, if no other host reaches it, or if it has
 * an error of its own. If the connection of two hosts is broken, or if hosts differ, it is not known which one is faulty.
 */
export function foundByDoctor({ findings, view }: Pick<ClusterDiagnosis, 'findings' | 'view'>): DrainResult {
  const nodes = view.hosts.map(({ name }) => name);
  const failing: NodeReason[] = view.hosts.flatMap(({ name, unreached, door }) => [
    ...(unreached === null ? [] : [{ node: name, reason: `not reached: ${unreached}` }]),
    ...(door === null || door.problem === '' ? [] : [{ node: name, reason: `no port: ${door.problem}` }]),
  ]);
  const closed = closedHosts(view.knocks);
  failing.push(...closed.map((node) => ({ node, reason: 'no other host reaches it' })));
  const unknown = view.knocks
    .filter(({ outcome, to }) => outcome !== 'through' && !closed.includes(to))
    .flatMap((knock) => [knock.from, knock.to].map((node) => ({ node, reason: wayText(knock) })));
  for (const { id, severity, hosts, title, saw } of findings) {
    if (severity !== 'error') continue;
    const reason = `${title}: ${saw}`;
    failing.push(...hosts.map((node) => ({ node, reason })));
    if (hosts.length > 0 || isOfWays(id)) continue;
    (nodes.length === 1 ? failing : unknown).push(...nodes.map((node) => ({ node, reason })));
  }
  return { nodes, failing, unknown };
}
