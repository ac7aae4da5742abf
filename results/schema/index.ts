/** The words on disk and between rooms. Imports nothing of the project; every type is inferred from its check. */
export * from './baseline.ts';
export * from './block.ts';
export * from './calibration.ts';
export * from './cell.ts';
export * from './comparison.ts';
export * from './crosscheck.ts';
export * from './doctor.ts';
export * from './facts.ts';
export * from './gate.ts';
export * from './history.ts';
export * from './metrics.ts';
export * from './plan.ts';
export * from './run.ts';
export * from './suite.ts';
export * from './topology.ts';
