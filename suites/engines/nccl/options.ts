import type { NcclProtocolName } from './series.ts';

/** What only the nccl engine understands; its words for the native part stand in native/engines/nccl/settings.h. */
export interface NcclOptions {
  nccl: string | null;
  /** `null` = all. */
  gpus: number[] | null;
  shareGpu: boolean;
  /** Of this engine, or of another that has algorithms to choose. */
  algo: string[];
  proto: NcclProtocolName[];
  cache: 'cold' | 'hot';
  graph: boolean;
  aggregate: number;
  register: 'none' | 'local' | 'symmetric';
  deviceApi: 'none' | 'lsa' | 'gin';
  blocking: boolean;
  split: number;
  misalign: number;
  attest: boolean;
  hostCheck: boolean;
}
