// Checks that reports of agents are possible: every rank once, times within the wait, counts that can be added up.
import type { LaunchRanks, LaunchRequest, MeasureReply } from './launch.ts';
import type { RankOutcome } from './protocol.ts';

/**
 * Maximum number of elements or bytes per nanosecond that a report may claim: 8192, which is 8 TB/s. No machine moves or
 * compares more.
 */
const maxPerNs = 8192;

/**
 * Checks that a `ready` message can be true: it names exactly the requested ranks, with a start within the deadline and possible
 * process ids.
 * @param marginMs milliseconds that an agent may take beyond the deadline of the request
 * @returns the problem, worded to follow "sent an invalid message:"; null if there is none
 */
export function readyProblem(
  { ranks, setupNs }: LaunchRanks,
  { localRanks, deadlineMs }: Pick<LaunchRequest, 'localRanks' | 'deadlineMs'>,
  marginMs: number,
): string | null {
  return (
    ranksProblem('ready', ranks, localRanks) ??
    countProblem('setupNs', setupNs, (deadlineMs + marginMs) * 1e6) ??
    first(ranks, ({ rank, pid }) => within(rank, countProblem('pid', pid, 2 ** 22)))
  );
}

/**
 * Checks that a `measured` message can be true: it names exactly the expected ranks, with times within the duration of the block
 * and possible counts.
 * @param spanMs maximum duration of the block, ms
 * @param localRanks ranks that the agent must report, numbered as in the launch
 * @returns the problem, worded to follow "sent an invalid message:"; null if there is none
 */
export function measuredProblem(
  { ranks, interfaceBytes }: MeasureReply,
  localRanks: readonly number[],
  spanMs: number,
): string | null {
  const maxNs = spanMs * 1e6;
  return (
    ranksProblem('measured', ranks, localRanks) ??
    first(ranks, (outcome) => within(outcome.rank, outcomeProblem(outcome, maxNs))) ??
    spanProblem(ranks, maxNs) ??
    first(Object.entries(interfaceBytes), ([name, bytes]) =>
      countProblem(`interfaceBytes of ${name}`, bytes, Number.MAX_SAFE_INTEGER),
    )
  );
}

/**
 * Finds an agent's report whose times are on a wrong clock. All times should be on the clock of rank 0. So they should differ from
 * the times of rank 0 by at most the duration of a block.
 * @param spanMs maximum duration of the block, ms
 * @param parts reports of the agents about one block
 * @returns index in `parts` of the first report with wrong times; -1 = none, or no report has rank 0
 */
export function strayPart(parts: readonly MeasureReply[], spanMs: number): number {
  const starts = parts.map(({ ranks }) => earliest(ranks));
  const reference = starts[parts.findIndex(({ ranks }) => ranks.some(({ rank }) => rank === 0))];
  if (reference === undefined) return -1;
  return starts.findIndex((startNs) => Math.abs(startNs - reference) > spanMs * 1e6);
}

function ranksProblem(
  what: string,
  told: readonly { rank: number }[],
  localRanks: readonly number[],
): string | null {
  const missing = new Set(localRanks);
  for (const { rank } of told) {
    if (missing.delete(rank)) continue;
    return localRanks.includes(rank)
      ? `${what} names rank ${rank} twice`
      : `${what} names rank ${rank}, which does not run there`;
  }
  const [absent] = missing;
  return absent === undefined ? null : `${what} does not name rank ${absent}`;
}

function outcomeProblem(outcome: RankOutcome, maxNs: number): string | null {
  const { wrong, counters, beside } = outcome;
  const { wrongElements, comparedElements } = wrong;
  const amounts = { wrongElements, comparedElements, ...counters };
  const times = {
    windowNs: [outcome.windowNs],
    markNs: [outcome.markNs],
    checkingNs: [outcome.checkingNs],
    warmupNs: outcome.warmupNs,
    enqueueNs: outcome.enqueueNs,
    ...(beside === undefined ? {} : { aloneNs: [beside.aloneNs], timedNs: [beside.timedNs] }),
  };
  return (
    countsProblem(wrong) ??
    (outcome.batch < 1 ? `batch ${outcome.batch}` : null) ??
    first(['batch', 'operations', 'checks'] as const, (name) => countProblem(name, outcome[name], maxNs)) ??
    first(Object.entries(amounts), ([name, value]) => countProblem(name, value ?? 0, maxNs * maxPerNs)) ??
    first(Object.entries(times), ([name, values]) =>
      first(values, (value) => countProblem(name, value, maxNs)),
    )
  );
}

/**
 * Checks a rank's counts of wrong elements. The agent checks them by the same rule (native/agent/verification_totals.h).
 * @returns the problem, worded to follow "sent an invalid message:"; null if there is none
 */
export const countsProblem = ({
  wrongElements,
  comparedElements,
}: Pick<RankOutcome['wrong'], 'wrongElements' | 'comparedElements'>): string | null =>
  wrongElements > comparedElements ? `${wrongElements} wrong of ${comparedElements} compared elements` : null;

const timesOf = ({ commonStartNs, startNs, endNs }: RankOutcome) => [commonStartNs, startNs, endNs];

/** Returns the earliest measured time (common start, start or end of a sample) of all ranks, ns; infinity without samples. */
function earliest(ranks: readonly RankOutcome[]): number {
  let lowest = Number.POSITIVE_INFINITY;
  for (const times of ranks.flatMap(timesOf)) for (const time of times) lowest = Math.min(lowest, time);
  return lowest;
}

/**
 * Checks that all times of a block lie within the allowed duration after the earliest time.
 * @param maxNs allowed duration, ns
 * @returns the problem; null if there is none
 */
function spanProblem(ranks: readonly RankOutcome[], maxNs: number): string | null {
  const fromNs = earliest(ranks);
  for (const outcome of ranks) {
    for (const times of timesOf(outcome))
      for (const time of times)
        if (time - fromNs > maxNs)
          return `rank ${outcome.rank} has times ${time - fromNs} ns apart in a block of at most ${maxNs} ns`;
  }
  return null;
}

const countProblem = (name: string, value: number, most: number): string | null =>
  value >= 0 && value <= most ? null : `${name} is ${value}, allowed are 0 to ${most}`;

const within = (rank: number, problem: string | null): string | null =>
  problem === null ? null : `rank ${rank}: ${problem}`;

function first<T>(all: readonly T[], problemOf: (one: T) => string | null): string | null {
  for (const one of all) {
    const problem = problemOf(one);
    if (problem !== null) return problem;
  }
  return null;
}
