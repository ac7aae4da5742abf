/** What other programs measured, as typed values. */
export * from './nccl-tests.ts';
export * from './nccl-tests-result.ts';
