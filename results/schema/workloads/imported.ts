import { z } from 'zod';
import { type OtherOperationName, opNames, otherOperationNames, recordedDtypeNames } from '../names.ts';
import { busFactor } from './collective/formulas.ts';
import { bandwidths, bandwidthsOf, pipelinedOfNcclTests, vectorAxes } from './collective/index.ts';
import { type CollectiveName, collectiveNames, isCollective } from './collective/table.ts';
import { latency } from './common.ts';
import type { Workload } from './workload.ts';

export type OperationName = CollectiveName | OtherOperationName;
export const operationNames: readonly OperationName[] = [...collectiveNames, ...otherOperationNames];
const isOperation = (name: unknown): boolean => operationNames.some((known) => known === name);

/**
 * Axes of an operation imported from another program: those of a collective, but also with operations that only other programs
 * measure, and with unknown data types.
 */
export const importedAxes = z.strictObject({
  operation: z.custom<OperationName>(isOperation, { error: 'no such operation' }),
  dtype: z.enum(recordedDtypeNames),
  op: z.enum(opNames).nullable(),
  root: z.int().min(0).nullable(),
  inPlace: z.boolean(),
  bytes: z.int().min(0),
});
export type ImportedAxes = z.infer<typeof importedAxes>;

/**
 * Returns the share of the payload that a link must carry, without unit. For collectives it is the bus factor; alltoallv has that
 * of alltoall, because the sizes of its parts are not known. Other operations move their payload over one link once (share 1); a
 * barrier moves nothing (0).
 */
export function shareOfLink(operation: ImportedAxes['operation'], ranks: number): number {
  // The parts of another program's alltoallv are unknown; rccl-tests assumes equal parts.
  if (operation === 'alltoallv') return busFactor('alltoall', ranks);
  if (isCollective(operation)) return busFactor(operation, ranks);
  return operation === 'barrier' ? 0 : 1;
}

/** Workload of operations that were imported, with the figures that another program printed. */
export const imported: Workload = {
  name: 'imported',
  title: 'imported operation',
  noun: 'collective',
  unitOfWork: 'call',
  axes: [{ name: 'operation', unit: '', role: 'what', column: 'collective' }, ...vectorAxes],
  figures: [latency, pipelinedOfNcclTests, ...bandwidths],
  unitsPerOperation: () => 1,
  derive({ axes, ranks }, _from, elapsedNs) {
    const { operation, bytes } = importedAxes.parse(axes);
    return bandwidthsOf(bytes, elapsedNs, shareOfLink(operation, ranks));
  },
  payloadBytes: ({ axes }) => importedAxes.parse(axes).bytes,
  minMovedBytes: () => null,
  minMovedByAnyAlgorithm: () => null,
  isPlainTransfer: () => false,
};
