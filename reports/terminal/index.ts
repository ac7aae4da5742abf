export type { FootInput } from './foot.ts';
export type { LiveTable, LiveTableOptions } from './live.ts';
export { type ProgressState, progressLine } from './progress.ts';
export { createTable } from './table.ts';
export { wholeRows } from './whole.ts';
