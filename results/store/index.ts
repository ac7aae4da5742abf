/** Run directories: the truth on disk. */
export * from './calibration.ts';
export * from './environment.ts';
export * from './errors.ts';
export { createCrosscheck, crosscheckFile, type RecordWriter } from './folder.ts';
export { keepJobs, writeJobs } from './jobs.ts';
export { listRuns } from './list.ts';
export { lockRun, type RunLock } from './lock.ts';
export { openMetrics } from './metrics.ts';
export { defaultRoot, files } from './paths.ts';
export { findRun, openRun } from './read.ts';
export { prunable, prunableSuites, removeRun } from './remove.ts';
export * from './stored-record.ts';
export * from './suites.ts';
export * from './tuning.ts';
export type { HostMetrics, LoadedRun, RunEntry, RunWriter } from './types.ts';
export { schemaVersion } from './versions.ts';
export { type CreateOptions, createRun, newRunId, reopenRun } from './write.ts';
