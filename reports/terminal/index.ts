export type { FootInput } from './foot.ts';
export { type PairsEnd, type PairsText, pairsFoot, pairsHead } from './pairs.ts';
export { type ProgressState, progressLine, timeLeft } from './progress.ts';
export { createTable, type Table, type TableOptions } from './table.ts';
