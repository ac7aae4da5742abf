// Sentences about launches that failed, from the data that agents report.
import type { FailedMessage } from './blame.ts';
import { errorCodes } from './error-codes.ts';

/**
 * Data for the sentence about a failure: host, activity, phase (such as setup, measure or stop) and deadline in ms at the time of
 * the failure. Fields that are null are not mentioned.
 */
export interface LaunchContext {
  host: string | null;
  /** Activity in words, to follow "in" or "while": "setting up socket", "allreduce 64 MiB over socket". */
  doing: string;
  /** Name of the launch that is being started: "socket (launch 1)"; absent if none is being started. */
  launchName?: string;
  phase: string;
  /** Number of operations of the block, warm-up included; null if the number is not fixed in advance, or no block is measured. */
  operations: number | null;
  deadlineMs: number | null;
  /** Command line that repeats only the failed measurement, for printing; null if there is none. */
  again: string | null;
}

/** Returns the context of an activity; fields that are not in `known` are null. */
export const contextOf = (
  doing: string,
  phase: string,
  known: Partial<LaunchContext> = {},
): LaunchContext => ({
  ...{ host: null, doing, phase, operations: null, deadlineMs: null, again: null },
  ...known,
});

export function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

export const gerund = (where: LaunchContext): string =>
  where.phase === 'measure' ? `measuring ${where.doing}` : where.doing;

/**
 * Returns a text about what the ranks did when the launch failed, without a space before it: "in allreduce 1 KiB over socket,
 * operation 17 of 42", "while connecting over socket (launch 1)".
 * @param suspect rank whose operation is named; null, or a rank that the message does not list = the first rank of the message
 * @param where activity, phase and deadline that the text of a failure names
 */
function activityText(
  { activity, ranks }: FailedMessage,
  suspect: number | null,
  where: LaunchContext,
): string {
  switch (activity) {
    case 'starting':
      return 'while starting';
    case 'connecting':
      return where.launchName === undefined
        ? 'while connecting'
        : `while connecting over ${where.launchName}`;
    case 'idle':
      return where.phase === 'measure' ? `before ${where.doing}` : 'between two measurements';
    case 'measuring': {
      const { iterationsDone } = ranks.find(({ rank }) => rank === suspect) ?? ranks[0] ?? {};
      if (iterationsDone === undefined) return `in ${where.doing}`;
      // Late samples are repeated, and a GPU runs a batch before the first sample, so there may be more operations than planned.
      const isPlanned = where.operations !== null && iterationsDone < where.operations;
      const total = isPlanned ? ` of ${where.operations}` : '';
      return `in ${where.doing}, operation ${iterationsDone + 1}${total}`;
    }
  }
}

function deathText({ code, exitStatus, outOfMemory }: FailedMessage): string {
  if (outOfMemory) return `was killed by the kernel's out-of-memory killer (${code})`;
  return exitStatus === null ? `was killed by ${code}` : `exited with code ${exitStatus}`;
}

const stateTexts: Record<string, string> = {
  T: ': it is stopped by a signal (process state T)',
  t: ': it is stopped by a debugger (process state t)',
  D: ': it waits inside the kernel (process state D)',
};

/**
 * Returns the sentence about a hang, without full stop.
 * @param suspect rank that caused the hang; null if no rank stands out
 * @param on " on HOST", with a space before it, or "" if the host is not named
 * @param where activity, phase and deadline that the text of a failure names
 */
function hangText(message: FailedMessage, suspect: number | null, on: string, where: LaunchContext): string {
  const at = activityText(message, suspect, where);
  const deadline = where.deadlineMs === null ? '' : ` (deadline ${seconds(where.deadlineMs)})`;
  if (suspect === null) return `no rank${on} made progress ${at}${deadline}`;
  const isOwn = suspect === message.rank;
  const text = errorCodes.get(message.code)?.hang?.text;
  if (isOwn && text !== undefined) {
    const process = message.workerPid === null ? 'it' : `its process ${message.workerPid}`;
    return `rank ${suspect}${on} ${text(process)}${deadline}`;
  }
  const state = isOwn ? (stateTexts[message.processState] ?? '') : '';
  return `rank ${suspect}${on} stopped answering ${at}${deadline}${state}`;
}

/**
 * Returns one sentence about how a launch ended on a host, without full stop.
 * @param suspect rank to name in a hang; null if none stands out
 * @param host name of the host; null leaves it out, for lines that already begin with it
 * @param where activity, phase and deadline that the text of a failure names
 */
export function launchFailureText(
  message: FailedMessage,
  suspect: number | null,
  host: string | null,
  where: LaunchContext,
): string {
  const on = host === null ? '' : ` on ${host}`;
  if (message.kind === 'hang') return hangText(message, suspect, on, where);
  const who = message.rank === null ? `a rank${on}` : `rank ${message.rank}${on}`;
  if (message.kind === 'rank-died')
    return `${who} ${deathText(message)} ${activityText(message, message.rank, where)}`;
  if (message.activity === 'starting') return `${who} could not be started: ${message.reason}`;
  return `${who} failed ${activityText(message, message.rank, where)}: ${message.reason}`;
}

/**
 * Returns a text such as "rank 3 lost the connection to a peer" about a host on which a rank ended only because a rank on another
 * host had ended. Null if the rank failed by itself, or the code of the message is not known.
 * @param message report of the host's agent
 */
export function consequenceText(message: FailedMessage): string | null {
  const { consequence } = errorCodes.get(message.code) ?? {};
  if (consequence === undefined) return null;
  return `${message.rank === null ? 'a rank' : `rank ${message.rank}`} ${consequence.text}`;
}
