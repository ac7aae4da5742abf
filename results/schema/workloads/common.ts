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
/** Figures of series in which ranks are made late (`--skew`). A workload that lists them can be measured with late ranks. */
export const arrivalFigures: FigureData[] = [
  {
    name: 'fromFirst',
    unit: 'ns',
    better: 'lower',
    head: 'first',
    longHead: 'from first',
    title: 'time from the first arrival',
    column: 'from_first',
    trial: null,
    from: [],
  },
  {
    name: 'skew',
    unit: 'ns',
    better: 'lower',
    head: 'skew',
    title: 'arrival skew',
    trial: null,
    from: [],
  },
];
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
