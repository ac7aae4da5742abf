import type { Failure } from '../../results/schema/index.ts';
import { culpritOfHang, firstCause, type HostOutcome } from './blame.ts';
import { consequenceText, type LaunchContext, launchFailureText } from './failure-text.ts';
import { failureOf, launchFailed, progressLines } from './failures.ts';
import { ranksText } from './forensics.ts';
import { hostFailureLines } from './host-failure-lines.ts';

/**
 * Merges the reports of several agents about one failed launch into one failure. The result describes the host where the trouble
 * began; for a hang, the host whose rank holds up the others. It has the progress of the ranks of all hosts. For each host, also
 * without failure, one line of `details` names its ranks and says how the launch ended there.
 * @param ends end of the launch on each of its hosts
 * @param where activity at that time, which the failure names
 * @throws {RangeError} if no host failed
 */
export function mergeFailures(ends: readonly HostOutcome[], where: LaunchContext): Failure {
  const first = firstCause(ends);
  const failure = failureOfAll(first, ends, where);
  const home = homeOf(failure, ends) ?? first;
  const lines = ends.map(
    (one) => `${one.host} (${ranksText(one.ranks)}): ${endText(one, one === home, failure.rank, where)}`,
  );
  return { ...failure, details: [...failure.details, ...hostFailureLines(failedOf(ends)), ...lines] };
}

const failedOf = (ends: readonly HostOutcome[]) =>
  ends.flatMap(({ host, end }) => (end.is === 'failed' ? [{ host, message: end.message }] : []));

/**
 * Returns the host of the rank that caused a hang, because the agent that reports a hang first may be on another host. Undefined
 * for other failures, or if no rank stands out.
 */
const homeOf = ({ kind, rank }: Failure, ends: readonly HostOutcome[]): HostOutcome | undefined =>
  kind === 'hang' && rank !== null ? ends.find(({ ranks }) => ranks.includes(rank)) : undefined;

function failureOfAll(first: HostOutcome, ends: readonly HostOutcome[], where: LaunchContext): Failure {
  const { end } = first;
  const messages = failedOf(ends).map(({ message }) => message);
  const ranks = messages.flatMap((message) => message.ranks).sort((a, b) => a.rank - b.rank);
  if (end.is === 'lost') {
    return { ...end.failure, details: [...end.failure.details, ...progressLines(ranks, null)] };
  }
  if (end.is !== 'failed') throw new RangeError(`${first.host} did not fail`);
  // Interfaces and RAS stay empty here, because mergeFailures() lists them for all hosts at once.
  const withAllRanks = { ranks, traffic: [], ras: [] };
  if (end.message.kind !== 'hang') {
    return launchFailed(first.host, { ...end.message, ...withAllRanks }, where);
  }
  const culprit = culpritOfHang(messages);
  const home = ends.find((one) => culprit !== null && one.ranks.includes(culprit));
  const hosts = ends.map(({ host }) => host).join(', ');
  // The agent on the host of this rank is the only one that can read the state of its process.
  const { message } = home?.end.is === 'failed' ? home.end : end;
  const failure = launchFailed(home?.host ?? hosts, { ...message, ...withAllRanks }, where, culprit);
  return failureOf(where, { ...failure, host: home?.host ?? null });
}

function endText(
  { end }: HostOutcome,
  isHome: boolean,
  culprit: number | null,
  where: LaunchContext,
): string {
  const began = isHome ? ', it failed first' : '';
  switch (end.is) {
    case 'waiting':
      return 'its agent answers, its ranks were waiting';
    case 'done':
      return 'its ranks had finished';
    case 'lost':
      return end.isSilent ? `fell silent${began}` : `its agent was lost${began}`;
    case 'failed': {
      const { message } = end;
      if (message.kind === 'hang') {
        return isHome && culprit !== null
          ? `rank ${culprit} held up the others${began}`
          : 'its ranks waited until the deadline';
      }
      return consequenceText(message) ?? `${launchFailureText(message, message.rank, null, where)}${began}`;
    }
  }
}
