import type { EngineRow } from './row.ts';
import { torch } from './torch.ts';

/** A training program of its user's, one process for each rank. */
export const script: EngineRow = { ...torch, name: 'script', title: 'own program' };
