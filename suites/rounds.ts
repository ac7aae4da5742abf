// Rounds of a launch: each measures all points once, so that every size is sampled over the whole time of the launch.
import type { BlockRequest, RunPlan } from '../results/schema/index.ts';
import { estimateBlockNs } from './costs.ts';
import { planningOf } from './engines/index.ts';
import { schedule } from './schedule.ts';

/**
 * Launchers that can start the agents of two runs at the same time. A Slurm step, for example, takes all processors of its job, so
 * Slurm is not among them.
 */
const concurrentLaunchers: readonly string[] = ['local', 'ssh'];

/**
 * True if two launches of this plan can run at the same time and measure in turn: their blocks are known in advance (no adaptive
 * sampling), there are no groups, the ranks are processes on CPUs, the launcher can start both, and their buffers are small.
 */
export const canTakeTurns = (plan: RunPlan): boolean =>
  plan.inProcess !== true &&
  plan.sampling.adaptive === undefined &&
  plan.groups === undefined &&
  concurrentLaunchers.includes(plan.launcher ?? 'local') &&
  planningOf(plan).devices === null &&
  !schedule(plan).some(({ release }) => release);

/**
 * Seconds that all rounds of a launch together take. It is about as long as the start of a launch, so that about half of the time
 * is spent measuring.
 */
const roundsS = 0.6;
/** Limits of the number of rounds of a launch. The minimum is low, because long rounds need no repetition. */
const [minRounds, maxRounds] = [2, 24];

/**
 * Divides the blocks of one launch into rounds: round k has block k of each point, transport and timing mode. Then the isolated
 * blocks of the first round are repeated as further rounds, until all rounds together take about `roundsS` (2 to 24 rounds).
 * @returns [round][block]; `completesCell` is true on the last block of each configuration
 */
export function roundsOf(plan: RunPlan, blocks: readonly BlockRequest[]): BlockRequest[][] {
  const rounds: BlockRequest[][] = [];
  const numbers = new Map<string, number>();
  for (const block of blocks) {
    const key = `${block.point} ${block.transport} ${block.trial}`;
    const number = numbers.get(key) ?? 0;
    numbers.set(key, number + 1);
    const round = rounds[number] ?? [];
    rounds[number] = round;
    round.push(block);
  }
  const isolated = rounds.map((round) => round.filter(({ trial }) => trial === 'isolated'));
  const roundNs = (isolated[0] ?? []).reduce((sum, block) => {
    const point = plan.points[block.point];
    return point === undefined ? sum : sum + estimateBlockNs(plan, point, block.transport, block);
  }, 0);
  const count = Math.min(maxRounds, Math.max(minRounds, Math.round((roundsS * 1e9) / Math.max(1, roundNs))));
  const repeated = isolated[0] ?? [];
  while (repeated.length > 0 && rounds.length < count) rounds.push([...repeated]);
  return withLast(rounds);
}

/** Returns the rounds with `completesCell` true on the last block of each configuration, and false on all others. */
function withLast(rounds: readonly BlockRequest[][]): BlockRequest[][] {
  const open = new Set<string>();
  return rounds
    .toReversed()
    .map((round) =>
      round
        .toReversed()
        .map((block) => {
          const key = `${block.point} ${block.transport}`;
          const completesCell = !open.has(key);
          open.add(key);
          return { ...block, completesCell };
        })
        .toReversed(),
    )
    .toReversed();
}
