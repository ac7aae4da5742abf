// One run of pairs, or one search, from its options to its exit code. If it fails, the data measured so far is stored.
import { isClean, membersPhrase, pairsOverview } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type CellRecord, failureWith, type RunPlan, type RunRecord } from '../../results/schema/index.ts';
import { createRun } from '../../results/store/write.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { verdicts } from '../../results/verdicts/verdicts.ts';
import { collectiveOfPairs, pairsPlan } from '../../suites/pairs-plan.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { type HostPool, sessionOptionsAt } from '../preparing/host-pool.ts';
import type { PreparedPlan } from '../preparing/prepare.ts';
import { InterruptHandler } from '../running/interrupt.ts';
import { newRecord } from '../running/new-record.ts';
import { combineOutputs, type RunOutput, type RunTools } from '../running/output.ts';
import { withPrepared } from '../running/run.ts';
import { endRun, failureOf, type RunFindings } from '../running/run-end.ts';
import type { SessionOptions } from '../session/session.ts';
import type { PairsOptions } from './options.ts';
import { SetRecorder } from './recorder.ts';
import { PairsRun } from './rounds.ts';
import { type SearchResult, search } from './search.ts';

/**
 * Plans a run of `collbench pairs`, calls `work` with the plan and the hosts, and returns its result. Connections to the hosts are
 * closed afterwards, also if `work` rejects.
 * @param words words of the command line after the name of the command, as typed
 * @throws Refusal if the requested pairs cannot run
 * @throws FailureError if a host cannot be probed
 */
export function withPairsPrepared<T>(
  options: MeasureOptions,
  pairs: PairsOptions,
  words: readonly string[],
  work: (prepared: PreparedPlan, nodes: HostPool) => Promise<T>,
): Promise<T> {
  return withPrepared(
    { command: commandNamed(collectiveOfPairs(pairs)), options, words },
    (prepared, nodes) => {
      if (nodes.hosts.length === 1) throw refuse('one-host-no-pairs');
      if (prepared.plan.ranks < 2) throw refuse('too-few-to-pair');
      const { sameMachine } = prepared;
      const plan = pairsPlan(prepared.plan, pairs, words);
      if (sameMachine.length > 0 && plan.pairs !== undefined) plan.pairs = { ...plan.pairs, sameMachine };
      return work({ ...prepared, plan }, nodes);
    },
  );
}

interface PairsRunOptions {
  out: string | null;
  tools: RunTools;
  /** False if no report is written for the run; default true. */
  report?: boolean;
  outputsFor(plan: RunPlan, id: string): { outputs: readonly RunOutput[] };
}

export interface PairsResult {
  code: ExitCode;
  record: RunRecord;
  cells: readonly CellRecord[];
  /** Result of the search (--bisect); null if all pairs were measured. */
  search: SearchResult | null;
}

/**
 * Measures the plan and stores it as a run. Errors and an interrupt become failures of the run, not exceptions; the data measured
 * until then is stored.
 * @param bisect condition under which a search counts a run over some hosts as bad; null = no search, all pairs are measured
 * @throws StoreError if the folder of the run cannot be created
 */
export async function measurePairs(
  { plan, inventories, versions }: PreparedPlan,
  { bisect }: Pick<PairsOptions, 'bisect'>,
  nodes: HostPool,
  { out, tools, report = true, outputsFor }: PairsRunOptions,
): Promise<PairsResult> {
  const { pairs = { names: [], sets: [], isConcurrent: false } } = plan;
  const members = membersPhrase(pairs.names, plan.hosts.length);
  const title = `${bisect === null ? 'pairs of' : 'search among'} ${members}`;
  const record: RunRecord = { ...newRecord(plan, inventories, versions), title };
  const writer = await createRun({ record, ...(out === null ? {} : { out }) });
  const recorder = new SetRecorder(bisect === null ? 'pairs' : 'search', record, writer);
  const output = combineOutputs(outputsFor(plan, record.id).outputs);
  const interrupt = new InterruptHandler();
  const session: SessionOptions = { ...sessionOptionsAt(nodes), signal: interrupt.signal };
  /**
   * Adds an error (of the disk or this machine) to the failures of the run instead of throwing it. The run then ends normally, and
   * the data measured so far is stored. Returns null in place of the result of the failed step.
   */
  const fail = (error: unknown): null => {
    record.failures.push(failureOf(error, writer.dir));
    return null;
  };
  try {
    output.begin();
    let found: RunFindings;
    let searched: SearchResult | null = null;
    if (bisect === null) {
      const run = new PairsRun(plan, pairs, recorder, output);
      await run.measure({ ...session, agents: nodes.takeAgents() }).catch(fail);
      found = foundAmong(record, recorder, writer.dir);
    } else {
      const work = search(plan, pairs.names, bisect.when, session, recorder, output);
      searched = (await work.catch(fail)) ?? { culprit: null, trials: [] };
      found = foundBy(searched);
    }
    if (interrupt.signal.aborted && !record.failures.some(({ kind }) => kind === 'interrupted'))
      record.failures.push(failureWith({ kind: 'interrupted', message: 'the run was interrupted' }));
    const before = () => recorder.conclude();
    const { cells } = recorder;
    const code = await endRun({ record, writer, cells, tools, output, report }, { ...found, before });
    return { code, record, cells, search: searched };
  } finally {
    interrupt.release();
    await writer.close().catch(() => undefined);
  }
}

function foundAmong(record: RunRecord, { cells }: SetRecorder, dir: string): RunFindings {
  const overviews = pairsOverview(record.plan, cells);
  if (record.failures.length === 0) record.failures.push(...verdicts(record, cells, dir));
  if (!overviews.every(isClean)) return { code: exitCode.regression };
  return { code: overviews.every(({ hasVerdict }) => hasVerdict) ? exitCode.ok : exitCode.noVerdict };
}

function foundBy({ culprit, trials }: SearchResult): RunFindings {
  const runs = trials.map(
    ({ hosts, isBad, why }, i) => `run ${i + 1}, ${isBad ? 'bad' : 'good'}: ${hosts}: ${why}`,
  );
  const judged: [] = [];
  if (culprit === null)
    return { sentences: ['the search was not ended', ...runs], code: exitCode.notRun, judged };
  const code = culprit.kind === 'none' ? exitCode.ok : exitCode.regression;
  return { sentences: [culprit.sentence, ...runs], code, judged };
}
