import { type ClusterDiagnosis, closedHosts, type HostConnection } from '../doctor/index.ts';
import type { DrainResult, NodeReason } from './drain.ts';

/** Checks of all hosts together that are told apart by host here. */
const isOfWays = (id: string): boolean => id.startsWith('reach.');

const wayText = ({ from, to, detail, outcome }: HostConnection): string =>
  `${from} - ${to}: ${detail || outcome}`;

/**
 * Hosts that could not be asked, that nobody reaches, or that have an error of their own fail. Of a path that is broken
 * between two, and of what differs between hosts, nobody knows which of them it is.
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
