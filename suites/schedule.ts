import { randomSource, shuffle } from '../results/random.ts';
import type { BlockRequest, RunPlan } from '../results/schema/index.ts';
import { attestBlock, sampleCell } from './block-shapes.ts';
import { affordableEffort, type IsDue } from './costs.ts';
import { passGroupsOf } from './passes.ts';

/**
 * A requested block of samples, before the order of measuring is known. `launch` counts from 0 for each transport. `releases`: true
 * if the buffers of the point are so large that they are freed before another launch measures.
 */
type BlockDraft = Omit<BlockRequest, 'release' | 'completesCell' | 'endsLaunch'> & { releases: boolean };

/**
 * Blocks of samples of one point (message size) in one launch of each transport, in random order drawn from the seed. With small
 * buffers the blocks of all transports and timing modes are mixed. With large buffers the blocks of one launch follow each other,
 * so that its memory is freed only once.
 * @param pointIndex index into plan.points
 * @param launch number of the launch, from 0
 * @param effort 1 = the usual number of blocks; lower = fewer blocks, first of slow operations; 0 = one block per timing mode
 * @param random source of random numbers from 0 to 1
 * @throws {RangeError} if the plan has no such point
 */
function orderPoint(
  plan: RunPlan,
  pointIndex: number,
  launch: number,
  effort: number,
  random: () => number,
): BlockDraft[] {
  const point = plan.points[pointIndex];
  if (point === undefined) throw new RangeError(`no point ${pointIndex} in the plan`);
  const { check } = plan.sampling;
  const perLaunch = [...plan.transports.keys()].map((transport): BlockDraft[] => {
    const sampling = sampleCell(plan, point, transport, effort);
    return sampling.blocks.map((block) => ({
      point: pointIndex,
      transport,
      launch,
      ...block,
      checkEvery: check,
      check: check > 0,
      releases: sampling.release,
    }));
  });
  return shuffleBlocks(
    perLaunch,
    perLaunch.some((blocks) => blocks.some((block) => block.releases)),
    random,
  );
}

/**
 * Puts blocks of samples in random order.
 * @param perLaunch blocks by launch: [launch][block]
 * @param staysTogether true = the blocks of a launch follow each other, and launches and the blocks of each are shuffled
 * @param random source of random numbers from 0 to 1
 */
export function shuffleBlocks<T>(
  perLaunch: readonly T[][],
  staysTogether: boolean,
  random: () => number,
): T[] {
  if (!staysTogether) return shuffle(perLaunch.flat(), random);
  return shuffle(perLaunch, random).flatMap((blocks) => shuffle(blocks, random));
}

type LaunchKey = Pick<BlockRequest, 'transport' | 'launch'>;

export const isSameLaunch = (a: LaunchKey, b: LaunchKey | undefined): boolean =>
  b !== undefined && a.transport === b.transport && a.launch === b.launch;

/**
 * Untimed blocks of the `attest` launches: one extra launch per transport, in which each message size runs once and shows which
 * algorithm the engine chooses. Each extra launch ends before the next begins. Empty if the plan has `attest` off.
 */
function attestations(plan: RunPlan): BlockDraft[] {
  if (plan.sampling.attest !== true) return [];
  const { check, launches } = plan.sampling;
  return plan.transports.flatMap((_, transport) =>
    plan.points.map((_, point) => ({
      point,
      transport,
      launch: launches,
      ...attestBlock,
      checkEvery: check,
      check: check > 0,
      releases: false,
    })),
  );
}

/**
 * All blocks of samples of a run in the order of measuring, untimed `attest` blocks first. With adaptive sampling these are only
 * the first blocks of each configuration and launch. Depends only on the plan, which contains the seed.
 * @param isDue returns true for the points and transports to measure; leaving out some does not change the order of the others
 */
export function schedule(plan: RunPlan, isDue: IsDue = () => true): BlockRequest[] {
  const effort = affordableEffort(plan);
  const random = randomSource(plan.sampling.seed);
  const timed = passGroupsOf(plan).flatMap(({ points, launches }) =>
    launches.flatMap((launch) => points.flatMap((point) => orderPoint(plan, point, launch, effort, random))),
  );
  const drafts = [...attestations(plan), ...timed].filter(({ point, transport }) => isDue(point, transport));
  const last = new Map<string, number>();
  drafts.forEach((draft, i) => {
    last.set(`${draft.point}/${draft.transport}`, i);
  });
  return drafts.map(({ releases, ...draft }, i) => ({
    ...draft,
    release: releases && !(drafts[i + 1]?.releases === true && isSameLaunch(draft, drafts[i + 1])),
    completesCell: last.get(`${draft.point}/${draft.transport}`) === i,
    ...(draft.trial === 'attest' && !isSameLaunch(draft, drafts[i + 1]) ? { endsLaunch: true } : {}),
  }));
}
