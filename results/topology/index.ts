export { viewOf } from './files.ts';
export { topologyOf } from './from-machine.ts';
export { disagreements, joinTopologies as joined } from './join.ts';
export { type NcclChoice, type NcclConnection, type NcclLog, ncclLog } from './nccl-log.ts';
export { type DeviceJoint, type DevicePath, nvlinkCeiling, pathsOf } from './paths.ts';
export {
  type LinkRate,
  type PathCeiling,
  pcieRate,
  speedOfGeneration,
  wireRate,
} from './rates.ts';
export { type TopologyView, topologyJson } from './report.ts';
export type { SmiMatrix } from './smi.ts';
export { readSource, sourceKinds, type TopologySource } from './sources.ts';
export { type MachineParts, machinesFile } from './stored.ts';
export {
  addressOf,
  type CommGraph,
  type DeviceKind,
  devicesOf,
  type GraphChannel,
  isAdapterName,
  type NumaDomain,
  type PeerLink,
  shortAddressOf,
  type Topology,
  type TopologyDevice,
  TopologyError,
} from './types.ts';
