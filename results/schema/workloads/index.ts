import { collective } from './collective/index.ts';
import { controlpath } from './controlpath.ts';
import type { WorkloadData } from './data.ts';
import { imported } from './imported.ts';
import { kv } from './kv.ts';
import { matrixWorkload } from './matrix/index.ts';
import { moe } from './moe/index.ts';
import { nullWorkload } from './null.ts';
import { onesided } from './onesided.ts';
import { p2p } from './p2p.ts';
import { replay } from './replay.ts';
import { script } from './script.ts';
import { stencil } from './stencil.ts';
import { train } from './train.ts';
import type { Workload } from './workload.ts';

export * from './bandwidth.ts';
export { alltoallvCount } from './collective/alltoallv.ts';
export * from './collective/formulas.ts';
export { type CollectiveAxes, collectiveAxes } from './collective/index.ts';
export * from './collective/table.ts';
export { arrivalFigures } from './common.ts';
export * from './control-paths.ts';
export {
  type ControlpathAxes,
  controlpathAxes,
  entriesOf,
  granularities,
  largestPut,
  maxPuts,
  maxQueues,
  scopes,
  smallestPut,
} from './controlpath.ts';
export * from './data.ts';
export * from './identity.ts';
export { importedAxes, type OperationName, operationNames, shareOfLink } from './imported.ts';
export {
  type KvAxes,
  type KvShape,
  kvAxes,
  kvDescriptors,
  kvLayouts,
  kvLimits,
  kvSchedules,
  kvShapes,
  kvTransfers,
} from './kv.ts';
export { type MatrixAxes, matrixAxes, trafficPorts } from './matrix/index.ts';
export * from './matrix/traffic-matrix.ts';
export {
  dispatchedBytes,
  dropless,
  factorOf,
  type MoeAxes,
  moeAxes,
  moeDtypes,
  moePhases,
  moeTraffic,
} from './moe/index.ts';
export * from './moe/routing.ts';
export { nullAxes } from './null.ts';
export {
  type OnesidedAxes,
  type OnesidedOperation,
  onesidedAxes,
  onesidedMovers,
  onesidedOperations,
  onesidedScopes,
} from './onesided.ts';
export { type P2pAxes, type P2pOperation, p2pAxes, p2pOperations } from './p2p.ts';
export { computeModes as computings, type ReplayAxes, replayAxes } from './replay.ts';
export { scriptAxes } from './script.ts';
export {
  gridOf,
  gridPointBytes,
  haloPoints,
  rankGrid,
  type StencilAxes,
  stencilAxes,
  stencilDtypes,
  stencilParts,
  stencilScalings,
} from './stencil.ts';
export * from './train.ts';
export * from './workload.ts';
export {
  collective,
  controlpath,
  imported,
  kv,
  matrixWorkload,
  moe,
  nullWorkload,
  onesided,
  p2p,
  replay,
  script,
  stencil,
};

/** All workloads that this version of collbench has, also `imported`, which collbench cannot measure. */
export const workloads: readonly Workload[] = [
  collective,
  matrixWorkload,
  p2p,
  onesided,
  stencil,
  controlpath,
  kv,
  train,
  replay,
  script,
  moe,
  nullWorkload,
  imported,
];

/** Returns the workload with this name. @throws {RangeError} if this version of collbench does not have it */
export function workloadOf(name: string): Workload {
  const found = workloads.find((row) => row.name === name);
  if (found === undefined) throw new RangeError(`this collbench has no workload ${name}`);
  return found;
}

/**
 * True if an algorithm that the user fixes applies to the whole operation of the workload; false also for an unknown workload.
 * @param name of the workload
 */
export const appliesFixedChoice = (name: string): boolean =>
  workloads.find((row) => row.name === name)?.appliesFixedChoice === true;

/**
 * Returns the description of the workload `name`: the one that a run stored (`stored`, plan.workloads), or else the one of this
 * version. @throws {RangeError} if neither exists
 */
export const dataOf = (name: string, stored: readonly WorkloadData[] = []): WorkloadData =>
  stored.find((row) => row.name === name) ?? workloadOf(name);

/** Returns the description of a workload as run.json stores it: without the functions that this version has for it. */
export function storedRow(row: WorkloadData): WorkloadData {
  const { name, title, noun, unitOfWork, timedByHostOn, axes, figures } = row;
  return {
    name,
    title,
    noun,
    unitOfWork,
    ...(timedByHostOn === undefined ? {} : { timedByHostOn }),
    axes,
    figures,
  };
}
