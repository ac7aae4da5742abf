import { pointText } from '../../results/axis-text.ts';
import { rangesText } from '../../results/fold.ts';
import {
  type Failure,
  failureWith,
  type GroupPlan,
  type RunPlan,
  transportOf,
} from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { planningOf } from '../../suites/engines/index.ts';
import { workloadPlanning } from '../../suites/workloads/index.ts';
import { hostWords } from '../hosts/again.ts';
import { type AgentExit, StartError } from '../launchers/launcher.ts';
import type { RankProgress } from '../protocol.ts';
import { culpritOfHang, type FailedMessage } from './blame.ts';
import { causeOfText, launchCause, sigkillCause } from './causes.ts';
import { errorCodes } from './error-codes.ts';
import { contextOf, gerund, type LaunchContext, launchFailureText, seconds } from './failure-text.ts';
import { forensicLines, ranksText } from './forensics.ts';
import { hostFailureLines } from './host-failure-lines.ts';

export function failureOf(
  where: LaunchContext,
  parts: Partial<Failure> & { kind: string; message: string },
): Failure {
  return failureWith({ host: where.host, phase: where.phase, next: where.again, ...parts });
}

/**
 * Returns the context for failures of a measurement: a text about what was measured, and a command that repeats only this
 * measurement. Host, deadline and number of operations are null, for the caller to fill in.
 * @param point index of a point in the plan
 * @param transport index of a transport in the plan
 * @param phase `setup` or `measure`
 * @param group group of ranks that measures; null = all ranks
 * @throws {RangeError} if the plan has no such point or transport
 */
export function launchContextOf(
  plan: RunPlan,
  point: number,
  transport: number,
  phase: string,
  group: GroupPlan | null = null,
): LaunchContext {
  const cell = plan.points[point];
  const over = plan.transports[transport];
  if (cell === undefined || over === undefined) {
    throw new RangeError(
      `block request for point ${point} over transport ${transport}: the plan has no such cell`,
    );
  }
  const flags = [...workloadPlanning(cell).words(cell), `--ranks ${plan.ranks}`, ...hostWords(plan)];
  if (plan.groups !== undefined) flags.push(`--groups ${plan.groups.rule}`);
  flags.push(...planningOf(plan).optionsOf(plan.settings), `--transport ${transportOf(over)}`);
  for (const [word, value] of Object.entries(over.settings ?? {})) flags.push(`--${word} ${value}`);
  flags.push('--launches 1');
  const doing = `${pointText(cell)} over ${over.name}${groupSuffix(group)}`;
  return contextOf(doing, phase, { again: `collbench ${flags.join(' ')}` });
}

/** Returns the text to append about a group of ranks: " in group rail 0 (ranks 0, 4)"; "" without a group. */
export const groupSuffix = (group: GroupPlan | null): string =>
  group === null ? '' : ` in group ${group.name} (ranks ${rangesText(group.ranks)})`;

/**
 * Returns the failure for an agent process that could not be started (kind setup), or that ended, or lost its connection, although
 * nothing asked it to end (kind agent-lost).
 * @param stderrTail last lines of the agent's stderr, oldest first
 * @param exit how the agent process ended; `startError` is not null if it could not be started
 */
export function agentLost(
  host: string,
  exit: AgentExit,
  stderrTail: string[],
  where: LaunchContext,
): Failure {
  if (exit.startError instanceof StartError) {
    const { message, details, next } = exit.startError;
    return failureOf(where, { kind: 'setup', host, message, details: [...details], next });
  }
  if (exit.startError !== null) {
    const { code, message } = exit.startError as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'EACCES';
    return failureOf(where, {
      kind: 'setup',
      host,
      message: `the agent on ${host} cannot be started: ${message}`,
      details: isAbsent
        ? ['Likely cause: the native code is not built. `npm run build:native` builds it.']
        : causeOfText(message),
      next: isAbsent ? 'npm run build:native' : 'collbench doctor',
    });
  }
  const how =
    exit.lost !== undefined
      ? `was lost: ${exit.lost},`
      : exit.signal === null
        ? `exited with code ${exit.code}`
        : `was killed by ${exit.signal}`;
  const details = stderrTail.map((line) => `${host}: ${line}`);
  if (exit.signal === 'SIGKILL') {
    details.push(sigkillCause);
  }
  details.push(...causeOfText(stderrTail.at(-1) ?? ''));
  return failureOf(where, {
    kind: 'agent-lost',
    host,
    message: `the agent on ${host} ${how} while ${gerund(where)}`,
    details,
  });
}

/**
 * Failure for an agent whose process runs but is silent: it sent no answer within a wait that is longer than its own deadline, or
 * nothing at all during several keepalives.
 * @param missing `no answer` if only the awaited message is missing: the agent may have sent others
 * @param waitedMs milliseconds without this answer, or without any message
 * @param stderrTail last lines of the agent's stderr
 */
export function agentSilent(
  host: string,
  missing: 'nothing' | 'no answer',
  waitedMs: number,
  stderrTail: string[],
  where: LaunchContext,
): Failure {
  return failureOf(where, {
    kind: 'agent-lost',
    host,
    message: `the agent on ${host} sent ${missing} for ${seconds(waitedMs)} while ${gerund(where)} and was killed`,
    details: [
      ...stderrTail.map((line) => `${host}: ${line}`),
      `Likely cause: ${host} is stopped, swapping or overloaded: the agent missed its own deadline.`,
    ],
  });
}

/**
 * Returns the failure (kind agent-lost) for an agent that sent a message that the protocol does not allow.
 * @param what problem of the message, to follow "sent an invalid message:"
 * @param stderrTail last lines of the agent's stderr, oldest first
 * @param where activity at that time, which the failure names
 */
export function agentGarbled(
  host: string,
  what: string,
  stderrTail: string[],
  where: LaunchContext,
): Failure {
  return failureOf(where, {
    kind: 'agent-lost',
    host,
    message: `the agent on ${host} sent an invalid message: ${what}`,
    details: [
      ...stderrTail.map((line) => `${host}: ${line}`),
      'Likely cause: controller and agent are of different builds, or a library prints to stdout.',
    ],
    next: 'npm run build',
  });
}

export function protocolFailure(host: string, theirs: unknown, ours: number, version: unknown): Failure {
  const build = typeof version === 'string' ? ` (version ${version})` : '';
  return failureWith({
    kind: 'setup',
    host,
    phase: 'hello',
    message: `the agent on ${host}${build} speaks protocol ${JSON.stringify(theirs)}, this controller speaks ${ours}`,
    details: ['Likely cause: the agent is from another build than this command.'],
    next: 'npm run build',
  });
}

export function interrupted(where: LaunchContext): Failure {
  return failureOf(where, { kind: 'interrupted', message: `interrupted while ${gerund(where)}`, next: null });
}

/**
 * Returns the failure of a launch, made from an agent's report. Its kind is rank-died, hang or setup.
 * @param suspect rank that the failure names, null = none; default: the rank that the message names, for a hang the rank that
 * stands out among the agent's own ranks
 * @param where activity, phase and deadline that the text of a failure names
 */
export function launchFailed(
  host: string,
  message: FailedMessage,
  where: LaunchContext,
  suspect = message.kind === 'hang' ? culpritOfHang([message]) : message.rank,
): Failure {
  const kind =
    message.kind === 'rank-error' ? (where.phase === 'setup' ? 'setup' : 'rank-died') : message.kind;
  return failureOf(where, {
    kind,
    host,
    rank: suspect,
    phase: message.phase || where.phase,
    message: launchFailureText(message, suspect, host, where),
    details: [
      ...progressLines(message.ranks, suspect),
      ...forensicLines(message.ranks, suspect),
      ...hostFailureLines([{ host, message }]),
      ...launchCause(message, suspect),
    ],
    ...(kind === 'setup' && message.kind === 'setup' ? { next: 'collbench transports --explain' } : {}),
  });
}

/**
 * Returns the failure that a FailureError contains. Any other thrown value becomes a new failure: of kind hang if its code says
 * so, setup if the phase of `where` is setup, otherwise internal. Errors of ranks that are threads of this process may have the
 * fields `rank`, `phase` and `code`, which the failure takes over.
 * @param where activity, phase and deadline that the text of a failure names
 */
export function unexpectedFailure(error: unknown, where: LaunchContext): Failure {
  if (error instanceof FailureError) return error.failure;
  const carried = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const rank = typeof carried.rank === 'number' ? carried.rank : null;
  const text = error instanceof Error ? error.message : String(error);
  const who = rank === null ? '' : `rank ${rank}: `;
  const code = typeof carried.code === 'string' && carried.code !== '' ? ` [${carried.code}]` : '';
  return failureOf(where, {
    kind:
      errorCodes.get(String(carried.code))?.hang !== undefined
        ? 'hang'
        : where.phase === 'setup'
          ? 'setup'
          : 'internal',
    message: `${who}${text}${code} (while ${gerund(where)})`,
    rank,
    phase: typeof carried.phase === 'string' ? carried.phase : where.phase,
    details: [],
  });
}

/**
 * Returns the sentence, with full stop, that is added to a failure if this process did not run for `ms` milliseconds, because this
 * may have caused the failure.
 */
export const stoppedText = (ms: number): string =>
  `This controller itself did not run for ${seconds(Math.round(ms))}: it was stopped, suspended or overloaded.`;

/**
 * Returns lines with the progress of each rank; ranks with equal progress share a line.
 * @param suspect rank that the failure names; its line comes last, with its process id and the time since its last progress. Null,
 * or a rank that is not in `ranks` = no such line
 */
export function progressLines(ranks: RankProgress[], suspect: number | null): string[] {
  const groups = new Map<string, number[]>();
  for (const rank of ranks) {
    if (rank.rank === suspect) continue;
    const state = rank.alive ? `in phase ${rank.phase}` : 'ended';
    const key = `${state}, ${rank.iterationsDone} operations done`;
    groups.set(key, [...(groups.get(key) ?? []), rank.rank]);
  }
  const lines = [...groups].map(([state, members]) => `${ranksText(members)}: ${state}`);
  const own = ranks.find((rank) => rank.rank === suspect);
  if (own !== undefined) {
    const life = own.alive ? `in phase ${own.phase} for ${seconds(Math.round(own.idleMs))}` : 'ended';
    lines.push(`rank ${own.rank} (pid ${own.pid}): ${life}, ${own.iterationsDone} operations done`);
  }
  return lines;
}
