import { z } from 'zod';
import { collectiveNames, operationNames, opNames, recordedDtypeNames } from '../../names.ts';
import { busFactor } from '../collective/bus-factor.ts';
import { bandwidths, bandwidthsOf, pipelinedOfNcclTests, vectorAxes } from '../collective/index.ts';
import { latency } from '../common.ts';
import type { Workload } from '../workload.ts';

/** As a collective, but for operations that only other programs measure, and for a data type that they may not say. */
export const importedAxes = z.strictObject({
  operation: z.enum(operationNames),
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
  const collective = collectiveNames.find((name) => name === operation);
  if (collective !== undefined) return busFactor(collective, ranks);
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
