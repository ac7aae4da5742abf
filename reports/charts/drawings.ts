// Draws figures in a second thread if a processor is free, because drawing takes half the time of a report.
import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { ChartSize } from '../theme.ts';
import type { FigureNames } from './render.ts';
import type { ChartSpec } from './spec.ts';

/** A value for each form of a figure. */
export type BothSizes<T> = Record<ChartSize, T>;

interface DrawingJob {
  specs: BothSizes<ChartSpec>;
  names: BothSizes<FigureNames>;
  settle(drawn: BothSizes<string> | Promise<BothSizes<string>>): void;
  fail(error: unknown): void;
}

type WorkerReply = { id: number; drawn: BothSizes<string> } | { id: number; error: unknown };

/**
 * Script of the thread, beside the bundled app and with the same code cache; undefined if the app is not bundled, as in tests.
 */
const threadFile = [new URL('../../bin/drawing.cjs', import.meta.url)].find((file) => existsSync(file));

let thread: Worker | null = null;
/** True if a second thread would take more time than it saves: one processor only, or all are in use. */
const isBusy = (): boolean => availableParallelism() < 2 || (loadavg()[0] ?? 0) > availableParallelism();
/** True if figures are drawn in this thread. A thread that failed is not started again. */
let isAlone = threadFile === undefined || isBusy();
let last = 0;
const jobs = new Map<number, DrawingJob>();
/**
 * Last drawing in this thread. Drawings run one after another; otherwise a page of hundreds of figures would keep all views in
 * memory.
 */
let here: Promise<unknown> = Promise.resolve();

/** Starts the thread early, so that it loads its code while runs are read. */
export function prepareDrawing(): void {
  if (isAlone || thread !== null || threadFile === undefined) return;
  thread = new Worker(threadFile, { env: SHARE_ENV, workerData: { command: process.argv[2] ?? '' } });
  thread.on('message', answered);
  thread.on('error', drawRest);
  thread.unref();
  // A thread that ends by itself writes its code cache for the next start; a killed thread does not.
  process.once('beforeExit', endThread);
}

/** Draws both forms of a figure, as `renderBoth` does. @throws if Vega-Lite does not accept a specification */
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

/** Draws the remaining jobs in this thread, because the second thread failed or could not start. */
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
