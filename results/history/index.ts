/** Runs over time: an index of all runs, the nights of a series, and changes between nights. */

export * from './changes.ts';
export * from './detectable.ts';
export { findLastComparable as lastLike, runsLike } from './last-like.ts';
export type { TimeLevel } from './levels.ts';
export * from './night-changes.ts';
export { type HistoryNight, type NightRun, type PointKind, pointKinds, type SizeStep } from './nights.ts';
export {
  type GroupName,
  nameOfGroup,
  nameOfSeries,
  regimeName,
  searchWords as wordsFor,
} from './series-name.ts';
export * from './state.ts';
export * from './together.ts';
export * from './trend.ts';
export * from './trend-report.ts';
