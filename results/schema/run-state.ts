/**
 * States of a run and of a suite. `incomplete`: nothing failed, but the time was over before all configurations had a complete
 * result.
 */
export const runStates = ['running', 'complete', 'incomplete', 'failed', 'interrupted'] as const;
export type RunState = (typeof runStates)[number];
