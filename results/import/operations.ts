import { type CollectiveName, collectiveNames, type OperationName } from '../schema/index.ts';

/** The collective of this name; null for other operations. */
export const collectiveOrNull = (operation: OperationName): CollectiveName | null =>
  collectiveNames.find((name) => name === operation) ?? null;
