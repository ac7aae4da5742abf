// A verdict per node, for schedulers: a line each, as a shell reads them with `read -r node verdict reason`.

/** What was found of a node. */
export interface NodeReason {
  node: string;
  reason: string;
}

export interface DrainResult {
  /** All nodes that took part; those of neither list below pass. */
  nodes: readonly string[];
  failing: readonly NodeReason[];
  /** Nodes of which nothing can be said, or of which one of several is to blame. */
  unknown: readonly NodeReason[];
}

const mostReason = 200;
/** What a shell or `scontrol` would take for more than text. */
const unsafe = /[^\p{L}\p{N} .,:;%+=<>()/_-]+/gu;

/** By the name that goes into the file; a reason once. */
function byNode(found: readonly NodeReason[]): Map<string, Set<string>> {
  const reasons = new Map<string, Set<string>>();
  for (const { node, reason } of found) {
    const name = plainNode(node);
    reasons.set(name, new Set([...(reasons.get(name) ?? []), reason]));
  }
  reasons.delete('');
  return reasons;
}

const plainNode = (node: string): string => node.replace(/[^A-Za-z0-9._-]+/g, '');

/** "gpu01 pass\ngpu03 fail collbench pairs: 4.1 GB/s where 9.5 GB/s is typical\n": each node once, in the order given. */
export function drainText(command: string, { nodes, failing, unknown }: DrainResult): string {
  const [failed, unclear] = [byNode(failing), byNode(unknown)];
  const names = new Set([...nodes.map(plainNode), ...failed.keys(), ...unclear.keys()]);
  names.delete('');
  return [...names]
    .map((node) => {
      const reasons = failed.get(node) ?? unclear.get(node);
      if (reasons === undefined) return `${node} pass\n`;
      const said = [...reasons].join('; ').replaceAll(unsafe, ' ').replaceAll(/\s+/g, ' ').trim();
      const verdict = failed.has(node) ? 'fail' : 'unknown';
      return `${node} ${verdict} ${`collbench ${command}: ${said}`.slice(0, mostReason)}\n`;
    })
    .join('');
}
