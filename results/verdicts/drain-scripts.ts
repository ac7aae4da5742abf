// Makes shell scripts with a scheduler's own commands, so that the scheduler avoids faulty nodes.

/** Verdict about a node. Its name and reason contain no character that a shell or a scheduler interprets. */
export interface NodeVerdict {
  node: string;
  verdict: 'pass' | 'fail' | 'unknown';
  /** Reason that begins with the command: "collbench pairs: bandwidth over socket: 4.1 GB/s, ..."; "" for a node that passes. */
  reason: string;
}

/** Key of the taint that is put on faulty nodes of Kubernetes; `annotation`: key of the annotation with the reason. */
const taint = 'collbench/faulty';
const annotation = 'collbench/reason';

/**
 * Returns a script for /bin/sh with the commands for each node that fails. All commands are tried; the script's exit code is 1 if
 * one failed. Nodes without a verdict are listed in comments, nodes that pass only counted. The text ends with a line break.
 * @param command name of the collbench command
 * @param effect text for the first lines: the effect of the script, and how to undo it
 * @param commandsFor returns the shell commands for a node; their exit code says whether they worked
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

/**
 * Returns a shell script that drains the failing nodes in Slurm, so that no jobs start there. A node that is already drained keeps
 * its reason, because somebody else may have drained it.
 */
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
