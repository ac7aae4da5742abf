import { xValueOf } from '../../results/derive/cells/cell-group.ts';
// The collbench side of a crosscheck on real GPUs: one plan and one session per round, as for a measuring command.
import { asNcclTests, deriveCell } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type BlockRecord,
  type CrosscheckOptions,
  type CrosscheckRecord,
  measuredOf,
  type RunPlan,
  sideOf,
  variablesInFacts,
} from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure.ts';
import { type CrosscheckRequest, planFor } from '../../suites/crosscheck/plan.ts';
import { schedule } from '../../suites/schedule.ts';
import { probe } from '../probe.ts';
import { runSession, type SessionOptions } from '../session/session.ts';

/**
 * Results of collbench for one size in one launch; times in ns of one operation. `wrongElements`: sum over all ranks and blocks.
 */
export interface CrosscheckFigures {
  /**
   * Time that is comparable with the other program's result. For nccl-tests: 20 calls back to back, elapsed time / 20, mean over
   * ranks; the median of `samples` such values. For OSU: single calls, each rank measures its own time, mean over calls and ranks;
   * calls for which a rank missed the common start are left out.
   */
  comparedNs: number;
  /** Median time of a single operation, from the common start of all ranks to the end of the slowest; null = not measured. */
  isolatedNs: number | null;
  /** Median host time to queue one call, where each sample counts with its slowest rank; null = not measured. */
  enqueueNs: number | null;
  wrongElements: number;
}

/**
 * collbench's side of a crosscheck, which compares its times with those of another benchmark program. `gpus`: numbers of the GPUs,
 * one per rank; empty with MPI. `library`: path and version of NCCL, or of mpirun and its MPI. Tests use a replacement.
 */
export interface CrosscheckEngine extends Pick<CrosscheckRecord, 'gpus' | 'medium' | 'library'> {
  ranks: number;
  /** Hosts with their numbers of ranks, in the order of ranks; empty = all ranks are on this machine. */
  hosts: readonly CrosscheckHost[];
  /** Environment variables of NCCL or MPI for collbench's ranks. The other program gets the same variables. */
  environment: Record<string, string>;
  /** Says what a size that measure() left out lacks, after "collbench has": "no time". */
  lackText: string;
  /**
   * Runs one launch: starts the rank processes, measures every size, ends the processes.
   * @returns results, keyed by payload in bytes; sizes that were not measured are missing
   * @throws FailureError of kind `interrupted` if the signal aborts, otherwise the failure of the session
   */
  measure(request: CrosscheckRequest, signal: AbortSignal): Promise<Map<number, CrosscheckFigures>>;
}

export interface CrosscheckHost {
  name: string;
  /** Name or address to which ssh connects. */
  address: string;
  ranks: number;
}

const transport = 'p2p';

/**
 * Returns the NCCL variables that collbench's ranks use, with their values, from the facts of a probe. NCCL_DEBUG... is left out,
 * because it only changes the amount of logging.
 */
const environmentIn = (facts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(variablesInFacts(facts).filter(([name]) => /^NCCL_(?!DEBUG)/.test(name)));

/**
 * Probes the GPUs of this machine and returns collbench's nccl engine for a crosscheck, on the requested GPUs or on all. No
 * process stays running: each measure() starts and ends its own.
 * @throws Refusal if the engine cannot run on these GPUs with this library, or there are fewer than two GPUs
 * @throws FailureError if the agent cannot be probed
 */
export async function openOurs(
  { nccl, gpus: asked, timeoutS }: CrosscheckOptions,
  agentPath: string,
): Promise<CrosscheckEngine> {
  const library: Record<string, string> = nccl === null ? {} : { nccl };
  const settings = { ...library, ...(asked === null ? {} : { gpus: asked.join(',') }) };
  const { inventory, probed } = await probe(agentPath, [
    { engine: 'nccl', transport, options: {}, settings },
  ]);
  const [found] = probed;
  if (found === undefined || !found.available) {
    const { reason = '', remedy = '' } = found ?? {};
    throw refuse('nccl-cannot-run', { reason, remedy });
  }
  const { facts = {}, medium, detail } = found;
  const gpus = asked ?? Array.from({ length: Number(facts['gpu.count'] ?? 0) }, (_, gpu) => gpu);
  if (gpus.length < 2) throw refuse('crosscheck-needs-two-gpus', { gpus: gpus.length });
  const where = {
    engine: 'nccl' as const,
    ...{ ranks: gpus.length, host: inventory.hostname },
    settings: { ...library, gpus: gpus.join(',') },
    over: { name: transport, medium, detail, options: {} },
  };
  return {
    ...{ gpus, ranks: gpus.length, hosts: [] },
    medium,
    library: { path: facts['nccl.path'] ?? '', version: facts['nccl.version'] ?? '' },
    environment: environmentIn(facts),
    lackText: 'no time',
    measure: (request, signal) => measure(planFor(request, timeoutS, where), { agentPath, signal }),
  };
}

/**
 * Measures a plan with collbench, in a session of its own. The results are of the plan's first transport.
 * @param figureOf computes, from the blocks of one size, the time in ns to compare; default: as nccl-tests does
 * @returns results by payload in bytes; missing for points for which `figureOf` returns null, or whose measurement failed
 * @throws FailureError with the first failure of the session
 */
export async function measure(
  plan: RunPlan,
  options: SessionOptions,
  figureOf: (blocks: readonly BlockRecord[]) => number | null = asNcclTests,
): Promise<Map<number, CrosscheckFigures>> {
  const blocks: BlockRecord[] = [];
  for await (const event of runSession(plan, schedule(plan), options)) {
    if (event.type === 'block') blocks.push(event.record);
    if (event.type === 'failure') throw new FailureError(event.failure);
  }
  const figures = new Map<number, CrosscheckFigures>();
  for (const [point, at] of plan.points.entries()) {
    const own = blocks.filter((block) => block.point === point);
    const comparedNs = figureOf(own);
    const cell = deriveCell(plan, point, 0, own);
    if (comparedNs === null || cell.status !== 'ok') continue;
    figures.set(xValueOf(at), {
      comparedNs,
      isolatedNs: measuredOf(cell, 'latency')?.value ?? null,
      enqueueNs: sideOf(cell, 'enqueue')?.value ?? null,
      wrongElements: cell.verification.wrongElements,
    });
  }
  return figures;
}
