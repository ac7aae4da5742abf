// Finds the rank and host that caused a launch to fail, by one rule for one host and for several.
import type { Failure } from '../../results/schema/index.ts';
import type { AgentMessage, RankProgress } from '../protocol.ts';
import { errorCodes } from './error-codes.ts';

export type FailedMessage = Extract<AgentMessage, { type: 'failed' }>;

/**
 * End of a launch on one of its hosts, as far as the host's agent reported it in time. `host`: name of the host in the plan.
 * `end.is`: failed, lost, waiting or done.
 */
export interface HostOutcome {
  host: string;
  /** Ranks of the launch on the host, numbered as in the run. */
  ranks: readonly number[];
  end: /** The agent reported how the launch ended. `heardMs`: arrival on the clock of performance.now(), ms. */
    | { is: 'failed'; message: FailedMessage; heardMs: number }
    /**
     * The agent died, fell silent (`isSilent`) or sent an invalid message. `heardMs`: performance.now() when the controller noticed
     * it.
     */
    | { is: 'lost'; failure: Failure; isSilent: boolean; heardMs: number }
    /** The agent answers, but has reported no end of the launch: its ranks still wait for ranks on other hosts. */
    | { is: 'waiting' }
    /** The agent had answered the request: the ranks on this host had connected, or had finished the block. */
    | { is: 'done' };
}

/**
 * Returns a number that says how well the end of a launch on one host explains its end on the other hosts; higher is better. From
 * high to low: a rank that died or an agent that was lost (but not silent), an error of a rank, a silent host, a hang; then ranks
 * that lost a peer, ranks that were stopped. A hang is below all original errors, because it only shows that ranks wait for another
 * rank. 0 = the host did not fail (waiting or done).
 */
function causalRank({ end }: HostOutcome): number {
  if (end.is === 'waiting' || end.is === 'done') return 0;
  if (end.is === 'lost') return end.isSilent ? 5 : 7;
  const { kind, code } = end.message;
  if (kind === 'rank-died') return 7;
  if (kind === 'hang') return 4;
  return errorCodes.get(code)?.consequence?.order ?? 6;
}

const heardMs = ({ end }: HostOutcome): number => ('heardMs' in end ? end.heardMs : Number.POSITIVE_INFINITY);

/**
 * Returns the host on which the failure of a launch began: the host whose end best explains the ends on the other hosts
 * (causalRank()). Among equal hosts it is the one whose end the controller heard of first.
 * @throws {RangeError} if no host failed, or the list is empty
 */
export function firstCause(ends: readonly HostOutcome[]): HostOutcome {
  const [first] = [...ends].sort((a, b) => causalRank(b) - causalRank(a) || heardMs(a) - heardMs(b));
  if (first === undefined || causalRank(first) === 0) throw new RangeError('no host of the launch failed');
  return first;
}

/**
 * Returns the rank that holds up all others in a hang, numbered as in the run; null if no rank stands out. A suspect is the rank
 * that an agent's message names (`rank`), if any. The first rule that finds a rank decides: a dead rank; a suspect that its agent
 * saw outside of the operation, or stopped by a signal; the rank with the least progress, if no other rank has as little; a suspect
 * among the ranks with the least progress; the suspect that is furthest behind.
 * @param messages reports of the agents about the hang, with the progress of their ranks
 */
export function culpritOfHang(messages: readonly FailedMessage[]): number | null {
  const ranks = messages.flatMap((message) => message.ranks);
  const dead = ranks.find(({ alive }) => !alive);
  if (dead !== undefined) return dead.rank;
  const suspects = messages.filter(({ rank }) => rank !== null);
  const halted = suspects.find(
    ({ code, processState }) =>
      errorCodes.get(code)?.hang?.isAbsent === true || processState.toUpperCase() === 'T',
  );
  if (halted !== undefined) return halted.rank;
  const order = [...ranks].sort(compareProgress);
  const last = order.filter((rank) => compareProgress(rank, order[0] as RankProgress) === 0);
  if (last.length === 1 && ranks.length > 1) return last[0]?.rank ?? null;
  const suspected = ({ rank }: RankProgress): boolean => suspects.some((message) => message.rank === rank);
  return (last.find(suspected) ?? order.find(suspected))?.rank ?? null;
}

const compareProgress = (a: RankProgress, b: RankProgress): number =>
  a.block - b.block || a.iterationsDone - b.iterationsDone;
