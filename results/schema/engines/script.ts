import type { EngineRow } from './row.ts';
import { torch } from './torch.ts';

/** The user's own training program, one process for each rank. */
export const script: EngineRow = { ...torch, name: 'script', title: 'own program' };
