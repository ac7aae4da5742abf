import type { EngineRow } from './row.ts';
import { torch } from './torch.ts';

/** Engine that measures steps of data-parallel training in TensorFlow, with one Python process per rank. */
export const tensorflow: EngineRow = { ...torch, name: 'tensorflow', title: 'TensorFlow' };
