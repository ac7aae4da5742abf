// Names of operations, data types and kinds of measurement that plans and results use.

/** Operations, other than collectives, that results imported from other programs may have. */
export const otherOperationNames = [
  'barrier',
  // One way between two ranks, measured as half of a round trip.
  'pingpong',
  // Messages in one direction, between one or more pairs of ranks; the program chooses how many are in flight.
  'send',
  // Messages in both directions at the same time.
  'exchange',
  // One-sided operations.
  'put',
  'get',
  'atomic',
  // Copy within one machine, by a copy engine or a kernel of a GPU.
  'copy',
  // Mixture of experts: tokens are sent to the ranks of their experts, the results are sent back, or both one after the other.
  'dispatch',
  'combine',
  'dispatch-combine',
] as const;
/** 8-bit floating-point data types, which only newer GPUs have. */
export const float8Names = ['float8e4m3', 'float8e5m2'] as const;
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
  ...float8Names,
] as const;
/** True if the data type is one of the 8-bit floating-point types. */
export const isFloat8 = (dtype: DtypeName): boolean => float8Names.some((name) => name === dtype);
/** Data types that stored results may have. `unknown`: an imported output does not name its data type. */
export const recordedDtypeNames = [...dtypeNames, 'unknown'] as const;
export const opNames = ['sum', 'prod', 'min', 'max', 'avg', 'premulsum'] as const;
/**
 * Kinds of devices that move the data: real ones, or software in place of an adapter. `unknown`: an imported run whose source does
 * not say which.
 */
export const mediumNames = ['hardware', 'emulated', 'unknown'] as const;
/**
 * Ways in which a block is measured. `isolated`: ranks start each operation together. `pipelined`: operations run back to back.
 * `attest`: operations are not timed; the engine reports its algorithm, protocol and paths, and results are verified.
 */
export const trialNames = ['isolated', 'pipelined', 'attest'] as const;
/** Ways in which a block is timed: single operations that all ranks start together, or operations that run back to back. */
export const timedTrialNames = ['isolated', 'pipelined'] as const;

export type OtherOperationName = (typeof otherOperationNames)[number];
export type DtypeName = (typeof dtypeNames)[number];
export type RecordedDtypeName = (typeof recordedDtypeNames)[number];
export type OpName = (typeof opNames)[number];
export type Medium = (typeof mediumNames)[number];
export type TrialName = (typeof timedTrialNames)[number];
export type BlockTrialName = (typeof trialNames)[number];

/** Size of one element in bytes, by data type. */
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
