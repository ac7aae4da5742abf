import { cpu } from './cpu.ts';
import type { EngineRow } from './row.ts';

const of = (name: string, title: string): EngineRow => ({
  ...cpu,
  name,
  title,
  isForeign: true,
  isEmbedded: false,
});

/**
 * Engines that collbench cannot run, but whose results from other programs it imports: RCCL, Gloo, RDMA verbs, CUDA copies, ...
 * Their other properties are those of engine `cpu`.
 */
export const foreign: readonly EngineRow[] = [
  of('rccl', 'RCCL'),
  of('gloo', 'Gloo'),
  of('verbs', 'RDMA verbs'),
  of('cuda-copies', 'CUDA copies'),
  of('ucc', 'UCC'),
  of('nixl', 'NIXL'),
  of('deepep', 'DeepEP'),
  of('collectivex', 'CollectiveX'),
];
