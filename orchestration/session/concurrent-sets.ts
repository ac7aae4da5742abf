// Launches on disjoint sets of ranks that measure at the same time: the groups of a run, or any other sets (pairs).
//
// Each set is a separate launch, with ranks numbered from 0. A round sends one block to all sets, with a common start time on the
// clock of each machine (clocks.ts). Ranks fill their buffers before that time, so that warm-up and samples of all sets run
// concurrently. BlockRecord.group records when each set ran; results/derive/cells/groups.ts computes how far they overlapped.
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
  variableOfFact,
  workloadOf,
} from '../../results/schema/index.ts';
import { isSecret } from '../../results/store/environment.ts';
import type { Deadlines } from '../deadlines.ts';
import type { LaunchContext } from '../failures/failure-text.ts';
import { groupSuffix, launchContextOf, unexpectedFailure } from '../failures/failures.ts';
import type { Fleet } from '../fleet.ts';
import type { LaunchOpener, LaunchPart, LaunchStart, OpenedLaunch } from '../launch.ts';
import { checkReady, mergeBlock } from '../merge.ts';
import { launchMessage, measureMessage } from './messages.ts';

/**
 * Ranks that measure in a launch of their own while other sets of ranks measure. A run without groups has one set, with all ranks.
 * `index`: number of the set among all sets, from 0.
 */
export interface RankSet {
  /** Group of the run that this set is; null if the run has no groups, so that the set has all ranks. */
  group: GroupPlan | null;
  /** Plan that has only the ranks of this set, numbered from 0. */
  plan: RunPlan;
  index: number;
}

export interface StartedSide extends RankSet {
  /** Number that identifies the set's launch (one start of its rank processes) in messages to agents. */
  wire: number;
  launch: OpenedLaunch;
  startedAtNs: number;
  /**
   * Number of operations that the launch has run so far, in all blocks, warm-up included. Each operation gets the next number,
   * from which its data is made, so that every operation uses different data.
   */
  iterations: number;
}

export const sidesOf = (plan: RunPlan): RankSet[] =>
  plan.groups === undefined ? [{ group: null, plan, index: 0 }] : setsOf(plan, plan.groups.members);

const setsOf = (plan: RunPlan, sets: readonly GroupPlan[]): RankSet[] =>
  sets.map((group, index) => ({ group, plan: planOfGroup(plan, group), index }));

/**
 * Connections to the hosts, deadlines and settings that all launches and measurements of a session use. `environment`: variables
 * that the ranks get in addition to those of their agent. The fleet has been started; the caller stops it.
 */
export interface RoundContext {
  /**
   * Starts the ranks of one launch, normally through the agents of `fleet`. An opener that runs ranks as threads of this process
   * supports one set only.
   */
  open: LaunchOpener;
  fleet: Fleet;
  /** Passed to `open`: aborts launches of ranks in this process. Launches of agents end only when the caller stops the fleet. */
  signal: AbortSignal;
  deadlines: Deadlines;
  environment: Record<string, string>;
  /** Returns a new secret token for a launch; called once per launch. */
  token(): string;
}

/**
 * Starts the ranks of every set at the same time, each set as a separate launch, which the caller must stop.
 * @param sides sets of ranks, each with the plan for its ranks
 * @param request a block of the launches; it names their transport and number
 * @returns one promise per set, in the order of `sides`. If it rejects with a FailureError, the launches of other sets can still
 * be used
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

/**
 * Returns the context of the failure message if the ranks of a launch cannot be started: phase, text and deadline. The host is
 * null, for the caller to fill in.
 * @param group group of ranks that the launch has; null = all ranks of the run
 * @throws {RangeError} if the plan has no such point or transport
 */
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

/**
 * Returns the context of the failure message if measuring a block of samples fails: phase, text, deadline, and the number of
 * operations if it is fixed. The host is null, for the caller to fill in.
 * @param group group of ranks that measures; null = all ranks of the run
 * @throws {RangeError} if the plan has no such point or transport
 */
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

/**
 * Returns the record of a launch for run.json, with ranks numbered as in the run. Facts that contain the launch's secret token,
 * and secret environment variables, are left out. Nothing is stored.
 */
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
      const kept = Object.entries(facts).filter(([name, value]) => {
        const variable = variableOfFact(name);
        return !value.includes(token) && (variable === null || !isSecret(variable, value));
      });
      return Object.keys(facts).length === 0 ? rank : { ...rank, facts: Object.fromEntries(kept) };
    }),
  };
}

/**
 * Minimum ns from sending the measure messages to the common start of all sets. In this time the messages pass through agents
 * to ranks, and ranks fill their buffers.
 */
const leadNs = 3_000_000;
const fillBytesPerNs = 1;
const longestLeadNs = 1_000_000_000;

/**
 * Measures one block (samples of one point, taken without a break) on every set of ranks at the same time. Nothing is stored.
 * Rejects with a FailureError only if a clock cannot be read.
 * @param firstBlock number of the block of the first set; the other sets get the following numbers
 * @returns one promise per set, in the order of `sides`. If it rejects with a FailureError, the other sets can still measure
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

function startOf(plan: RunPlan, { point }: BlockRequest, clocks: LaunchStart['clocks']): LaunchStart {
  const unsureNs = Math.max(...clocks.map((clock) => clock?.uncertaintyNs ?? 0));
  const at = plan.points[point];
  const bytes =
    at === undefined ? 0 : workloadOf(at.workload).payloadBytes({ axes: at.axes, ranks: plan.ranks });
  const fillNs = bytes / fillBytesPerNs;
  const lead = Math.min(longestLeadNs, Math.round(leadNs + 2 * unsureNs + fillNs));
  return { atNs: Number(process.hrtime.bigint()) + lead, clocks };
}

/**
 * Clock offset of a group: what to add to its times, which are on the clock of the group's rank 0, to get the common
 * clock of all groups.
 * @param clocks readings indexed by host; null if all ranks are in this process
 * @throws Error if the clock of rank 0 was not read: its agent is lost, so that it cannot have measured
 */
function clockOf(
  { hosts }: RunPlan,
  { ranks: [root] }: GroupPlan,
  clocks: LaunchStart['clocks'] | null,
): { toCommonNs: number; uncertaintyNs: number } {
  const home = hosts.findIndex(({ ranks }) => root !== undefined && ranks.includes(root));
  if (clocks === null) return { toCommonNs: 0, uncertaintyNs: 0 };
  const clock = clocks[home] ?? null;
  if (clock === null) throw new Error(`the clock of ${hosts[home]?.name} is not known`);
  return { toCommonNs: -clock.offsetNs, uncertaintyNs: clock.uncertaintyNs };
}

/**
 * Results of one set: ranks that measure in a launch of their own while other sets measure at the same time. `set`: its name and
 * its ranks, numbered as in the run.
 */
export interface SetOutcome {
  set: GroupPlan;
  /**
   * Blocks that this set measured, in the order of the requests, up to a failure. In arrays by rank, ranks are
   * numbered within the set.
   */
  blocks: BlockRecord[];
  /** The set's launch, with ranks numbered as in the run; null if it could not be opened. */
  launch: LaunchRecord | null;
  /** Reason why blocks are missing; names the set and the rank of the run. Null if all blocks were measured. */
  failure: Failure | null;
}

/**
 * Measures on disjoint sets of ranks at the same time. Opens one launch per set and ends it afterwards. If a set fails, the other
 * sets continue. Ranks that are in no set stay idle. Failures of launches and blocks are in the outcomes, not thrown. Nothing is
 * stored.
 * @param fleet fleet with the hosts of the plan, already started; it can measure other sets afterwards
 * @param plan points and transports for one set; the plan must be made for the number of ranks that each set has
 * @param sets sets of at least two ranks of the run; `name` is used in sentences
 * @param requests blocks in this order, each measured on all sets at once; all for one transport and launch
 * @param signal after an abort the caller ends the launches by stopping the fleet
 * @returns one outcome per set, in the order of `sets`. overlapOf(), given `plan.groups` with these sets and all blocks, computes
 * how far the sets overlapped in time
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
