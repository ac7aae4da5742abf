/** What other programs measured: as typed values, and as runs like our own. */
export { type Format, type FormatName, formatNames, formats } from './formats.ts';
export { type Found, type FoundRow, ImportError, type Told } from './found.ts';
export { type Foreign, foreignRun, keepImported } from './keep.ts';
export * from './nccl-tests.ts';
export * from './nccl-tests-result.ts';
export { readOsu } from './osu.ts';
export { readForeign } from './read.ts';
export { type ImportedRun, type Origin, runOf } from './to-run.ts';
