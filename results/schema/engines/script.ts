import type { EngineRow } from './row.ts';
import { torch } from './torch.ts';

/** Engine that measures the steps of the user's own training program, with one process per rank. */
export const script: EngineRow = { ...torch, name: 'script', title: 'own program' };
