/** Samples to figures: pure functions. */
export * from './bus-factor.ts';
export * from './cell.ts';
export * from './figures.ts';
