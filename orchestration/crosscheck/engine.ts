import { xValueOf } from '../../results/derive/cell-group.ts';
// Our side on real GPUs: one plan and one session per round, through the same machinery as a measuring command.
import { asNcclTests, deriveCell } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type BlockRecord,
  type CrosscheckOptions,
  type CrosscheckRecord,
  measuredOf,
  type RunPlan,
  sideOf,
} from '../../results/schema/index.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import { type CrosscheckRequest, planFor } from '../../suites/crosscheck/plan.ts';
import { schedule } from '../../suites/schedule.ts';
import { probe } from '../probe.ts';
import { runSession, type SessionOptions } from '../session/session.ts';

/** One size as one launch measured it, ns of one operation. */
export interface CrosscheckFigures {
  /**
   * What the other program prints. nccl-tests: 20 calls back to back, elapsed / 20, mean over ranks; median of `samples`.
   * OSU: calls alone, own time of each rank, mean.
   */
  comparedNs: number;
  /** One operation alone, from the common start of all ranks to the end of the slowest. Null: not measured. */
  isolatedNs: number | null;
  /** Host time to queue one call. Null: not measured. */
  enqueueNs: number | null;
  wrongElements: number;
}

/** Our side of a crosscheck; tests put another in its place. `gpus`: one rank each. */
export interface CrosscheckEngine extends Pick<CrosscheckRecord, 'gpus' | 'medium' | 'library'> {
  /** Variables of NCCL or the MPI that the ranks get; the other program gets them, too. */
  environment: Record<string, string>;
  /**
   * One launch: processes start, every size is measured, processes end.
   * @returns by payload; sizes that were not measured are missing
   * @throws FailureError of kind `interrupted` when the signal aborts, and what the session told as its failure
   */
  measure(request: CrosscheckRequest, signal: AbortSignal): Promise<Map<number, CrosscheckFigures>>;
}

const transport = 'p2p';

/** What our ranks would have set, without the variables that only make NCCL talk. */
function environmentIn(facts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([name]) => /^env\.NCCL_(?!DEBUG)/.test(name))
      .map(([name, value]) => [name.slice('env.'.length), value]),
  );
}

/**
 * Asks what can run here.
 * @throws Refusal the engine cannot run on these GPUs with this library
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
    ranks: gpus.length,
    settings: { ...library, gpus: gpus.join(',') },
    over: { name: transport, medium, detail, options: {} },
  };
  return {
    gpus,
    medium,
    library: { path: facts['nccl.path'] ?? '', version: facts['nccl.version'] ?? '' },
    environment: environmentIn(facts),
    measure: (request, signal) =>
      measure(planFor(request, timeoutS, inventory.hostname, where), { agentPath, signal }),
  };
}

/** By payload; points without samples of that figure are missing. @throws FailureError what the session told as its failure */
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
