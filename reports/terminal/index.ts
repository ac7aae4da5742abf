export type { FootInput } from './foot.ts';
export type { LiveTable, LiveTableOptions } from './live.ts';
export { type ProgressState, progressLine } from './progress.ts';
export { finalTable, tableOfRun as wholeRows } from './run-table.ts';
export { createTable } from './table.ts';
