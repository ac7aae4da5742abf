import type { EngineRow } from './row.ts';
import { torch } from './torch.ts';

/** Data-parallel training by TensorFlow, one Python process for each rank. */
export const tensorflow: EngineRow = { ...torch, name: 'tensorflow', title: 'TensorFlow' };
