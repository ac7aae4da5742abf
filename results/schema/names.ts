/** Words of the field that plans, records and messages share. */

/** What other programs measure beside collectives; found in imported runs alone. */
export const otherOperationNames = [
  'barrier',
  // Half of a round trip between two ranks.
  'pingpong',
  // One way between two ranks or more pairs of them, as many under way as the program likes.
  'send',
  // Both ways at once.
  'exchange',
  // One-sided.
  'put',
  'get',
  'atomic',
  // Within one machine, by a copy engine or a kernel of a GPU.
  'copy',
] as const;
export const dtypeNames = [
  'int8',
  'uint8',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'float16',
  'bfloat16',
  'float32',
  'float64',
  'float8e4m3',
  'float8e5m2',
] as const;
/** Imported runs may not say it. */
export const recordedDtypeNames = [...dtypeNames, 'unknown'] as const;
export const opNames = ['sum', 'prod', 'min', 'max', 'avg', 'premulsum'] as const;
/** `unknown`: another program measured it and does not say. */
export const mediumNames = ['hardware', 'emulated', 'unknown'] as const;
/** `attest` blocks are never timed: they record what the engine chose (algorithm, protocol, paths), and verify data. */
export const trialNames = ['isolated', 'pipelined', 'attest'] as const;
/** Those that have figures. */
export const timedTrialNames = ['isolated', 'pipelined'] as const;

export type OtherOperationName = (typeof otherOperationNames)[number];
export type DtypeName = (typeof dtypeNames)[number];
export type RecordedDtypeName = (typeof recordedDtypeNames)[number];
export type OpName = (typeof opNames)[number];
export type Medium = (typeof mediumNames)[number];
export type TrialName = (typeof timedTrialNames)[number];
export type BlockTrialName = (typeof trialNames)[number];

/** Bytes of one element. */
export const dtypeBytes: Record<DtypeName, number> = {
  int8: 1,
  uint8: 1,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  bfloat16: 2,
  float32: 4,
  float64: 8,
  float8e4m3: 1,
  float8e5m2: 1,
};
