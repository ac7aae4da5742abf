import { cpu } from './cpu.ts';
import type { EngineRow } from './row.ts';

/** Returns the row of an engine that collbench cannot run. Its other properties are those of engine `cpu`. */
export const foreignRow = (name: string, title: string): EngineRow => ({
  ...cpu,
  name,
  title,
  isForeign: true,
  isEmbedded: false,
});

/** Engines that collbench cannot run, but whose results from other programs it imports. */
export const foreign: readonly EngineRow[] = [
  foreignRow('rccl', 'RCCL'),
  foreignRow('gloo', 'Gloo'),
  foreignRow('verbs', 'RDMA verbs'),
  foreignRow('cuda-copies', 'CUDA copies'),
  foreignRow('ucc', 'UCC'),
  foreignRow('nixl', 'NIXL'),
  foreignRow('deepep', 'DeepEP'),
  foreignRow('collectivex', 'CollectiveX'),
];
