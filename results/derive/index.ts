/** Samples to figures: pure functions. */
export * from './agreement.ts';
export * from './as-nccl-tests.ts';
export * from './bus-factor.ts';
export * from './cell.ts';
export * from './choices.ts';
export * from './completeness.ts';
export * from './crossover.ts';
export * from './evidence.ts';
export * from './evidence-nccl.ts';
export * from './figures.ts';
export * from './flags.ts';
export * from './groups.ts';
export * from './headline.ts';
export * from './interval.ts';
export * from './launches.ts';
export * from './student.ts';
export * from './traffic.ts';
