import type { BlockRecord, BlockRequest, RunPlan } from '../results/schema/index.ts';
import { detailText } from '../results/schema/index.ts';
import { FailureError } from '../results/verdicts/failure.ts';
import type { LaunchContext } from './failures/failure-text.ts';
import { failureOf } from './failures/failures.ts';
import type { LaunchRanks, MeasureReply } from './launch.ts';
import type { RankOutcome } from './protocol.ts';

/**
 * Merges the reports of all ranks about one block into one record. Times in the record are relative to the earliest time, `baseNs`.
 * Nothing is stored.
 * @param plan plan of the run; if the launch has only some ranks of the run, a plan for these ranks
 * @param block number of the block in the run
 * @param members ranks of the run, indexed by rank in the launch, if the launch has only some ranks of the run; null = all ranks
 * @param where activity, phase and deadline that the text of a failure names
 * @throws FailureError (incomplete) if ranks are missing, measured fewer samples than requested, or differ in the number of
 * samples, operations or operations per sample, or in the kind of clock
 */
export function mergeBlock(
  plan: RunPlan,
  request: BlockRequest,
  block: number,
  measured: MeasureReply,
  where: LaunchContext,
  members: readonly number[] | null = null,
): BlockRecord {
  const { ranks } = measured;
  const incomplete = (message: string): FailureError =>
    new FailureError(failureOf(where, { kind: 'incomplete', message: `${where.doing}: ${message}` }));
  if (ranks.length !== plan.ranks || ranks.some((rank, index) => rank.rank !== index)) {
    const there = ranks.map((rank) => rank.rank).join(', ');
    throw incomplete(
      `results of ${plan.ranks} ranks were expected, those of ranks ${there || '(none)'} arrived`,
    );
  }
  const [first] = ranks;
  if (first === undefined) throw incomplete('no rank measured anything');
  const samples = first.startNs.length;
  for (const rank of ranks) {
    for (const field of ['startNs', 'endNs', 'commonStartNs', 'late'] as const) {
      if (rank[field].length !== samples) {
        throw incomplete(
          `rank ${rank.rank} has ${rank[field].length} values of ${field}, rank 0 has ${samples} samples`,
        );
      }
    }
    for (const [name, values] of Object.entries(rank.columns)) {
      if (values.length === samples) continue;
      throw incomplete(`rank ${rank.rank} has ${values.length} values of ${name} for ${samples} samples`);
    }
    const queued = rank.enqueueNs.length;
    if (rank.clock === 'device' && queued !== samples) {
      throw incomplete(`rank ${rank.rank} has ${queued} values of enqueueNs, rank 0 has ${samples} samples`);
    }
    if (rank.clock !== first.clock) {
      throw incomplete(`rank ${rank.rank} was timed by the ${rank.clock}, rank 0 was not`);
    }
    for (const field of ['batch', 'operations'] as const) {
      if (rank[field] !== first[field]) {
        throw incomplete(`rank ${rank.rank} reports ${field} ${rank[field]}, rank 0 reports ${first[field]}`);
      }
    }
  }
  const due = request.targetNs === 0 ? request.maxSamples : request.minSamples;
  if (samples < due) throw incomplete(`${samples} samples were measured, at least ${due} were requested`);

  const starts = Array.from({ length: samples }, (_, i) =>
    Math.min(...ranks.map((rank) => rank.startNs[i] as number)),
  );
  const isDevice = first.clock === 'device';
  // On devices a sample begins when the last rank begins (results/derive/cells/operation-times.ts).
  const latest = Array.from({ length: samples }, (_, i) =>
    Math.max(...ranks.map((rank) => rank.startNs[i] as number)),
  );
  const common = isDevice ? latest : request.trial === 'isolated' ? first.commonStartNs : starts;
  const baseNs = samples === 0 ? 0 : Math.min(common[0] as number, starts[0] as number);
  const relative = (times: number[]): number[] => times.map((time) => time - baseNs);
  return {
    block,
    point: request.point,
    transport: request.transport,
    launch: request.launch,
    trial: request.trial,
    algorithm: firstChoice(ranks.map((rank) => rank.algorithm)),
    ...choices(ranks),
    batch: first.batch,
    baseNs,
    ...clocks(ranks),
    ...(isDevice ? deviceTimes(ranks) : {}),
    ...columnsOf(ranks),
    commonStartNs: relative(common),
    startNs: ranks.map((rank) => relative(rank.startNs)),
    endNs: ranks.map((rank) => relative(rank.endNs)),
    late: ranks.map((rank) => rank.late),
    warmupNs: ranks.map((rank) => rank.warmupNs),
    windowNs: first.windowNs,
    checks: ranks.map((rank) => rank.checks),
    checkingNs: ranks.map((rank) => rank.checkingNs),
    wrong: ranks.map((rank) => ({ rank: members?.[rank.rank] ?? rank.rank, ...rank.wrong })),
    counters: ranks.map((rank) => rank.counters),
    interfaceBytes: measured.interfaceBytes,
    ...concurrentLoadOf(ranks),
    operations: first.operations,
  };
}

/**
 * Returns the first text that is not empty; "" if all are. NCCL reports its chosen algorithm on one rank; the texts of other ranks
 * are "".
 */
const firstChoice = (choices: readonly string[]): string => choices.find((choice) => choice !== '') ?? '';

function choices(ranks: readonly RankOutcome[]): Pick<BlockRecord, 'protocol' | 'paths'> {
  const protocol = firstChoice(ranks.map((rank) => rank.protocol));
  const paths: Record<string, number> = {};
  for (const rank of ranks) {
    for (const [way, count] of Object.entries(rank.paths)) paths[way] = (paths[way] ?? 0) + count;
  }
  return {
    ...(protocol === '' ? {} : { protocol }),
    ...(Object.keys(paths).length === 0 ? {} : { paths }),
  };
}

/**
 * Returns clock offsets to rank 0 and their uncertainties in ns, indexed by rank; null for ranks that report none. The fields are
 * left out if no rank reports an offset, because all ranks are on one machine.
 */
function clocks(ranks: readonly RankOutcome[]): Pick<BlockRecord, 'clockOffsetNs' | 'clockUncertaintyNs'> {
  if (ranks.every((rank) => rank.clockOffsetNs === undefined)) return {};
  return {
    clockOffsetNs: ranks.map((rank) => rank.clockOffsetNs ?? null),
    clockUncertaintyNs: ranks.map((rank) => rank.clockUncertaintyNs ?? null),
  };
}

/**
 * Returns times (ns) or counts of parts of an operation, keyed by name of the part, each as [rank][sample]. A rank that does not
 * report a part has an empty array. The field is left out if no rank reports a part.
 */
function columnsOf(ranks: readonly RankOutcome[]): Pick<BlockRecord, 'columns'> {
  const names = new Set(ranks.flatMap(({ columns }) => Object.keys(columns)));
  if (names.size === 0) return {};
  return {
    columns: Object.fromEntries(
      [...names].map((name) => [name, ranks.map(({ columns }) => columns[name] ?? [])]),
    ),
  };
}

/**
 * Returns measurements of the concurrent load, indexed by rank. The field is left out unless every rank has one, because a load
 * runs on all ranks or on none.
 */
function concurrentLoadOf(ranks: readonly RankOutcome[]): Pick<BlockRecord, 'beside'> {
  const beside = ranks.flatMap((rank) => rank.beside ?? []);
  return beside.length < ranks.length ? {} : { beside };
}

function deviceTimes(ranks: readonly RankOutcome[]): Pick<BlockRecord, 'clock' | 'markNs' | 'enqueueNs'> {
  return {
    clock: 'device',
    // The smallest cost of a timestamp over ranks: no figure may be reduced by a cost that a rank did not have.
    markNs: Math.min(...ranks.map((rank) => rank.markNs)),
    enqueueNs: ranks.map((rank) => rank.enqueueNs),
  };
}

/**
 * Checks that a launch is as planned: all ranks are ready, and the medium (hardware or emulated) is the planned one.
 * @param transport index of the transport in the plan
 * @param ready answer of the launch, with the ranks of all hosts
 * @param where activity, phase and deadline that the text of a failure names
 * @throws FailureError of kind incomplete (a rank is missing) or contradicted (another medium)
 */
export function checkReady(plan: RunPlan, transport: number, ready: LaunchRanks, where: LaunchContext): void {
  const missing = Array.from({ length: plan.ranks }, (_, rank) => rank).filter(
    (rank) => ready.ranks[rank]?.rank !== rank,
  );
  if (missing.length > 0) {
    throw new FailureError(
      failureOf(where, {
        kind: 'incomplete',
        message: `${where.doing}: of ${plan.ranks} ranks these did not report: ${missing.join(', ')}`,
      }),
    );
  }
  const planned = plan.transports[transport];
  const other = ready.ranks.find((rank) => rank.medium !== planned?.medium);
  if (planned !== undefined && other !== undefined) {
    throw new FailureError(
      failureOf(where, {
        kind: 'contradicted',
        rank: other.rank,
        message: `${planned.name} was planned as ${planned.medium}, but rank ${other.rank} runs it ${other.medium === 'emulated' ? 'emulated' : `on ${other.medium}`} (${detailText(other.detail)})`,
        next: 'collbench transports --explain',
      }),
    );
  }
}
