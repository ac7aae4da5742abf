export { viewOf } from './files.ts';
export { topologyOf } from './from-machine.ts';
export { disagreements, joined } from './join.ts';
export { type Choice, type Connection, type NcclLog, ncclLog } from './nccl-log.ts';
export { endsOf, type Joint, nvlinkCeiling, type Path, pathsOf } from './paths.ts';
export { type Ceiling, leastOf, pcieRate, type Rate, speedOfGeneration, wireRate } from './rates.ts';
export { type TopologyView, topologyJson } from './report.ts';
export type { SmiMatrix } from './smi.ts';
export { type Found, readSource, sourceKinds } from './sources.ts';
export { type MachineParts, machinesFile } from './stored.ts';
export {
  type CommGraph,
  type Device,
  type DeviceKind,
  type Domain,
  devicesOf,
  type GraphChannel,
  type PeerLink,
  type Topology,
  TopologyError,
} from './types.ts';
