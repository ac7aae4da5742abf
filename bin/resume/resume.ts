// Going on with a run that was interrupted, failed or killed: what is missing is measured, by the plan of the run.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../orchestration/build.ts';
import { type Nodes, nodesOfPlan, type ReachAgain } from '../../orchestration/preparing/nodes.ts';
import { Measuring, type MeasuringOptions } from '../../orchestration/running/measuring.ts';
import { environmentSetBy } from '../../orchestration/running/new-record.ts';
import { formatDuration, plural } from '../../reports/wording.ts';
import { deriveCells, machineFlags } from '../../results/derive/index.ts';
import type { BlockRecord, CellRecord, Resumption, RunPlan, RunRecord } from '../../results/schema/index.ts';
import {
  files,
  type LoadedRun,
  lockRun,
  openRun,
  type RunLock,
  reopenRun,
} from '../../results/store/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { type Remaining, remaining } from '../../suites/remaining.ts';
import { setSizes } from '../../suites/sets.ts';
import { CommandError } from '../exit.ts';
import { outputsOf } from '../output.ts';
import { runTools } from '../run-tools.ts';
import { differences } from './differences.ts';
import { surroundingsNow } from './surroundings.ts';

export interface ResumeOptions {
  json: boolean;
  root: string;
  /** Goes on where versions, machine or environment are not what they were; recorded. */
  force: boolean;
  /** How its hosts are reached, where it has any. */
  reach: ReachAgain;
}

/** @throws StoreError no such run, or its writer lives; CommandError it would be measured in other surroundings */
export async function resumeRun(name: string, options: ResumeOptions): Promise<ExitCode> {
  const found = await openRun(name, options.root);
  const { imported } = found.record.plan;
  if (imported !== undefined) {
    throw new CommandError(`run ${found.record.id} was imported from ${imported.program}`, [
      '  resume goes on with runs that were measured here: measure it anew, or import a whole file',
    ]);
  }
  if (found.record.state === 'complete') return nothingToDo(found.record);
  refusePairs(found.record);
  const lock = await lockRun(found.dir, 'Nothing was changed.');
  let nodes: Nodes | null = null;
  try {
    // Only now is it certain that nobody writes.
    const run = await openRun(found.dir);
    if (run.record.state === 'complete') return nothingToDo(run.record);
    nodes = await nodesOfPlan(run.record.plan, options.reach);
    const next = await prepareNext(run, options.force, nodes);
    return next === null ? nothingToDo(run.record) : await goOn(found.dir, next, lock, options, nodes);
  } finally {
    await lock.release();
    await nodes?.close();
  }
}

/** Pairs are judged by one another: those of two starts would not have met the same network. */
function refusePairs({ id, plan }: RunRecord): void {
  if (plan.pairs === undefined) return;
  throw new CommandError(`run ${id} compares pairs of hosts, which is not gone on with`, [
    '  pairs of another hour say nothing about these; nothing was changed',
    `Next: ${plan.command.join(' ')}`,
  ]);
}

function nothingToDo({ id, plan, failures, exitCode: code }: RunRecord): ExitCode {
  const cells = plural(plan.expected.cells, 'cell');
  process.stdout.write(`run ${id}: nothing to measure, all ${cells} are there\n`);
  const [first] = failures;
  if (first === undefined) return exitCode.ok;
  process.stderr.write(`collbench: ${first.message}\nNext: collbench show ${id}\n`);
  return (code ?? exitCode.notRun) as ExitCode;
}

/** What will be measured, and the run's record from now on. */
interface Next {
  rest: Remaining;
  cells: CellRecord[];
  record: RunRecord;
  firstBlock: number;
}

/** Verdicts about figures that are all there: measuring nothing cannot change them. */
const verdictKinds = ['wrong-data', 'contradicted', 'incomplete'];

/** @returns null when the run is at its end: all was measured, and judged */
async function prepareNext(run: LoadedRun, force: boolean, nodes: Nodes): Promise<Next | null> {
  const { record, dir } = run;
  const { plan } = record;
  const { blocksBefore, firstBlock } = await countBlocks(run);
  const rest = remaining(plan, run.cells, await placesInUse(run));
  const isJudged =
    record.state === 'failed' && record.failures.every(({ kind }) => verdictKinds.includes(kind));
  if (rest.blocks.length === 0 && (record.state === 'complete' || isJudged)) return null;
  const cells = inOrder(plan, [...rest.kept, ...(await derived(run, rest))]);
  const { apart, agentVersion } = await compare(record, rest, force, nodes);
  const resumption: Resumption = {
    at: new Date().toISOString(),
    cellsBefore: cells.length,
    blocksBefore,
    collbenchVersion: version(),
    agentVersion,
    before: {
      state: record.state,
      endedAt: record.endedAt ?? (await lastWrite(dir)),
      failures: record.failures,
    },
    differences: apart,
  };
  const resumed = [...(record.resumed ?? []), resumption];
  const open = { state: 'running', endedAt: null, exitCode: null, summary: null } as const;
  return { rest, cells, firstBlock, record: { ...record, ...open, failures: [], resumed } };
}

/** Blocks in the file, superseded ones included, and the number of the next. */
async function countBlocks(run: LoadedRun): Promise<{ blocksBefore: number; firstBlock: number }> {
  let blocksBefore = 0;
  let firstBlock = 0;
  for await (const { block } of run.blocks('all')) {
    blocksBefore += 1;
    firstBlock = Math.max(firstBlock, block + 1);
  }
  return { blocksBefore, firstBlock };
}

/** Samples stay on disk: there may be more of them than memory. */
async function placesInUse(
  run: LoadedRun,
): Promise<Pick<BlockRecord, 'point' | 'transport' | 'launch' | 'trial'>[]> {
  const places = [];
  for await (const { point, transport, launch, trial } of run.blocks()) {
    places.push({ point, transport, launch, trial });
  }
  return places;
}

/** Figures of cells that were measured in full when the writer was killed before it had written their line. */
async function derived(run: LoadedRun, { underived }: Remaining): Promise<CellRecord[]> {
  const { plan, inventory } = run.record;
  const wanted = new Map(
    underived.map(([point, transport]) => [`${point} ${transport}`, [] as BlockRecord[]]),
  );
  if (wanted.size === 0) return [];
  for await (const block of run.blocks()) wanted.get(`${block.point} ${block.transport}`)?.push(block);
  const flags = machineFlags(plan, inventory);
  return underived.flatMap(([point, transport]) =>
    deriveCells(plan, point, transport, wanted.get(`${point} ${transport}`) ?? [], flags),
  );
}

function inOrder(plan: RunPlan, cells: readonly CellRecord[]): CellRecord[] {
  const names = plan.transports.map(({ name }) => name);
  const sets = setSizes(plan).length;
  const place = ({ point, transport, group }: CellRecord): number =>
    (point * names.length + names.indexOf(transport)) * sets + (group?.index ?? 0);
  return [...cells].sort((a, b) => place(a) - place(b));
}

/** @throws CommandError something is not as it was, without force */
async function compare(
  record: RunRecord,
  rest: Remaining,
  force: boolean,
  nodes: Nodes,
): Promise<{ apart: string[]; agentVersion: string }> {
  // Figures alone are derived: where that happens makes no difference.
  if (rest.blocks.length === 0) return { apart: [], agentVersion: record.versions.agent ?? '' };
  const now = await surroundingsNow(record.plan, nodes, environmentSetBy(record));
  const apart = differences({ ...record, transports: record.plan.transports }, now);
  if (apart.length > 0 && !force) {
    throw new CommandError(`run ${record.id} was begun in other surroundings`, [
      ...apart.map((text) => `  ${text}`),
      '  what is measured now would not be comparable with what is there; nothing was changed',
      `Next: collbench resume ${record.id} --force (recorded), or a new run: ${record.plan.command.join(' ')}`,
    ]);
  }
  return { apart, agentVersion: now.versions.agent ?? '' };
}

/** When a killed run wrote its last block. */
async function lastWrite(dir: string): Promise<string | null> {
  const there = await stat(join(dir, files.blocks)).catch(() => null);
  return there === null ? null : there.mtime.toISOString();
}

async function goOn(
  dir: string,
  next: Next,
  lock: RunLock,
  options: ResumeOptions,
  nodes: Nodes,
): Promise<ExitCode> {
  const { record, cells, rest, firstBlock } = next;
  const { plan } = record;
  const writer = await reopenRun(dir, record, cells, lock);
  const left = plan.expected.cells - cells.length;
  const told =
    left === 0
      ? 'its end is written'
      : `${left} ${left === 1 ? 'is' : 'are'} measured now, about ${formatDuration(rest.estimateS)}`;
  process.stderr.write(
    `collbench: run ${record.id} goes on: ${cells.length} of ${plural(plan.expected.cells, 'cell')} are there, ${told}\n`,
  );
  const apart = record.resumed?.at(-1)?.differences ?? [];
  for (const text of apart) process.stderr.write(`collbench: not as before: ${text}\n`);
  const work = {
    cells,
    firstBlock,
    attempt: record.resumed?.length ?? 1,
    blocks: rest.blocks,
    estimateS: rest.estimateS,
  };
  const shown = { json: options.json, jsonFile: null };
  const { outputs } = outputsOf({ ...plan, estimateS: work.estimateS }, record.id, shown);
  const how: MeasuringOptions = { nodes, tools: runTools, outputs, environment: environmentSetBy(record) };
  return new Measuring(how, record, writer, work).carryOut();
}
