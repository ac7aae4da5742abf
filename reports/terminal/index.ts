export type { FootInput } from './foot.ts';
export { type ProgressState, progressLine, timeLeft } from './progress.ts';
export { createTable, type Table, type TableOptions } from './table.ts';
