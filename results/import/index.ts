/** Reads outputs of other programs and converts them to runs. */
export { type FormatName, formatNames, formats, type ImportFormat } from './formats.ts';
export { ImportError, type ImportedOutput, type ImportedRow, type ImportHints } from './imported-output.ts';
export { foreignRun, type ImportedFile, keepImported } from './keep.ts';
export * from './nccl-tests.ts';
export * from './nccl-tests-result.ts';
export { readOsu } from './osu.ts';
export { readForeign } from './read.ts';
export { type ImportedRun, type ImportOrigin, runOf } from './to-run.ts';
