/**
 * Schemas and types of all data that collbench stores on disk or passes between rooms. TypeScript types are inferred from the zod
 * schemas that check the data. Files of this folder import no file outside it.
 */
export * from './baseline.ts';
export * from './bisection.ts';
export * from './block.ts';
export * from './calibration.ts';
export * from './cell.ts';
export * from './comparison.ts';
export * from './crosscheck.ts';
export * from './doctor.ts';
export * from './engines/index.ts';
export { isRunByNccl, ncclAlgorithms } from './engines/nccl.ts';
export * from './explanation.ts';
export * from './facts.ts';
export * from './figures.ts';
export * from './gate.ts';
export * from './history.ts';
export * from './job.ts';
export * from './loads.ts';
export * from './metrics.ts';
export * from './names.ts';
export * from './plan.ts';
export * from './rank-facts.ts';
export * from './run.ts';
export * from './run-state.ts';
export * from './series-name.ts';
export * from './skews.ts';
export * from './suite.ts';
export * from './topology.ts';
export * from './transports/detail.ts';
export * from './transports/index.ts';
export { pluginWord } from './transports/plugin.ts';
export * from './tuning.ts';
export * from './workloads/index.ts';
