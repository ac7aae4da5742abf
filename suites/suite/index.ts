/** Suite files: reading, checking, expanding to runs. */
export * from './error.ts';
export * from './expand.ts';
export * from './load.ts';
export * from './read.ts';
export * from './schema.ts';
export * from './types.ts';
