/** Computes the system load during each measurement from the metrics that the hosts recorded. */
export type { ChannelStats } from './align.ts';
export { competingLimit, type LoadFlag, loadFlagMeanings, loadFlags } from './flags.ts';
export { alignMetrics as align, type HostAlignment, type MetricsSeries, withLoads } from './load.ts';
export {
  ChannelTable,
  core,
  cpuQuantities,
  gpu,
  interfaceOfObject,
  nameParts,
  networkInterface,
  rankProcess,
} from './names.ts';
export { type NvlinkTraffic, nvlinkTraffic } from './nvlink.ts';
export { spansOfHost as spansOn } from './windows.ts';
