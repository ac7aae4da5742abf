// Launches on disjoint sets of ranks that measure at the same time: the groups of a run, or any other sets (pairs).
//
// Each set is a launch of its own, with ranks from 0. A round sends one block to all of them with the instant at which they
// begin, on the clock of each machine (clocks.ts). Ranks fill their buffers before it, so that warm-up and samples of all
// sets run side by side. How far they did is kept in the records (BlockRecord.group) and told by results/derive/groups.ts.
//
//   const fleet = new Fleet(plan.hosts, deadlines, onLog);
//   await fleet.start(launcher, agentPath);
//   const outcomes = await measureSets(fleet, plan, [{ name: 'a-b', ranks: [0, 1] }, ...], blocks, { deadlines, token });
//   ... more rounds of sets with the same agents ...
//   await fleet.stop();
import { planOfGroup } from '../../results/derive/index.ts';
import {
  type BlockRecord,
  type BlockRequest,
  type Failure,
  type GroupPlan,
  type LaunchRecord,
  type RunPlan,
  workloadOf,
} from '../../results/schema/index.ts';
import { isSecret } from '../../results/store/environment.ts';
import type { ClockReading } from '../clocks.ts';
import type { Deadlines } from '../deadlines.ts';
import type { LaunchContext } from '../failure-text.ts';
import { groupSuffix, launchContextOf, unexpectedFailure } from '../failures.ts';
import type { Fleet } from '../fleet.ts';
import type { LaunchOpener, LaunchPart, LaunchStart, OpenedLaunch } from '../launch.ts';
import { checkReady, mergeBlock } from '../merge.ts';
import { launchMessage, measureMessage } from './messages.ts';

/** A set of ranks that is to work beside others; in a run without groups the only one, with all ranks. */
export interface RankSet {
  /** Null = all ranks of the run. */
  group: GroupPlan | null;
  /** As the set sees it: its own ranks from 0. */
  plan: RunPlan;
  index: number;
}

export interface StartedSide extends RankSet {
  /** Number of its launch on the wire. */
  wire: number;
  launch: OpenedLaunch;
  startedAtNs: number;
  /** Operations so far: numbering goes on over blocks, so that data differ in every one. */
  iterations: number;
}

export const sidesOf = (plan: RunPlan): RankSet[] =>
  plan.groups === undefined ? [{ group: null, plan, index: 0 }] : setsOf(plan, plan.groups.members);

const setsOf = (plan: RunPlan, sets: readonly GroupPlan[]): RankSet[] =>
  sets.map((group, index) => ({ group, plan: planOfGroup(plan, group), index }));

/** What rounds need beside their blocks. */
export interface RoundContext {
  /** The fleet's, or where launches come from elsewhere than agents; then there is one side only. */
  open: LaunchOpener;
  fleet: Fleet;
  /** Aborts what still runs. */
  signal: AbortSignal;
  deadlines: Deadlines;
  environment: Record<string, string>;
  /** For each launch. */
  token(): string;
}

/**
 * Opens a launch on every side at once.
 * @returns by side; each rejects with a FailureError of its own, and the others can go on
 */
export function openSides(
  plan: RunPlan,
  sides: readonly RankSet[],
  request: BlockRequest,
  { open, fleet, signal, deadlines, environment, token }: RoundContext,
): Promise<{ side: StartedSide; token: string }>[] {
  const shares = fleet.shares(sides.map(({ group }) => group?.ranks ?? []));
  return sides.map(async (side) => {
    const where = launchingAt(plan, request, side.group, deadlines);
    const secret = token();
    const wire = fleet.nextLaunch();
    const message = launchMessage(side.plan, request, { wire, token: secret, environment, deadlines });
    const part: LaunchPart | undefined =
      side.group === null ? undefined : { members: side.group.ranks, shares: shares[side.index] ?? [] };
    const startedAtNs = Number(process.hrtime.bigint());
    const launch = await open(message, signal, where, part);
    try {
      checkReady(side.plan, request.transport, launch.ready, where);
    } catch (error) {
      await launch.stop();
      throw error;
    }
    return { side: { ...side, wire, launch, startedAtNs, iterations: 0 }, token: secret };
  });
}

/** @param group null = all ranks */
export function launchingAt(
  plan: RunPlan,
  { point, transport, launch }: BlockRequest,
  group: GroupPlan | null,
  deadlines: Pick<Deadlines, 'launchMs'>,
): LaunchContext {
  const launchName = `${plan.transports[transport]?.name} (launch ${launch + 1})${groupSuffix(group)}`;
  return {
    ...launchContextOf(plan, point, transport, 'setup', group),
    doing: `setting up ${launchName}`,
    launchName,
    deadlineMs: deadlines.launchMs,
  };
}

/** @param group null = all ranks */
export function measuringAt(
  plan: RunPlan,
  request: BlockRequest,
  group: GroupPlan | null,
  deadlines: Pick<Deadlines, 'measureMs'>,
): LaunchContext {
  const fixed = request.targetNs === 0 && (request.trial === 'isolated' || request.batch > 0);
  const perSample = request.trial === 'isolated' ? 1 : request.batch;
  return {
    ...launchContextOf(plan, request.point, request.transport, 'measure', group),
    operations: fixed ? request.warmup + request.maxSamples * perSample : null,
    deadlineMs: deadlines.measureMs,
  };
}

/** What is kept of a launch. Its token is not: what holds it, and variables that are secret, are left out. */
export function launchRecord(
  { launch, transport }: BlockRequest,
  { group, index, startedAtNs, launch: { ready } }: StartedSide,
  token: string,
): LaunchRecord {
  return {
    launch,
    transport,
    ...(group === null ? {} : { group: index }),
    startedAtNs,
    setupNs: ready.setupNs,
    ranks: ready.ranks.map(({ facts = {}, ...rest }) => {
      const rank = { ...rest, rank: group?.ranks[rest.rank] ?? rest.rank };
      const kept = Object.entries(facts).filter(
        ([name, value]) =>
          !value.includes(token) && !(name.startsWith('env.') && isSecret(name.slice('env.'.length), value)),
      );
      return Object.keys(facts).length === 0 ? rank : { ...rank, facts: Object.fromEntries(kept) };
    }),
  };
}

/** From the messages to the common start: their way through agents to ranks, and filling buffers at this pace at least. */
const leadNs = 3_000_000;
const fillBytesPerNs = 1;
const longestLeadNs = 1_000_000_000;

/**
 * One block on every side, at the same time.
 * @param firstBlock number of the first side's block; the others count on from it
 * @returns by side; each rejects with a FailureError of its own, and the others can go on
 * @throws FailureError the clocks could not be read
 */
export async function measureSides(
  plan: RunPlan,
  sides: readonly StartedSide[],
  request: BlockRequest,
  firstBlock: number,
  { fleet: { clocks }, deadlines }: RoundContext,
): Promise<{ records: Promise<BlockRecord>[] }> {
  const where = measuringAt(plan, request, null, deadlines);
  const isTogether = sides.some(({ group }) => group !== null);
  const readings = isTogether && clocks !== null ? await clocks.read(deadlines.probeMs, where) : null;
  const start = readings === null ? undefined : startOf(plan, request, readings);
  const records = sides.map(async (side, place) => {
    const at = measuringAt(plan, request, side.group, deadlines);
    const block = firstBlock + place;
    const { wire, iterations } = side;
    const message = measureMessage(side.plan, request, {
      wire,
      block,
      firstIteration: iterations,
      deadlines,
    });
    const measured = await side.launch.measure(message, at, start);
    const record = mergeBlock(side.plan, request, block, measured, at, side.group?.ranks ?? null);
    side.iterations += record.operations;
    if (side.group === null) return record;
    return {
      ...record,
      group: { index: side.index, round: firstBlock, ...clockOf(plan, side.group, readings) },
    };
  });
  return { records };
}

function startOf(plan: RunPlan, { point }: BlockRequest, clocks: readonly ClockReading[]): LaunchStart {
  const unsureNs = Math.max(...clocks.map(({ uncertaintyNs }) => uncertaintyNs));
  const at = plan.points[point];
  const bytes =
    at === undefined ? 0 : workloadOf(at.workload).payloadBytes({ axes: at.axes, ranks: plan.ranks });
  const fillNs = bytes / fillBytesPerNs;
  const lead = Math.min(longestLeadNs, Math.round(leadNs + 2 * unsureNs + fillNs));
  return { atNs: Number(process.hrtime.bigint()) + lead, clocks };
}

/** Times of a launch are those of the machine of its rank 0. */
function clockOf(
  { hosts }: RunPlan,
  { ranks: [root] }: GroupPlan,
  clocks: readonly ClockReading[] | null,
): { toCommonNs: number; uncertaintyNs: number } {
  const home = hosts.findIndex(({ ranks }) => root !== undefined && ranks.includes(root));
  const { offsetNs = 0, uncertaintyNs = 0 } = clocks?.[home] ?? {};
  return { toCommonNs: -offsetNs, uncertaintyNs };
}

/** What became of one set. */
export interface SetOutcome {
  set: GroupPlan;
  /** In the order of the requests, as far as it came; arrays are by rank within the set. */
  blocks: BlockRecord[];
  /** Null where it could not be opened; ranks are those of the run. */
  launch: LaunchRecord | null;
  /** Why not all of them are there; it names the set and the rank of the run. */
  failure: Failure | null;
}

/**
 * Measures on disjoint sets of ranks at the same time. Launches are opened for it and ended after it; a set that fails
 * ends alone, and the others go on. Ranks in no set stay idle.
 * @param fleet    started, with the hosts of the plan; it may measure other sets afterwards
 * @param plan     points and transports as for one set, so all sets must have as many ranks as the counts were made for
 * @param sets     two ranks of the run or more each; `name` is for sentences
 * @param requests in this order, each on all sets at once; all of one transport and launch
 * @param signal   aborting leaves the launches to whoever stops the fleet
 * @returns by set; pass `plan.groups` with these sets and all blocks to overlapOf() to see how far they ran side by side
 * @throws FailureError the clocks of the machines could not be read
 */
export async function measureSets(
  fleet: Fleet,
  plan: RunPlan,
  sets: readonly GroupPlan[],
  requests: readonly BlockRequest[],
  {
    deadlines,
    environment = {},
    signal = new AbortController().signal,
    token,
  }: Pick<RoundContext, 'deadlines' | 'token'> & Partial<Pick<RoundContext, 'environment' | 'signal'>>,
): Promise<SetOutcome[]> {
  const outcomes = sets.map((set): SetOutcome => ({ set, blocks: [], launch: null, failure: null }));
  const [first] = requests;
  if (first === undefined) return outcomes;
  const around: RoundContext = {
    open: (asked, _signal, where, part) => fleet.open(asked, where, part),
    fleet,
    signal,
    deadlines,
    environment,
    token,
  };
  const fail = (index: number, error: unknown, request: BlockRequest): void => {
    const outcome = outcomes[index] as SetOutcome;
    outcome.failure = unexpectedFailure(error, measuringAt(plan, request, outcome.set, deadlines));
  };
  let open: StartedSide[] = [];
  const openings = await Promise.allSettled(openSides(plan, setsOf(plan, sets), first, around));
  for (const [index, one] of openings.entries()) {
    if (one.status === 'fulfilled') {
      const { side, token } = one.value;
      open.push(side);
      (outcomes[index] as SetOutcome).launch = launchRecord(first, side, token);
    } else fail(index, one.reason, first);
  }
  const launches = open.map(({ launch }) => launch);
  try {
    for (const [round, request] of requests.entries()) {
      const { records } = await measureSides(plan, open, request, round * sets.length, around);
      const settled = await Promise.allSettled(records);
      const sides = open;
      open = [];
      for (const [place, side] of sides.entries()) {
        const one = settled[place];
        if (one?.status === 'fulfilled') {
          outcomes[side.index]?.blocks.push(one.value);
          open.push(side);
        } else fail(side.index, one?.reason, request);
      }
    }
  } finally {
    await Promise.all(launches.map((launch) => launch.stop()));
  }
  return outcomes;
}
