import { busFactor } from '../derive/index.ts';
import { type CollectiveName, collectiveNames, type OperationName } from '../schema/index.ts';

/** The collective of this name; null for other operations. */
export const collectiveOrNull = (operation: OperationName): CollectiveName | null =>
  collectiveNames.find((name) => name === operation) ?? null;

/**
 * Share of the payload that a link carries. What is no collective moves its payload over one link once; a barrier moves
 * nothing.
 */
export function shareOfLink(operation: OperationName, ranks: number): number {
  const collective = collectiveOrNull(operation);
  if (collective !== null) return busFactor(collective, ranks);
  return operation === 'barrier' ? 0 : 1;
}
