// Shell scripts that make a scheduler avoid faulty nodes, with its own commands.

/** Verdict about a node. A name or reason has no character that a shell or a scheduler interprets. */
export interface NodeVerdict {
  node: string;
  verdict: 'pass' | 'fail' | 'unknown';
  /** Reason that begins with the command: "collbench pairs: 4.1 GB/s"; "" for a node that passes. */
  reason: string;
}

/** Keys of the taint and of the annotation with the reason, on nodes of Kubernetes. */
const taint = 'collbench/faulty';
const annotation = 'collbench/reason';

/**
 * A script with the commands for each node that fails. Every command is tried; the exit code is 1 if one failed. Nodes without a
 * verdict are comments.
 * @param effect text for the first lines: the effect of the script, and how to undo it
 * @param commandsFor commands for a node; their exit code says whether they worked
 */
function script(
  command: string,
  verdicts: readonly NodeVerdict[],
  effect: string,
  commandsFor: (node: NodeVerdict) => string,
): string {
  const failing = verdicts.filter(({ verdict }) => verdict === 'fail');
  const unknown = verdicts.filter(({ verdict }) => verdict === 'unknown');
  return [
    '#!/bin/sh',
    `# collbench ${command}: ${failing.length} of ${verdicts.length} nodes failed; no verdict about ${unknown.length}.`,
    `# ${effect}`,
    ...unknown.map(({ node, reason }) => `# ${node} unknown: ${reason}`),
    'code=0',
    ...failing.map((one) => `{ ${commandsFor(one)}; } || code=1`),
    'exit $code',
    '',
  ].join('\n');
}

/** A node that is drained already keeps its reason, because somebody else may have drained it. */
export const slurmScript = (command: string, verdicts: readonly NodeVerdict[]): string =>
  script(
    command,
    verdicts,
    'Drains nodes that are not drained already. To undo: scontrol update NodeName=NODE State=RESUME',
    ({ node, reason }) =>
      `sinfo --noheader --nodes=${node} --states=drain --format=%n | grep -q . ||\n` +
      `  scontrol update NodeName=${node} State=DRAIN Reason='${reason}'`,
  );

export const kubernetesScript = (command: string, verdicts: readonly NodeVerdict[]): string =>
  script(
    command,
    verdicts,
    `Taints nodes: no new pods start there. To undo: kubectl taint node NODE ${taint}-`,
    ({ node, reason }) =>
      `kubectl taint node ${node} --overwrite ${taint}=${command}:NoSchedule &&\n` +
      `  kubectl annotate node ${node} --overwrite ${annotation}='${reason}'`,
  );
