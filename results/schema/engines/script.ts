import type { EngineRow } from './row.ts';
import { torch } from './torch.ts';

/** Engine that measures the steps of a training program of the user, with one process per rank. */
export const script: EngineRow = { ...torch, name: 'script', title: 'own program' };
