import { type CollectiveName, collectiveNames, type OperationName } from '../schema/index.ts';

/** Returns the operation as a collective; null if it is none, such as a message or a copy. */
export const collectiveOrNull = (operation: OperationName): CollectiveName | null =>
  collectiveNames.find((name) => name === operation) ?? null;
