import type { FigureData } from './data.ts';

/**
 * The figure for the time of a single operation, in all workloads that time operations one by one. `pipelined` is that for
 * operations back to back.
 */
export const latency: FigureData = {
  name: 'latency',
  unit: 'ns',
  better: 'lower',
  head: 'latency',
  title: 'latency',
  trial: 'isolated',
  from: [],
  isHeadline: true,
};
export const pipelined: FigureData = {
  name: 'pipelined',
  unit: 'ns',
  better: 'lower',
  head: 'pipe',
  longHead: 'pipelined',
  title: 'pipelined time',
  trial: 'pipelined',
  from: [],
  isHeadline: true,
};
/** Time that the host takes to queue one operation on a GPU, which is not part of latency or pipelined time. */
export const enqueue: FigureData = {
  name: 'enqueue',
  unit: 'ns',
  better: 'lower',
  head: 'enqueue',
  title: 'enqueue cost',
  trial: null,
  from: [],
};
