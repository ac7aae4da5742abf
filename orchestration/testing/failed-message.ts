import type { FailedMessage } from '../blame.ts';

/** A hang at the deadline that names no rank, with the given fields changed. */
export const failedMessage = (parts: Partial<FailedMessage> = {}): FailedMessage => ({
  type: 'failed',
  launch: 0,
  kind: 'hang',
  code: 'timeout',
  rank: null,
  phase: 'running',
  activity: 'measuring',
  reason: '',
  exitStatus: null,
  outOfMemory: false,
  processState: '',
  workerPid: null,
  ranks: [],
  ...parts,
});
