import { reachChecks, unreachableHosts } from '../doctor/checks/connections.ts';
import type { HostConnection } from '../doctor/cluster.ts';
import type { ClusterDiagnosis } from '../doctor/examine.ts';
import type { DrainResult, NodeReason } from './drain.ts';

/**
 * True if the check with this id is about connections between hosts. foundByDoctor() assigns their errors to hosts itself, from the
 * single connections.
 */
const isOfConnections = (id: string): boolean => reachChecks.some((check) => check.id === id);

const wayText = ({ from, to, detail, outcome }: HostConnection): string =>
  `${from} - ${to}: ${detail || outcome}`;

/**
 * Returns from the findings of `collbench doctor` which hosts are faulty (`failing`) and which cannot be judged (`unknown`). A host
 * fails if it did not answer, could not open a port, no other host reaches it, or a check found an error on it. If the connection
 * of two hosts is broken, both are unknown. If an error is about all hosts together, such as different versions, all are unknown; a
 * single host fails. A host may occur several times, also in both lists.
 */
export function foundByDoctor({ findings, view }: Pick<ClusterDiagnosis, 'findings' | 'view'>): DrainResult {
  const nodes = view.hosts.map(({ name }) => name);
  const failing: NodeReason[] = view.hosts.flatMap(({ name, unreached, listener }) => [
    ...(unreached === null ? [] : [{ node: name, reason: `not reached: ${unreached}`, cause: 'unreached' }]),
    ...(listener === null || listener.problem === ''
      ? []
      : [{ node: name, reason: `no port: ${listener.problem}`, cause: 'listener' }]),
  ]);
  const closed = unreachableHosts(view.connections);
  failing.push(...closed.map((node) => ({ node, reason: 'no other host reaches it', cause: 'closed' })));
  const unknown = view.connections
    .filter(({ outcome, to }) => outcome !== 'through' && !closed.includes(to))
    .flatMap((connection) =>
      [connection.from, connection.to].map((node) => ({ node, reason: wayText(connection) })),
    );
  for (const { id, severity, hosts, title, observation } of findings) {
    if (severity !== 'error') continue;
    const reason = `${title}: ${observation}`;
    failing.push(...hosts.map((node) => ({ node, reason, cause: id })));
    if (hosts.length > 0 || isOfConnections(id)) continue;
    (nodes.length === 1 ? failing : unknown).push(...nodes.map((node) => ({ node, reason })));
  }
  return { nodes, failing, unknown };
}
