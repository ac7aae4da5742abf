/** Models of time as a function of message size, and contradictions between measured times. */
export * from './contradictions.ts';
export * from './cost.ts';
export * from './line.ts';
export * from './points.ts';
export * from './predict.ts';
export * from './series-model.ts';
export * from './step.ts';
export * from './step-check.ts';
