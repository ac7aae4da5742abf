import { setTimeout } from 'node:timers/promises';
import { xText } from '../../results/axis-text.ts';
import { machineFlags, withRetried } from '../../results/derive/index.ts';
import {
  attemptsOf,
  type BlockRecord,
  type BlockRequest,
  type CellRecord,
  type Retry,
  type RunPlan,
  type RunRecord,
} from '../../results/schema/index.ts';
import type { RunWriter } from '../../results/store/types.ts';
import type { ExitCode } from '../../results/verdicts/exit-code.ts';
import { verdicts } from '../../results/verdicts/verdicts.ts';
import { roundsOf } from '../../suites/rounds.ts';
import { samplerOf } from '../../suites/sampler/index.ts';
import { schedule } from '../../suites/schedule.ts';
import { type HostPool, sessionOptionsAt } from '../preparing/host-pool.ts';
import { runSession, type SessionEvent } from '../session/session.ts';
import { HostLogs } from './host-logs.ts';
import { InterruptHandler } from './interrupt.ts';
import { combineOutputs, type RunOutput, type RunTools } from './output.ts';
import { type EarlierAttempt, firstAttempt, RunRecorder } from './recorder.ts';
import { firstMeasurementPlan, limitByTime, secondTime } from './retry.ts';
import { endRun, failureOf } from './run-end.ts';
import { slowdown } from './slowdown.ts';
import { LaunchSpacing } from './spacing.ts';
import { quietWaitText, repeatsText, retryBudgetText, retryText, waitingText } from './texts.ts';
import type { RunTurns } from './turns.ts';

export interface RunExecutionOptions {
  /**
   * Hosts of the run: their launcher, the path of the agent program, and agents that are already running. The caller closes the
   * connections.
   */
  nodes: Pick<HostPool, 'launcher' | 'agentPath' | 'takeAgents'>;
  tools: RunTools;
  outputs: readonly RunOutput[];
  /** Environment variables for the rank processes, added to the variables that they inherit from the agents; absent = none. */
  environment?: Record<string, string>;
  /**
   * Time at which the command started, on the clock of performance.now(), ms. The time budget counts from it; absent =
   * the budget counts from the start of the measurement.
   */
  beganMs?: number;
  /** False if the run gets no report of its own, because the caller makes one report over several runs; default true. */
  report?: boolean;
  /** Another run with which this run alternates, round by round; absent = this run measures alone. */
  turns?: RunTurns;
}

/**
 * Part of a plan that one start of the run measures: everything for a new run, the missing blocks for a resumed run.
 */
export interface RunWork extends EarlierAttempt {
  /**
   * Blocks to measure, in order. With adaptive sampling these are only the first blocks of each configuration and launch; the
   * sampler adds others.
   */
  blocks: BlockRequest[];
  /** Estimated seconds of the run that measures this work, with its start and its end. */
  estimateS: number;
  /**
   * The blocks of `blocks`, divided into rounds; a round measures every point that has blocks left. The run and the other run
   * measure their rounds in turn (A B B A ...). Absent if the run is measured alone.
   */
  rounds?: BlockRequest[][];
}

/**
 * Conditions for showing a new estimate of the run's duration: at least `firstTellS` seconds and the share `tellShare` of the
 * first estimate have passed, and the new estimate is larger or smaller than the first by at least the factor `tellRatio`.
 */
const firstTellS = 5;
const tellShare = 0.15;
const tellRatio = 1.4;

/** Returns the work of a new run: all blocks of the plan. */
const fullRunWork = (plan: RunPlan): RunWork => ({
  ...firstAttempt,
  blocks: schedule(plan),
  estimateS: plan.estimateS,
});

/**
 * Returns the work of a new run that alternates with another run. The blocks of the plan are divided into rounds, of which short
 * ones are repeated, so that there are enough turns.
 */
function workInRounds(plan: RunPlan): RunWork {
  const rounds = roundsOf(plan, schedule(plan));
  return { ...fullRunWork(plan), blocks: rounds.flat(), rounds };
}

/**
 * Carries out one plan: measures, stores and prints the results, and judges them at the end. If something fails, the data measured
 * so far is still stored. carryOut() returns the exit code and closes the writer. Failures are in the record, not thrown; only
 * defects of collbench are thrown.
 */
export class RunExecution {
  private readonly plan: RunPlan;
  private readonly options: RunExecutionOptions;
  private readonly work: RunWork;
  private readonly record: RunRecord;
  private readonly writer: RunWriter;
  private readonly recorder: RunRecorder;
  /**
   * Recorder that stores the results of the current measurement. It is a second recorder while disturbed
   * configurations are measured again.
   */
  private keeper: RunRecorder;
  private attempt: number;
  private readonly hostLogs: HostLogs;
  private readonly warnings = new RepeatedWarnings();
  private readonly output: RunOutput;
  /** Elapsed share of the estimated duration, 0 to 1. It never falls, even if the estimate grows. */
  private share = 0;
  private isEstimateTold = false;
  private hostsHeard = 0;
  private written: Promise<void> = Promise.resolve();

  constructor(options: RunExecutionOptions, record: RunRecord, writer: RunWriter, work?: RunWork) {
    this.options = options;
    this.plan = record.plan;
    this.work = work ?? (options.turns === undefined ? fullRunWork(record.plan) : workInRounds(record.plan));
    this.record = record;
    this.writer = writer;
    this.recorder = new RunRecorder(this.plan, writer, this.work);
    this.recorder.launches = record.launches;
    this.recorder.inventory = record.inventory;
    this.keeper = this.recorder;
    this.attempt = this.work.attempt;
    this.hostLogs = new HostLogs(writer, record.logs);
    this.output = combineOutputs(options.outputs);
  }

  async carryOut(): Promise<ExitCode> {
    const interrupt = new InterruptHandler();
    try {
      this.output.begin();
      this.tellEarlier();
      await this.measure(interrupt.signal);
      return await this.conclude();
    } finally {
      interrupt.release();
      await this.writer.close().catch(() => undefined);
    }
  }

  /** Results (cells) of the configurations finished so far, including those of earlier starts of a resumed run. */
  get cells(): readonly CellRecord[] {
    return this.recorder.cells;
  }

  private async measure(signal: AbortSignal): Promise<void> {
    const { blocks } = this.work;
    const took =
      blocks.length > 0 ? await this.runThrough(firstMeasurementPlan(this.plan), blocks, signal) : 0;
    try {
      for await (const cell of this.recorder.abandon()) this.tellCells([cell]);
      const problem = await this.recorder.refine();
      if (problem !== null) this.output.note(problem);
      if (this.plan.sampling.retryFlagged === true && this.record.failures.length === 0)
        await this.retry(took, signal);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Measures configurations again that other programs disturbed, as many as the time allows (secondTime()); does nothing if there
   * is none. A first result is replaced only if the second one is complete and not disturbed. An abort does not reject.
   * @param tookS seconds that the first measurement took: this one gets the rest of the budget, or without a budget about as long
   * @throws StoreError if the disk cannot be written
   */
  private async retry(tookS: number, signal: AbortSignal): Promise<void> {
    const { recorder, record, writer, plan } = this;
    const second = secondTime(plan, recorder.cells, tookS);
    if (second === null) return;
    const { cells, leftOut, leftS, apartS } = second;
    const retry: Retry = { attempt: attemptsOf(record) + 1, at: new Date().toISOString(), cells, leftOut };
    record.retries = [...(record.retries ?? []), retry];
    await writer.update(record);
    if (cells.length === 0) return this.output.note(retryBudgetText(leftOut, recorder.cells.length));
    writer.beginAttempt(retry.attempt);
    this.output.note(retryText(cells.length, recorder.cells.length, second.estimateS));
    const earlier = { cells: [], attempt: retry.attempt, firstBlock: recorder.nextBlock, isSecond: true };
    this.attempt = retry.attempt;
    this.keeper = new RunRecorder(plan, writer, earlier);
    this.keeper.flags = recorder.flags;
    this.keeper.launches = record.launches;
    this.keeper.inventory = record.inventory;
    const begun = new Set<number>();
    await this.runThrough(second.plan, second.blocks, signal, { leftS, apartS, begun });
    // Intervals and loads are computed from both measurements together, as each size uses data of the other sizes.
    const again = new RunRecorder(plan, writer, { ...earlier, cells: this.keeper.cells });
    again.launches = record.launches;
    again.inventory = record.inventory;
    await again.look();
    const { cells: kept, retried } = withRetried(plan, recorder.cells, again.cells, cells);
    recorder.cells = kept;
    retry.cells = retried.filter(({ point }) => begun.has(point));
    retry.leftOut = leftOut + retried.length - retry.cells.length;
    await recorder.refine();
    await writer.update(record);
  }

  /**
   * Measures blocks of a plan. An error becomes a failure of the run and ends the measurement; it is not thrown.
   * @param plan plan with the blocks; its budget is the time that the measurement may take
   * @param blocks first blocks to measure, in order
   * @param limit `leftS`: seconds after which no further point starts, with fixed sample counts; adaptive sampling keeps its budget
   * itself. `apartS`: minimum seconds between two launches of a configuration; `begun`: gets the indices of the points that were
   * started. Absent = all points are measured
   * @returns seconds since the command started (`beganMs`), or with `limit` since this call; after a wait for quiet machines, since
   * the end of the wait
   */
  private async runThrough(
    plan: RunPlan,
    blocks: readonly BlockRequest[],
    signal: AbortSignal,
    limit?: { leftS: number; apartS: number; begun: Set<number> },
  ): Promise<number> {
    const { nodes, tools, environment } = this.options;
    let begun = (limit === undefined ? this.options.beganMs : undefined) ?? performance.now();
    const atS = (): number => (performance.now() - begun) / 1000;
    const sampler = samplerOf(plan, blocks, slowdown(), atS());
    // Adaptive sampling skips by itself what the budget has no time for.
    const isSpent = () => limit !== undefined && plan.sampling.adaptive === undefined && atS() >= limit.leftS;
    const due = limit === undefined ? sampler : limitByTime(sampler, limit.begun, isSpent);
    const spacing = new LaunchSpacing(limit?.apartS);
    const spaced = async function* (requests: Iterable<BlockRequest>): AsyncGenerator<BlockRequest> {
      for (const request of requests) {
        const waitS = spacing.waitS(request, atS());
        if (waitS > 0) {
          sampler.paused(waitS);
          await setTimeout(waitS * 1000, undefined, { signal }).catch(() => undefined);
        }
        const fromS = atS();
        yield request;
        spacing.add(request, fromS, atS());
      }
    };
    const { turns } = this.options;
    const { rounds } = this.work;
    const inTurn =
      turns === undefined || rounds === undefined ? spaced(due) : turns.runs.inTurn(turns.side, rounds);
    const events = runSession(this.plan, inTurn, {
      ...sessionOptionsAt(nodes),
      // Ranks that are threads of this process need no agents.
      agents: this.plan.inProcess ? [] : nodes.takeAgents(),
      signal,
      ...(environment === undefined ? {} : { environment }),
      // If two runs alternate, there are many pairs of runs on the same machine, so its facts are not stored each
      // time.
      keepMachines: turns === undefined,
      expected: blocks,
      ...(this.plan.inProcess ? await tools.inProcess() : {}),
    });
    try {
      for await (const event of events) {
        if (event.type !== 'block') {
          await this.take(event);
          if (event.type === 'waited') begun = performance.now();
          continue;
        }
        const closed = sampler.take(event.record, event.completesCell, atS());
        const cells = await this.keeper.add(event.record, closed);
        if (this.keeper === this.recorder) {
          this.tellCells(cells);
          this.tellEarly(event.record);
        }
        const leftS = sampler.leftS(atS());
        this.tellEstimate(atS(), leftS);
        if (leftS !== null) this.share = Math.max(this.share, atS() / (atS() + leftS));
        this.output.progress(leftS, this.share, this.placeText(event.record), sampler.progress);
        await this.written;
      }
    } catch (error) {
      this.fail(error);
    }
    return atS();
  }

  private placeText({ point, launch, trial }: BlockRecord): string {
    const at = this.plan.points[point];
    const size = at === undefined ? '' : xText(at);
    if (trial === 'attest') return `checking ${size}`;
    const { launches } = this.plan.sampling;
    if (launches === 1) return size;
    return launch < launches ? `launch ${launch + 1}, ${size}` : `further launch, ${size}`;
  }

  /**
   * Compares a new estimate of the duration once, when enough time has passed (`firstTellS`, `tellShare`), with the plan's, and
   * prints it if they differ by at least the factor `tellRatio`. With fixed sample counts there is no new estimate, because small
   * sizes come first and predict little about large ones.
   * @param atS seconds since the command started
   * @param leftS estimated seconds to the end; null while unknown
   */
  private tellEstimate(atS: number, leftS: number | null): void {
    const { estimateS } = this.work;
    if (
      this.isEstimateTold ||
      this.keeper !== this.recorder ||
      this.plan.sampling.adaptive === undefined ||
      leftS === null
    )
      return;
    if (atS < firstTellS || atS < tellShare * estimateS) return;
    this.isEstimateTold = true;
    const nowS = atS + leftS;
    if (nowS < estimateS * tellRatio && nowS > estimateS / tellRatio) return;
    this.output.estimate?.(nowS);
  }

  /** Prints the results that earlier starts of this run measured. */
  private tellEarlier(): void {
    this.recorder.flags = machineFlags(this.plan, this.record.inventory, this.record.launches);
    this.tellCells(this.work.cells);
  }

  /**
   * Prints results. The results of one point must be consecutive; their table row is printed with the last of them, if no result of
   * the point is missing.
   */
  private tellCells(cells: readonly CellRecord[]): void {
    for (const [i, cell] of cells.entries()) {
      const row = cells[i + 1]?.point === cell.point ? null : this.recorder.row(cell.point);
      this.output.cell(cell, row);
    }
  }

  private tellEarly(block: BlockRecord): void {
    if (this.output.early === undefined) return;
    const row = this.recorder.early(block);
    if (row !== null) this.output.early(block.point, row);
  }

  private async take(event: Exclude<SessionEvent, { type: 'block' }>): Promise<void> {
    switch (event.type) {
      case 'inventory':
        this.record.inventory[event.host] = event.inventory;
        this.recorder.flags = machineFlags(this.plan, this.record.inventory, this.record.launches);
        Object.assign(this.record.versions, event.versions);
        this.hostsHeard += 1;
        // The inventories of all hosts arrive one after another; they are written to disk once, after the last.
        return this.hostsHeard === this.plan.hosts.length ? this.write() : undefined;
      case 'launch':
        this.record.launches.push(
          this.attempt === 0 ? event.record : { ...event.record, attempt: this.attempt },
        );
        this.recorder.flags = machineFlags(this.plan, this.record.inventory, this.record.launches);
        return this.write();
      case 'log': {
        const who = event.rank === null ? event.host : `${event.host} rank ${event.rank}`;
        await this.writer.appendLog('session.log', `${event.level} ${who}: ${event.text}`);
        if (event.level === 'warn' && this.warnings.isNew(event.text))
          this.output.note(`${who}: ${event.text}`);
        return;
      }
      case 'metrics':
        return this.keeper.addMetrics(event.host, event.lines);
      case 'output':
        return this.hostLogs.add(event);
      case 'machines': {
        const { machineOf } = await import('../../results/machine/index.ts');
        const machines = Object.entries(event.facts).map(
          ([host, facts]) => [host, machineOf(facts)] as const,
        );
        return this.writer.writeMachines(Object.fromEntries(machines));
      }
      case 'waiting':
        return this.output.note(waitingText(event.busy, event.limitS));
      case 'waited':
        this.record.waits = [...(this.record.waits ?? []), event.wait];
        this.output.note(quietWaitText(event.wait));
        return this.writer.update(this.record);
      case 'failure':
        this.record.failures.push(event.failure);
    }
  }

  /**
   * Starts to write run.json and does not wait, because the disk may take as long as the start of the ranks that goes on
   * meanwhile. A write error becomes a failure of the run after the next block.
   */
  private write(): void {
    this.written = this.writer.update(this.record);
    this.written.catch(() => undefined);
  }

  private fail(error: unknown): void {
    this.record.failures.push(failureOf(error, this.writer.dir));
  }

  private async conclude(): Promise<ExitCode> {
    const { record, writer, output } = this;
    const { tools, report } = this.options;
    const { cells } = this.recorder;
    const logs = this.hostLogs.files();
    if (logs.length > 0) record.logs = logs;
    const repeats = this.warnings.takeLeft();
    if (repeats > 0) output.note(repeatsText(repeats, writer.dir));
    if (record.failures.length === 0) record.failures.push(...verdicts(record, cells, writer.dir));
    return endRun({ record, writer, cells, tools, output, ...(report === undefined ? {} : { report }) });
  }
}

/**
 * Shows each warning of ranks only once in a run, because a library repeats it on every rank and in every launch. Warnings are
 * equal if they differ only in numbers, or in the stack of a rank that did not end.
 */
export class RepeatedWarnings {
  private readonly shown = new Set<string>();
  private left = 0;

  /** Returns true if the warning is shown for the first time; otherwise it is counted as hidden. */
  isNew(text: string): boolean {
    const shape = text.replace(/; stack: .*$/s, '').replace(/\d+/g, '#');
    if (this.shown.has(shape)) {
      this.left += 1;
      return false;
    }
    this.shown.add(shape);
    return true;
  }

  /** Returns the number of warnings that were hidden since its last call. */
  takeLeft(): number {
    const { left } = this;
    this.left = 0;
    return left;
  }
}
