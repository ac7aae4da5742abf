// One run of pairs, or one search, from its plan to its exit code. Whatever happens, what was measured is kept.

import { type Nodes, remoteDeadlines } from '../../orchestration/preparing/nodes.ts';
import type { Prepared } from '../../orchestration/preparing/prepare.ts';
import { Interrupt } from '../../orchestration/running/interrupt.ts';
import { newRecord } from '../../orchestration/running/new-record.ts';
import type { SessionOptions } from '../../orchestration/session.ts';
import { isClean, membersPhrase, pairsSentences, pairsSummary } from '../../reports/pairs.ts';
import { pairsOverview } from '../../results/derive/index.ts';
import {
  type CellRecord,
  type Failure,
  failureWith,
  type OkCell,
  type PairsPlan,
  type RunRecord,
} from '../../results/schema/index.ts';
import { createRun, openRun, type RunWriter } from '../../results/store/index.ts';
import { type ExitCode, exitCode, exitCodeOf } from '../../results/verdicts/exit-code.ts';
import { FailureError } from '../../results/verdicts/failure-error.ts';
import { failureText } from '../../results/verdicts/failure-text.ts';
import { wrongDataText } from '../../results/verdicts/verdicts.ts';
import type { Options } from '../options/index.ts';
import type { BadWhen } from '../options/pairs.ts';
import { PairsRun } from './pairs-run.ts';
import { SetRecorder } from './recorder.ts';
import { Screen } from './screen.ts';
import { search } from './search.ts';

/** What was found, in words, and the exit code it asks for where nothing worse happened. */
interface Found {
  sentences: string[];
  code: ExitCode;
}

/** @param when of a search; null for all pairs */
export async function carryOut(
  { plan, inventories, versions }: Prepared,
  options: Pick<Options, 'json' | 'out'>,
  when: BadWhen | null,
  nodes: Nodes,
): Promise<ExitCode> {
  const pairs = plan.pairs as PairsPlan;
  const record = { ...newRecord(plan, inventories, versions), title: titleOf(plan.hosts.length, pairs) };
  const writer = await createRun({ record, ...(options.out === null ? {} : { out: options.out }) });
  const recorder = new SetRecorder(when === null ? 'pairs' : 'search', record, writer);
  const screen = new Screen(plan, record.id, options.json);
  const interrupt = new Interrupt();
  const session: SessionOptions = {
    agentPath: nodes.agentPath,
    launcher: nodes.launcher,
    signal: interrupt.signal,
    ...(when === null ? { agents: nodes.takeAgents() } : {}),
    ...(nodes.launcher.remote === true ? { deadlines: { helloMs: remoteDeadlines.helloMs } } : {}),
  };
  try {
    screen.begin();
    let found: Found;
    if (when === null) {
      await kept(record, () => new PairsRun(plan, pairs, recorder, screen).measure(session));
      found = foundAmong(record, recorder.cells);
    } else {
      const result = await kept(record, () => search(plan, pairs.names, when, session, recorder, screen)); // prettier-ignore
      found = foundBy(result);
    }
    if (interrupt.signal.aborted && !record.failures.some(({ kind }) => kind === 'interrupted'))
      record.failures.push(failureWith({ kind: 'interrupted', message: 'the run was interrupted' }));
    return await conclude(record, recorder, writer, screen, found);
  } finally {
    interrupt.release();
    await writer.close().catch(() => undefined);
  }
}

const titleOf = (hosts: number, { names, bisect }: PairsPlan): string =>
  `${bisect === undefined ? 'pairs of' : 'search among'} ${membersPhrase(names, hosts)}`;

/** What the disk or this machine refused is a failure of the run, not the end of what was measured. */
async function kept<T>(record: RunRecord, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof FailureError ? error.failure : null;
    const isDisk = error instanceof Error && error.name === 'StoreError';
    if (failure === null && !isDisk) throw error;
    record.failures.push(
      failure ?? failureWith({ kind: 'disk', message: (error as Error).message, phase: 'record' }),
    );
    return null;
  }
}

function foundAmong(record: RunRecord, cells: readonly CellRecord[]): Found {
  const overviews = pairsOverview(record.plan, cells);
  record.failures.push(...failuresIn(record, cells));
  const hasVerdict = overviews.every((one) => one.hasVerdict);
  const code = overviews.every(isClean)
    ? hasVerdict
      ? exitCode.ok
      : exitCode.noVerdict
    : exitCode.regression;
  return { sentences: pairsSentences(overviews), code };
}

function foundBy(result: Awaited<ReturnType<typeof search>> | null): Found {
  const { culprit = null, trials = [] } = result ?? {};
  const runs = trials.map(
    ({ hosts, isBad, why }, i) => `run ${i + 1}, ${isBad ? 'bad' : 'good'}: ${hosts}: ${why}`,
  );
  if (culprit === null) return { sentences: ['the search was not ended', ...runs], code: exitCode.notRun };
  const code = culprit.kind === 'none' ? exitCode.ok : exitCode.regression;
  return { sentences: [culprit.sentence, ...runs], code };
}

/** Shown one by one. */
const listed = 5;

/** What did not run, or went another way than asked: each makes exit code 2. */
function failuresIn({ id, state: _, failures, plan }: RunRecord, cells: readonly CellRecord[]): Failure[] {
  if (failures.length > 0) return [];
  const next = `collbench show ${id}`;
  const found: Failure[] = [];
  const missing = cells.filter((cell) => cell.status === 'failed' || cell.status === 'skipped');
  const sets = new Map(
    missing.map((cell) => [cell.group?.name ?? '', cell.status === 'ok' ? '' : cell.reason]),
  );
  if (sets.size > 0) {
    const details = [...sets].map(([name, reason]) => `${name}: ${reason}`);
    const more = details.length - listed;
    if (more > 0) details.splice(listed, more, `and ${more} more`);
    const total = plan.pairs?.sets.length ?? 0;
    found.push(
      failureWith({
        kind: 'incomplete',
        message: `${sets.size} of ${total} pairs and rings did not run`,
        details,
        next,
      }),
    );
  }
  const wrongWay = cells.filter(
    (cell): cell is OkCell => cell.status === 'ok' && cell.evidence.verdict === 'contradicted',
  );
  const [first] = wrongWay;
  if (first !== undefined) {
    const message = `the evidence contradicts the transport in ${wrongWay.length} cells, first in ${first.group?.name}`;
    found.push(failureWith({ kind: 'contradicted', message, details: [first.evidence.reason], next }));
  }
  return found;
}

async function conclude(
  record: RunRecord,
  recorder: SetRecorder,
  writer: RunWriter,
  screen: Screen,
  found: Found,
): Promise<ExitCode> {
  const { cells } = recorder;
  record.summary = pairsSummary(record.plan, cells, found.sentences);
  const isSearch = record.plan.pairs?.bisect !== undefined;
  // A run that fails is what a search looks for.
  const wrong = isSearch ? [] : cells;
  const worst = exitCodeOf(record.failures, wrong);
  const code = worst === exitCode.ok ? found.code : worst;
  record.exitCode = code;
  record.endedAt = new Date().toISOString();
  const isStopped = code === exitCode.interrupted;
  record.state = isStopped ? 'interrupted' : record.failures.length > 0 ? 'failed' : 'complete';
  let report: string | null = null;
  await kept(record, async () => {
    await recorder.conclude();
    await writer.update(record);
    const { writeReport } = await import('../../reports/html/index.ts');
    report = (await writeReport([await openRun(writer.dir)], writer.dir)).html;
  });
  screen.end(cells, record, writer.dir, report);
  process.stderr.write(wrongDataText(wrong, record.id) + record.failures.map(failureText).join(''));
  return record.failures.some(({ kind }) => kind === 'disk') && code === exitCode.ok ? exitCode.notRun : code;
}
