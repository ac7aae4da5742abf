import { type CollectiveName, collectiveNames, type OperationName } from '../schema/index.ts';

/** Returns the operation as a collective; null if it is another kind of operation. */
export const collectiveOrNull = (operation: OperationName): CollectiveName | null =>
  collectiveNames.find((name) => name === operation) ?? null;
