/** Models of time over size, and contradictions between measured times: pure functions. */
export * from './contradictions.ts';
export * from './cost.ts';
export * from './line.ts';
export * from './points.ts';
export * from './predict.ts';
export * from './series-model.ts';
export * from './step.ts';
export * from './step-check.ts';
