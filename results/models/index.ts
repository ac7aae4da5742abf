/** Curves to the few figures that describe them, and times that contradict one another: pure functions. */
export * from './contradictions.ts';
export * from './cost.ts';
export * from './line.ts';
export * from './points.ts';
export * from './predict.ts';
export * from './series-model.ts';
export * from './step.ts';
export * from './step-check.ts';
