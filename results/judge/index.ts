/** Tests whether one set of launches is slower than another. The functions have no side effects. */
export type { VariancePrior } from '../derive/statistics/launch-interval.ts';
export * from './benjamini-hochberg.ts';
export * from './detectable.ts';
export * from './difference.ts';
export * from './family.ts';
export * from './large.ts';
export * from './moderated-t.ts';
export * from './nights.ts';
export * from './welch-t.ts';
