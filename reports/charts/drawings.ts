// Draws charts in a second thread if a processor is free, because drawing takes half the time of a report.
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { ChartSize } from '../theme.ts';
import type { FigureNames } from './render.ts';
import type { ChartSpec } from './spec.ts';

/** One value for the wide form of a chart and one for the narrow form. */
export type BothSizes<T> = Record<ChartSize, T>;

interface DrawingJob {
  specs: BothSizes<ChartSpec>;
  names: BothSizes<FigureNames>;
  settle(drawn: BothSizes<string> | Promise<BothSizes<string>>): void;
  fail(error: unknown): void;
}

type WorkerReply = { id: number; drawn: BothSizes<string> } | { id: number; error: unknown };

/**
 * Path of the script that a worker thread runs to draw charts. It is stored beside the bundled program and shares its code cache.
 * Undefined if the program is not bundled, as in tests.
 */
const threadFile = [new URL('../../bin/drawing.cjs', import.meta.url)].find((file) => existsSync(file));

let thread: Worker | null = null;
/**
 * True if a worker thread would take more time than it saves: only one processor is available, or the load average of the last
 * minute exceeds the available processors.
 */
const isBusy = (): boolean => availableParallelism() < 2 || (loadavg()[0] ?? 0) > availableParallelism();
/**
 * True if charts are drawn in the main thread. It is decided when the module is loaded, and becomes true if the worker thread
 * fails.
 */
let isAlone = threadFile === undefined || isBusy();
let last = 0;
const jobs = new Map<number, DrawingJob>();
/**
 * Settles when the last drawing queued in the main thread has ended. Drawings run one after another; otherwise a page of hundreds
 * of charts would keep all Vega views in memory.
 */
let here: Promise<unknown> = Promise.resolve();

/**
 * Starts the worker thread that draws charts, unless it runs already or `isAlone` is true. Callers do so early, so that the thread
 * loads its code while runs are read. The thread does not keep the process alive while it has no chart to draw.
 */
export function prepareDrawing(): void {
  if (isAlone || thread !== null || threadFile === undefined) return;
  thread = new Worker(threadFile, { env: SHARE_ENV, workerData: { command: process.argv[2] ?? '' } });
  thread.on('message', answered);
  thread.on('error', drawRest);
  thread.unref();
  // A thread that ends by itself writes its code cache for the next start; a killed thread does not.
  process.once('beforeExit', endThread);
}

/**
 * Draws the wide and the narrow form of a chart, in the worker thread if there is one, else in the main thread after all earlier
 * charts. Resolves to both SVG texts; rejects if Vega-Lite does not accept a specification.
 * @param names titles, descriptions and id prefixes of both forms; the prefixes must differ
 */
export function drawBoth(
  specs: BothSizes<ChartSpec>,
  names: BothSizes<FigureNames>,
): Promise<BothSizes<string>> {
  prepareDrawing();
  return new Promise((settle, fail) => {
    const job = { specs, names, settle, fail };
    if (thread === null) return drawHere(job);
    last += 1;
    jobs.set(last, job);
    thread.ref();
    thread.postMessage({ id: last, specs, names });
  });
}

function drawHere({ specs, names, settle }: DrawingJob): void {
  const drawn = here.then(async () => {
    const { renderBoth } = await import('./render.ts');
    return renderBoth((size) => specs[size], names);
  });
  here = drawn.catch(() => null);
  settle(drawn);
}

function answered(answer: WorkerReply): void {
  const job = jobs.get(answer.id);
  jobs.delete(answer.id);
  if (jobs.size === 0) thread?.unref();
  if ('drawn' in answer) job?.settle(answer.drawn);
  else job?.fail(answer.error);
}

/** Draws all waiting charts in the main thread, because the worker thread failed or could not start. */
function drawRest(): void {
  isAlone = true;
  thread = null;
  for (const job of jobs.values()) drawHere(job);
  jobs.clear();
}

function endThread(): void {
  thread?.ref();
  thread?.postMessage(null);
  thread = null;
}
