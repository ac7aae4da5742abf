import type { AxisData, FigureData } from './data.ts';

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

/** Texts of a rate, which differ from workload to workload, and how it is shown. */
type RateTexts = Required<Pick<FigureData, 'caption' | 'definition' | 'formula'>> &
  Partial<Pick<FigureData, 'isCharted' | 'isThroughput' | 'isMessageRate'>>;

/** Returns the figure for bytes per second, from the time of operations back to back or one by one. */
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

/** Returns the figure for a number per second that is not bytes, such as messages. */
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

/** The properties of an axis that divides the series of a workload. */
export const seriesAxis = { unit: '', role: 'series' } as const;

/** Axis: number of operations or messages that are under way at once. */
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
