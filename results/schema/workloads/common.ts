import type { AxisData, FigureData } from './data.ts';

/**
 * Figure for the time of a single operation, in all workloads that time operations one by one. `pipelined`: figure for the time per
 * operation, if operations run back to back.
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
/**
 * Figures of series in which ranks are made late on purpose (`--skew`): the time from the first rank's arrival, and the time
 * between the first and the last arrival. A workload that lists them can be measured with late ranks.
 */
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
/**
 * Figure for the time that the CPU takes to queue one operation on a GPU, on the slowest rank. It is not part of latency or
 * pipelined time.
 */
export const enqueue: FigureData = {
  name: 'enqueue',
  unit: 'ns',
  better: 'lower',
  head: 'enqueue',
  title: 'enqueue cost',
  trial: null,
  from: [],
};

/**
 * Texts about a rate (a figure per second), which each workload words for itself, and booleans that say how reports use the rate.
 */
type RateTexts = Required<Pick<FigureData, 'caption' | 'definition' | 'formula'>> &
  Partial<Pick<FigureData, 'isCharted' | 'isThroughput' | 'isMessageRate'>>;

/**
 * Returns the description of the figure `bandwidth`, in GB/s (1e9 bytes per second), not a value. The figure is computed from
 * pipelined time and from latency, as far as a cell has them; reports prefer pipelined time.
 */
export const bandwidth = ({ caption, definition, ...more }: RateTexts): FigureData => ({
  name: 'bandwidth',
  unit: 'GB/s',
  better: 'higher',
  head: 'bandw',
  longHead: 'bandwidth',
  title: 'bandwidth',
  caption,
  definition,
  trial: null,
  from: ['pipelined', 'latency'],
  ...more,
});

/**
 * Returns the description of a figure that counts something other than bytes, such as messages, per second (unit 1/s). The figure
 * is computed from pipelined time and from latency, as far as a cell has them; reports prefer pipelined time. `name`: name of the
 * figure, usually "rate".
 */
export const rate = ({
  name = 'rate',
  ...texts
}: RateTexts & Required<Pick<FigureData, 'head' | 'title' | 'column'>> & { name?: string }): FigureData => {
  const { head, title, column, caption, definition, ...more } = texts;
  return {
    ...{ name, unit: '1/s', better: 'higher', head, title, column, caption, definition },
    ...{ trial: null, from: ['pipelined', 'latency'], ...more },
  };
};

/** Properties of an axis whose values divide a workload's cells into series and have no unit. */
export const seriesAxis = { unit: '', role: 'series' } as const;

/** Properties of a numeric axis that titles never mention, because its value follows from other axes. */
export const silentAxis = { ...seriesAxis, isNumber: true, untitled: 'all' } as const;

/** Axis `window`: number of operations or messages that are under way at the same time. */
export const windowAxis: AxisData = {
  name: 'window',
  unit: '',
  role: 'series',
  isNumber: true,
  column: 'window',
  titlePrefix: 'window ',
  keyPrefix: 'w',
  untitled: [1],
};
