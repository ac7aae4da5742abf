import { z } from 'zod';
import { type OtherOperationName, opNames, otherOperationNames, recordedDtypeNames } from '../../names.ts';
import { busFactor } from '../collective/formulas.ts';
import { bandwidths, bandwidthsOf, pipelinedOfNcclTests, vectorAxes } from '../collective/index.ts';
import { type CollectiveName, collectiveNames, isCollective } from '../collective/table.ts';
import { latency } from '../common.ts';
import type { Workload } from '../workload.ts';

export type OperationName = CollectiveName | OtherOperationName;
export const operationNames: readonly OperationName[] = [...collectiveNames, ...otherOperationNames];
const isOperation = (name: unknown): boolean => operationNames.some((known) => known === name);

/** As a collective, but for operations that only other programs measure, and for a data type that they may not say. */
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
 * Share of the payload that a link carries. What is no collective moves its payload over one link once; a barrier moves
 * nothing.
 */
export function shareOfLink(operation: ImportedAxes['operation'], ranks: number): number {
  // Parts of another program's alltoallv are unknown; rccl-tests takes them as equal.
  if (operation === 'alltoallv') return busFactor('alltoall', ranks);
  if (isCollective(operation)) return busFactor(operation, ranks);
  return operation === 'barrier' ? 0 : 1;
}

/** What importers bring: figures that another program printed. */
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
  leastMovedBytes: () => null,
  leastMovedAnyhow: () => null,
  isPlainTransfer: () => false,
};
