/** Reads suite files, checks them, and expands them to runs. */
export * from './error.ts';
export * from './expand.ts';
export * from './load.ts';
export * from './read.ts';
export * from './schema.ts';
export * from './types.ts';
