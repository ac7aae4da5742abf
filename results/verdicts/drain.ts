// Writes the verdicts about nodes for schedulers: as a list, or as a script of the scheduler's own commands.
import { kubernetesScript, type NodeVerdict, slurmScript } from './drain-scripts.ts';

/** A host (`node`: its name) with the reason why it is faulty, or why it cannot be judged. */
export interface NodeReason {
  node: string;
  reason: string;
  /**
   * Name of the check or failure behind the reason. Several hosts may fail by one common cause; absent = the cause can only be this
   * host.
   */
  cause?: string;
}

export interface DrainResult {
  /** Names of all hosts that took part. Hosts in neither `failing` nor `unknown` pass. */
  nodes: readonly string[];
  failing: readonly NodeReason[];
  /** Hosts without a result, and hosts of which one is faulty but it is not known which. A host that is also in `failing` fails. */
  unknown: readonly NodeReason[];
}

/**
 * Forms of `--drain-as`. list: one line per node, which a shell reads with `read -r node verdict reason`. The others are scripts
 * that drain or taint the nodes that fail.
 */
const drainForms = {
  list: (_: string, verdicts: readonly NodeVerdict[]): string =>
    verdicts.map(({ node, verdict, reason }) => `${`${node} ${verdict} ${reason}`.trimEnd()}\n`).join(''),
  slurm: slurmScript,
  kubernetes: kubernetesScript,
} as const;
export type DrainForm = keyof typeof drainForms;

const maxReason = 200;
/** Matches characters that are replaced by a blank, because a shell or Slurm's `scontrol` may interpret them. */
const unsafe = /[^\p{L}\p{N} .,:;%+=<>()/_-]+/gu;

/**
 * Moves hosts from `failing` to `unknown` that fail by a cause which more than half of all hosts have. Such a cause mostly lies in
 * what they share, such as the image, the site's configuration or the machine that runs the command.
 */
function withoutCommonCauses({ nodes, failing, unknown }: DrainResult): DrainResult {
  const hostsWith = (cause: string): number =>
    new Set(failing.flatMap((one) => (one.cause === cause ? [one.node] : []))).size;
  const isCommon = ({ cause }: NodeReason): boolean =>
    cause !== undefined && nodes.length > 1 && hostsWith(cause) > nodes.length / 2;
  const common = failing.filter(isCommon).map(({ node, reason, cause = '' }) => ({
    node,
    reason: `as on ${hostsWith(cause)} of ${nodes.length} hosts, which points to a common cause: ${reason}`,
  }));
  return {
    nodes,
    failing: failing.filter((one) => !isCommon(one)),
    unknown: [...unknown, ...common],
  };
}

/**
 * Returns the reasons for each node, by the node's name without unsafe characters; equal reasons appear once. Nodes whose name
 * consists only of unsafe characters are left out.
 * @param nodeOf returns the scheduler's name of the machine on which a host runs
 */
function byNode(found: readonly NodeReason[], nodeOf: (host: string) => string): Map<string, Set<string>> {
  const reasons = new Map<string, Set<string>>();
  for (const { node, reason } of found) {
    const name = plainNode(nodeOf(node));
    reasons.set(name, new Set([...(reasons.get(name) ?? []), reason]));
  }
  reasons.delete('');
  return reasons;
}

/**
 * Returns the name without characters that a shell may interpret, and without a dash at the start, which would make it an option;
 * "" if nothing remains.
 */
const plainNode = (node: string): string => node.replace(/[^A-Za-z0-9._-]+/g, '').replace(/^-+/, '');

/**
 * Returns the verdicts about all hosts, in the order of `nodes`; hosts that occur only in the reasons follow. A host that is both
 * in `failing` and in `unknown` fails. Reasons are cut to 200 characters.
 * @param command name of the command, with which reasons begin
 * @param nodeOf returns the scheduler's name of the machine on which a host runs; several hosts (pods) on one machine get one
 * verdict
 */
function verdictsOf(command: string, found: DrainResult, nodeOf: (host: string) => string): NodeVerdict[] {
  const { nodes, failing, unknown } = withoutCommonCauses(found);
  const [failed, unclear] = [byNode(failing, nodeOf), byNode(unknown, nodeOf)];
  const names = new Set([
    ...nodes.map((host) => plainNode(nodeOf(host))),
    ...failed.keys(),
    ...unclear.keys(),
  ]);
  names.delete('');
  return [...names].map((node) => {
    const reasons = failed.get(node) ?? unclear.get(node);
    if (reasons === undefined) return { node, verdict: 'pass', reason: '' };
    const text = [...reasons].join('; ').replaceAll(unsafe, ' ').replaceAll(/\s+/g, ' ').trim();
    const reason = `collbench ${command}: ${text}`.slice(0, maxReason);
    return { node, verdict: failed.has(node) ? 'fail' : 'unknown', reason };
  });
}

/**
 * Returns the content of the file of `--drain`, which the caller writes: a verdict `pass`, `fail` or `unknown` (cannot be judged)
 * for each host. Example of the form `list`: "gpu01 pass\ngpu03 fail collbench pairs: bandwidth over socket: 4.1 GB/s, typical
 * 9.5 GB/s\n".
 * @param command name of the command, with which reasons begin
 * @param found all hosts, and the reasons why some of them are faulty (`fail`) or cannot be judged (`unknown`)
 * @param form `list` = one line per host, or `slurm` or `kubernetes` = a script that drains or taints the hosts that fail
 * @param nodeOf returns the scheduler's name of a host; absent = hosts have the scheduler's names
 */
export const drainText = (
  command: string,
  found: DrainResult,
  form: DrainForm = 'list',
  nodeOf: (host: string) => string = (host) => host,
): string => drainForms[form](command, verdictsOf(command, found, nodeOf));
