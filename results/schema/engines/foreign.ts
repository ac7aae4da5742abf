import { cpu } from './cpu.ts';
import type { EngineRow } from './row.ts';

const of = (name: string, title: string): EngineRow => ({ ...cpu, name, title, isForeign: true });

/** What other programs measure with: AMD's RCCL, Gloo, RDMA verbs, CUDA's copies. */
export const foreign: readonly EngineRow[] = [
  of('rccl', 'RCCL'),
  of('gloo', 'Gloo'),
  of('verbs', 'RDMA verbs'),
  of('cuda-copies', 'CUDA copies'),
];
