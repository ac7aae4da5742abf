import type { ExplainedSize, ExplanationRecord } from '../schema/index.ts';

/** Returns an explained size of 1 ms: half of it is the algorithm, the rest the bound. */
export const testExplainedSize = (parts: Partial<ExplainedSize> = {}): ExplainedSize => ({
  payloadBytes: 65_536,
  rounds: 5,
  time: { ns: 1e6, low: 0.95e6, high: 1.05e6 },
  shares: [
    {
      ...{ kind: 'cause', id: 'algorithm', title: 'algorithm direct', experiment: '--algo direct' },
      ...{ change: { algo: 'direct' }, unset: [], ns: 0.5e6, low: 0.4e6, high: 0.6e6 },
    },
    {
      ...{ kind: 'bound', id: 'bound', title: 'two ranks alone', experiment: 'sendrecv of the same bytes' },
      ...{ change: {}, unset: [], ns: 0.5e6, low: 0.45e6, high: 0.55e6 },
    },
  ],
  excluded: [],
  backToBack: null,
  p95Ns: null,
  modes: null,
  ...parts,
});

export const testExplanation = (parts: Partial<ExplanationRecord> = {}): ExplanationRecord => ({
  ...{ schemaVersion: 1, id: 'eeee05', startedAt: '2026-11-21T01:05:00.000Z', run: 'aaaa01' },
  ...{ command: ['allreduce', '--algo', 'ring'], operation: 'allreduce', ranks: 2 },
  series: [
    {
      name: 'socket@ring',
      medium: 'hardware',
      sizes: [testExplainedSize()],
      suspicions: [],
      untried: [],
      flags: [],
    },
  ],
  ...{ ended: null, launches: 20, wrongLaunches: 0 },
  ...parts,
});
