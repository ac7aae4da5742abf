import { algorithmBandwidth, busBandwidth } from './bandwidth.ts';
import { calls } from './calls.ts';
import type { GroupChart } from './chart.ts';
import { launches } from './launches.ts';
import { ratio } from './ratio.ts';
import { time } from './time.ts';

/** Every chart of a group, in the order of the report; a new one is a file and a row here. */
export const groupCharts: readonly GroupChart[] = [
  busBandwidth,
  time,
  calls,
  algorithmBandwidth,
  ratio,
  launches,
];

export { averages, averagesOf } from './averages.ts';
export type { Figure, GroupChart, Row } from './chart.ts';
export { heatmap } from './heatmap.ts';
export { meanwhileFigure } from './meanwhile.ts';
export { rings } from './rings.ts';
