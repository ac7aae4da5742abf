/** References with which a suite's runs are compared, the rules of the gate, and the files of baselines. */

export { nightScatter } from '../judge/nights.ts';
export * from './arm.ts';
export * from './changes.ts';
export * from './conclude.ts';
export * from './decide.ts';
export * from './detectable.ts';
export * from './earlier-runs.ts';
export * from './failures.ts';
export * from './keep.ts';
export * from './launches-needed.ts';
export * from './learn.ts';
export * from './pool.ts';
export * from './reference.ts';
export * from './scatter.ts';
export * from './source.ts';
export * from './store.ts';
export * from './verdict.ts';
