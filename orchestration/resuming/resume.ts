// Resumes a run that was interrupted, failed or killed: measures the missing blocks of the stored plan.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deriveCells, machineFlags } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import {
  attemptsOf,
  type BlockRecord,
  type CellRecord,
  engineOf,
  type Resumption,
  type RunPlan,
  type RunRecord,
  setSizes,
  transportOf,
} from '../../results/schema/index.ts';
import { recordedEnvironment } from '../../results/store/environment.ts';
import { lockRun, type RunLock } from '../../results/store/lock.ts';
import { files } from '../../results/store/paths.ts';
import { openRun } from '../../results/store/read.ts';
import type { LoadedRun } from '../../results/store/types.ts';
import { reopenRun } from '../../results/store/write.ts';
import type { ExitCode } from '../../results/verdicts/exit-code.ts';
import { type RemainingWork, remainingWork } from '../../suites/remaining.ts';
import { version } from '../build.ts';
import { detailOver } from '../engines/engine.ts';
import { engineIn } from '../engines/index.ts';
import { type ConnectionOptions, type HostPool, nodesOfPlan } from '../preparing/host-pool.ts';
import { pluginVersions } from '../preparing/probe-hosts.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import { protocolVersion } from '../protocol.ts';
import { RunExecution } from '../running/execution.ts';
import { environmentSetBy } from '../running/new-record.ts';
import type { RunOutput, RunTools } from '../running/output.ts';
import { differences, type RunEnvironment } from './differences.ts';

export interface ResumeOptions {
  root: string;
  /**
   * True to resume even if versions, machine or environment differ from those that the run recorded; the differences are recorded.
   */
  force: boolean;
  /** SSH options to reach the hosts of the run; ignored for a run on this machine alone. */
  reach: ConnectionOptions;
  tools: RunTools;
  /**
   * Creates the outputs of the run. Called once, when it is known which blocks are left to measure; not called if nothing is left
   * to do.
   * @param going what the run already has, and the estimated time for the rest
   */
  outputsFor(going: ResumePlan): readonly RunOutput[];
}

/**
 * Extent of resuming a run. `record`: updated content of run.json. `cells`: number of configurations that are already complete;
 * `estimateS`: estimated seconds for the rest.
 */
export interface ResumePlan {
  record: RunRecord;
  cells: number;
  estimateS: number;
}

/**
 * Measures the missing blocks of a run that was interrupted, failed or killed, and adds them to the run's folder.
 * @param name folder, id or label of the run, the start of its id, or `last`
 * @returns the record, and the exit code of the run; the code is null if nothing was missing, so that nothing was changed
 * @throws StoreError if there is no such run, or another process is writing it
 * @throws Refusal if the run was imported or measured pairs, if a transport can no longer run, or if the environment has changed
 * and `force` is false
 * @throws FailureError if a host cannot be probed; failures while measuring are in the record
 */
export async function resumeRun(
  name: string,
  options: ResumeOptions,
): Promise<{ record: RunRecord; code: ExitCode | null }> {
  const found = await openRun(name, options.root);
  const { id: run, state, plan } = found.record;
  if (found.record.bundle !== undefined) throw refuse('imported-not-resumed', { run, program: 'a bundle' });
  if (plan.imported !== undefined)
    throw refuse('imported-not-resumed', { run, program: plan.imported.program });
  if (state === 'complete') return { record: found.record, code: null };
  // Pairs are compared with each other: pairs of two separate starts would not have seen the same network state.
  if (plan.pairs !== undefined) throw refuse('pairs-not-resumed', { run, command: plan.command });
  const lock = await lockRun(found.dir, 'Nothing was changed.');
  let nodes: HostPool | null = null;
  try {
    // The lock is held, so no other process writes: the record is read again.
    const { record } = await openRun(found.dir);
    if (record.state === 'complete') return { record, code: null };
    nodes = await nodesOfPlan(record.plan, options.reach);
    const next = await prepareNext(await openRun(found.dir), options.force, nodes);
    if (next === null) return { record, code: null };
    return { record, code: await goOn(found.dir, next, lock, options, nodes) };
  } finally {
    await lock.release();
    await nodes?.close();
  }
}

/**
 * State of a run that is to be resumed: the blocks that are left, the results (cells) that it already has, its updated record,
 * which is not stored yet, and the number of the next block (`firstBlock`).
 */
interface ResumeState {
  rest: RemainingWork;
  cells: CellRecord[];
  record: RunRecord;
  firstBlock: number;
}

/**
 * Kinds of failures that come from judging the results, not from a crash. If no block is left to measure, resuming cannot
 * change them.
 */
const verdictKinds = ['wrong-data', 'contradicted', 'incomplete'];

/**
 * Decides which blocks are left to measure, and compares the present environment with the recorded one. Nothing is stored.
 * @param force true to resume even if the environment has changed
 * @returns null if everything is measured and judged
 * @throws Refusal or FailureError, as compare() does
 */
async function prepareNext(run: LoadedRun, force: boolean, nodes: HostPool): Promise<ResumeState | null> {
  const { record, dir } = run;
  const { plan } = record;
  const { blocksBefore, firstBlock } = await countBlocks(run);
  const rest = remainingWork(plan, run.cells, await placesInUse(run));
  const isJudged =
    ['failed', 'incomplete'].includes(record.state) &&
    record.failures.every(({ kind }) => verdictKinds.includes(kind));
  if (rest.blocks.length === 0 && (record.state === 'complete' || isJudged)) return null;
  const cells = inOrder(plan, [...rest.kept, ...(await deriveStoredBlocks(run, rest))]);
  const { apart, agentVersion } = await compare(record, rest, force, nodes);
  const resumption: Resumption = {
    at: new Date().toISOString(),
    cellsBefore: cells.length,
    blocksBefore,
    collbenchVersion: version(),
    agentVersion,
    before: {
      state: record.state,
      endedAt: record.endedAt ?? (blocksBefore === 0 ? null : await lastWrite(dir)),
      failures: record.failures,
    },
    differences: apart,
  };
  const resumed = [...(record.resumed ?? []), resumption];
  const open = { state: 'running', endedAt: null, exitCode: null, summary: null } as const;
  return { rest, cells, firstBlock, record: { ...record, ...open, failures: [], resumed } };
}

/**
 * Counts the stored blocks (samples of one configuration in one launch). `blocksBefore`: number of stored blocks,
 * including blocks that later ones replaced. `firstBlock`: number that the next stored block gets.
 */
async function countBlocks(run: LoadedRun): Promise<{ blocksBefore: number; firstBlock: number }> {
  let blocksBefore = 0;
  let firstBlock = 0;
  for await (const { block } of run.blocks('all')) {
    blocksBefore += 1;
    firstBlock = Math.max(firstBlock, block + 1);
  }
  return { blocksBefore, firstBlock };
}

/**
 * Returns point, transport, launch and trial of each stored block that no later block has replaced. Points and transports are
 * indices into the plan. Samples are not kept, because they may not fit into memory.
 */
async function placesInUse(
  run: LoadedRun,
): Promise<Pick<BlockRecord, 'point' | 'transport' | 'launch' | 'trial'>[]> {
  const places = [];
  for await (const { point, transport, launch, trial } of run.blocks()) {
    places.push({ point, transport, launch, trial });
  }
  return places;
}

/**
 * Computes and returns the results of configurations whose blocks are all stored, but for which no result was stored, because the
 * run was killed. Empty if there are none; nothing is stored.
 */
async function deriveStoredBlocks(run: LoadedRun, { underived }: RemainingWork): Promise<CellRecord[]> {
  const { plan, inventory, launches } = run.record;
  const wanted = new Map(
    underived.map(([point, transport]) => [`${point} ${transport}`, [] as BlockRecord[]]),
  );
  if (wanted.size === 0) return [];
  for await (const block of run.blocks()) wanted.get(`${block.point} ${block.transport}`)?.push(block);
  const flags = machineFlags(plan, inventory, launches);
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

/**
 * Compares the present environment with the environment that the run recorded. `apart`: sentences about the differences, empty if
 * there are none. `agentVersion`: version of the agents, several joined by ", ".
 * @param rest what is left to measure; if it has no blocks, nothing is compared
 * @throws Refusal if they differ and `force` is false, or a transport can no longer run
 * @throws FailureError if a host cannot be probed
 */
async function compare(
  record: RunRecord,
  rest: RemainingWork,
  force: boolean,
  nodes: HostPool,
): Promise<{ apart: string[]; agentVersion: string }> {
  // If no block is left to measure, only figures are computed, which does not depend on the environment.
  if (rest.blocks.length === 0) return { apart: [], agentVersion: record.versions.agent ?? '' };
  const now = await readEnvironment(record.plan, nodes, environmentSetBy(record));
  const apart = differences({ ...record, transports: record.plan.transports }, now);
  if (apart.length > 0 && !force) {
    const { id: run, plan } = record;
    throw refuse('other-surroundings', { run, apart, command: plan.command });
  }
  return { apart, agentVersion: now.versions.agent ?? '' };
}

/** Time of the last write to the file with the run's blocks, as ISO text; null if there is no such file. */
async function lastWrite(dir: string): Promise<string | null> {
  const there = await stat(join(dir, files.blocks)).catch(() => null);
  return there === null ? null : there.mtime.toISOString();
}

async function goOn(
  dir: string,
  next: ResumeState,
  lock: RunLock,
  options: ResumeOptions,
  nodes: HostPool,
): Promise<ExitCode> {
  const { record, cells, rest, firstBlock } = next;
  const writer = await reopenRun(dir, record, cells, lock);
  const work = {
    cells,
    firstBlock,
    attempt: attemptsOf(record),
    blocks: rest.blocks,
    estimateS: rest.estimateS,
  };
  const outputs = options.outputsFor({ record, cells: cells.length, estimateS: rest.estimateS });
  const how = { nodes, tools: options.tools, outputs, environment: environmentSetBy(record) };
  return new RunExecution(how, record, writer, work).carryOut();
}

/**
 * Probes all hosts of a stored plan for its transports, and returns their present environment. The descriptions of transports are
 * those of the first host.
 * @param environment environment variables that the run sets for its ranks
 * @throws Refusal for the first transport that can no longer run on a host
 * @throws FailureError if a host cannot be probed
 */
async function readEnvironment(
  plan: RunPlan,
  nodes: HostPool,
  environment: Record<string, string>,
): Promise<RunEnvironment> {
  const requests = plan.transports.map(
    (transport): ProbeRequest => ({
      engine: engineOf(plan),
      transport: transportOf(transport),
      options: transport.options,
      settings: { ...plan.settings, ...transport.settings },
      environment,
    }),
  );
  const engine = engineIn(plan);
  const isHere = nodes.hosts.length === 0;
  const found = await nodes.probe(requests);
  const hosts = found.map(({ inventory }, i) => nodes.hosts[i]?.name ?? inventory.hostname);
  for (const [i, { probed }] of found.entries()) requireAll(probed, hosts[i] as string);
  return {
    versions: {
      collbench: version(),
      agent: [...new Set(found.map((one) => one.version))].join(', '),
      protocol: String(protocolVersion),
      ...(await engine.versions(plan, found, isHere)),
      ...pluginVersions(hosts.map((name, i) => ({ name, result: found[i] as ProbeResult }))),
    },
    inventory: Object.fromEntries(found.map(({ inventory }, i) => [hosts[i], inventory])),
    environment: recordedEnvironment({ ...process.env, ...environment }),
    transports: plan.transports.map(({ name, options }, i) => {
      const capability = found[0]?.probed[i];
      const isBound = options.interface !== undefined;
      const detail = capability && detailOver(engine, plan.hosts.length, isBound, capability);
      return { name, medium: capability?.medium ?? 'emulated', detail: detail ?? {} };
    }),
  };
}

function requireAll(probed: ProbeResult['probed'], host: string): void {
  for (const { available, name: transport, reason, remedy, words = [], stack = [] } of probed) {
    if (!available) throw refuse('run-cannot-go-on', { transport, host, reason, remedy, words, stack });
  }
}
