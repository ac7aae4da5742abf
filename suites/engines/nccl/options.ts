import type { NcclProtocolName } from './series.ts';

/** Options that only the nccl engine has; native/engines/nccl/settings.h has the names in the agent protocol. */
export interface NcclOptions {
  nccl: string | null;
  /** GPU numbers; null = all GPUs. */
  gpus: number[] | null;
  shareGpu: boolean;
  /** Algorithm names of the nccl engine; may contain names of other engines, which are rejected later. */
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
