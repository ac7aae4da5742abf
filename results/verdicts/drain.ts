// Writes a verdict per node for schedulers: one line each, which a shell reads with `read -r node verdict reason`.

/** A host with the reason why it is faulty, or why it cannot be judged. */
export interface NodeReason {
  node: string;
  reason: string;
}

export interface DrainResult {
  /** Names of all hosts that took part. Hosts in neither `failing` nor `unknown` pass. */
  nodes: readonly string[];
  failing: readonly NodeReason[];
  /** Hosts without a result, and hosts one of which is faulty without knowing which. */
  unknown: readonly NodeReason[];
}

const maxReason = 200;
/** Pattern of characters that are replaced by a blank, because a shell or Slurm's `scontrol` may interpret them. */
const unsafe = /[^\p{L}\p{N} .,:;%+=<>()/_-]+/gu;

/** Returns the reasons of each host by its name, without characters that a shell may interpret; equal reasons only once. */
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

/**
 * Returns one line per host, in the given order: "gpu01 pass\ngpu03 fail collbench pairs: 4.1 GB/s where 9.5 GB/s is typical\n".
 * A host that fails and is unknown fails; hosts only in the reasons follow. Reasons end after 200 characters.
 */
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
      return `${node} ${verdict} ${`collbench ${command}: ${said}`.slice(0, maxReason)}\n`;
    })
    .join('');
}
