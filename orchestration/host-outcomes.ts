import type { Failure } from '../results/schema/index.ts';
import { failureOf, isSilent, type LaunchContext, launchFailed, progressLines } from './failures.ts';
import { hostFailureLines } from './host-failure-lines.ts';
import type { AgentMessage, RankProgress } from './protocol.ts';
import { ranges } from './ranges.ts';

type FailedMessage = Extract<AgentMessage, { type: 'failed' }>;

/** What became of a launch on one of its hosts, as far as it was told in time. */
export interface HostOutcome {
  host: string;
  /** Ranks that run there. */
  ranks: readonly number[];
  word: /** The agent told how the launch ended; `heardMs` on the controller's clock. */
    | { is: 'failed'; message: FailedMessage; heardMs: number }
    /** The agent died, fell silent or spoke nonsense. */
    | { is: 'lost'; failure: Failure; heardMs: number }
    /** It answers, and has nothing to tell: its ranks still wait. */
    | { is: 'waiting' }
    /** Its ranks had done their part. */
    | { is: 'done' };
}

/** Codes of ranks that ended because of another one. */
export const consequences = ['connection_lost', 'cancelled'];

/**
 * How well the end on one host explains those on the others: what died by itself before an error of its own, that before
 * a host that fell silent, that before a hang, which only says that somebody is waited for, and that before ranks that
 * lost a peer or were told to stop.
 */
function explains({ word }: HostOutcome): number {
  if (word.is === 'waiting' || word.is === 'done') return 0;
  if (word.is === 'lost') return isSilent(word.failure) ? 5 : 7;
  const { kind, code } = word.message;
  if (kind === 'rank-died') return 7;
  if (kind === 'hang') return code === 'slow' ? 3 : 4;
  if (!consequences.includes(code)) return 6;
  return code === 'cancelled' ? 1 : 2;
}

const heardMs = ({ word }: HostOutcome): number =>
  'heardMs' in word ? word.heardMs : Number.POSITIVE_INFINITY;

/**
 * One failure out of what several agents told about the same launch. It is that of the host where it began, of equals the
 * one heard first, with the progress of the ranks of all hosts; a line per host tells who is where and how it ended there.
 * @throws {RangeError} no host failed
 */
export function mergeFailures(words: readonly HostOutcome[], where: LaunchContext): Failure {
  const order = [...words].sort((a, b) => explains(b) - explains(a) || heardMs(a) - heardMs(b));
  const [first] = order;
  if (first === undefined || explains(first) === 0) throw new RangeError('no host of the launch failed');
  const failure = failureOfAll(first, words, where);
  const home = homeOf(failure, words) ?? first;
  const lines = words.map(
    (one) => `${one.host} (${rankText(one.ranks)}): ${ending(one, one === home, failure.rank)}`,
  );
  const heard = words.flatMap(({ host, word }) =>
    word.is === 'failed' ? [{ host, message: word.message }] : [],
  );
  return { ...failure, details: [...failure.details, ...hostFailureLines(heard), ...lines] };
}

/** In a hang the host of the culprit, whose agent need not be the first that was heard. */
const homeOf = ({ kind, rank }: Failure, words: readonly HostOutcome[]): HostOutcome | undefined =>
  kind === 'hang' && rank !== null ? words.find(({ ranks }) => ranks.includes(rank)) : undefined;

function failureOfAll(first: HostOutcome, words: readonly HostOutcome[], where: LaunchContext): Failure {
  const { word } = first;
  const ranks = words
    .flatMap((one) => (one.word.is === 'failed' ? one.word.message.ranks : []))
    .sort((a, b) => a.rank - b.rank);
  if (word.is === 'lost') {
    return { ...word.failure, details: [...word.failure.details, ...progressLines(ranks, null)] };
  }
  if (word.is !== 'failed') throw new RangeError(`${first.host} did not fail`);
  // Interfaces and RAS are told for all hosts at once.
  const message = { ...word.message, traffic: [], ras: [] };
  if (message.kind !== 'hang' || message.code === 'slow') {
    return launchFailed(first.host, { ...message, ranks }, where);
  }
  const culprit = heldUpBy(words, ranks);
  const home = words.find((one) => culprit !== null && one.ranks.includes(culprit));
  // What its agent says about it is worth most; another agent's sentence is about a rank of its own.
  const own =
    home?.word.is === 'failed' && home.word.message.rank === culprit ? home.word.message.message : '';
  const hosts = words.map(({ host }) => host).join(', ');
  const told = launchFailed(home?.host ?? hosts, { ...message, rank: culprit, message: own, ranks }, where);
  return failureOf(where, { ...told, host: home?.host ?? null });
}

/**
 * The rank that holds up all others in a hang over several hosts: a dead one, else of those that have come least far the
 * one that its agent suspects (before others one that could not tell its stack) or the only one, else a suspect of some agent (stopped, stuck in the kernel); null when
 * none stands out.
 */
function heldUpBy(words: readonly HostOutcome[], ranks: readonly RankProgress[]): number | null {
  const dead = ranks.find(({ alive }) => !alive);
  if (dead !== undefined) return dead.rank;
  const suspects = words.flatMap(({ word }) =>
    word.is === 'failed' && word.message.rank !== null ? [word.message.rank] : [],
  );
  const far = (a: RankProgress, b: RankProgress): number =>
    a.block - b.block || a.iterationsDone - b.iterationsDone;
  const order = [...ranks].sort(far);
  const last = order.filter((rank) => far(rank, order[0] as RankProgress) === 0);
  if (last.length === 1 && ranks.length > 1) return last[0]?.rank ?? null;
  const suspected = last.filter(({ rank }) => suspects.includes(rank));
  // Each agent suspects one of its own; who waits in a call still tells its stack.
  const halted = suspected.find(({ stack }) => stack[0]?.startsWith('process state ') === true);
  return (halted ?? suspected[0])?.rank ?? order.find(({ rank }) => suspects.includes(rank))?.rank ?? null;
}

function ending({ word }: HostOutcome, isHome: boolean, culprit: number | null): string {
  const began = isHome ? ', it failed first' : '';
  switch (word.is) {
    case 'waiting':
      return 'its agent answers, its ranks were waiting';
    case 'done':
      return 'its ranks had finished';
    case 'lost':
      return isSilent(word.failure) ? `fell silent${began}` : `its agent was lost${began}`;
    case 'failed': {
      const { rank, kind, code, message } = word.message;
      if (kind === 'hang' && code === 'slow') return 'its ranks made progress';
      if (kind === 'hang') {
        return isHome && culprit !== null
          ? `rank ${culprit} held up the others${began}`
          : 'its ranks waited until the deadline';
      }
      const who = rank === null ? 'a rank' : `rank ${rank}`;
      if (consequences.includes(code)) {
        return code === 'cancelled' ? `${who} was stopped` : `${who} lost the connection to a peer`;
      }
      // Full sentences of an agent begin with the rank and what its host calls itself.
      const plain = message.replace(/^rank \d+ on \S+ /, '');
      return plain === message ? `${who}: ${plain === '' ? kind : plain}${began}` : `${who} ${plain}${began}`;
    }
  }
}

const rankText = (ranks: readonly number[]): string =>
  `${ranks.length === 1 ? 'rank' : 'ranks'} ${ranges(ranks)}`;
