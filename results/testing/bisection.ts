import type { BisectedKind, BisectionRecord } from '../schema/index.ts';

/** Returns the record of a bisection that has not begun, over `items` builds or, of settings, that many less one differences. */
export const testBisection = (
  items: number,
  parts: Partial<BisectionRecord> = {},
  kind: BisectedKind = 'files',
): BisectionRecord => ({
  ...{ schemaVersion: 1, id: 'bbbb01', startedAt: '2026-11-21T01:05:00.000Z', kind },
  ...{ command: ['allreduce', '--transport', 'plugin:{item}'], good: '00.so', bad: `${items - 1}.so` },
  ...{ build: null, folder: '/builds' },
  items: Array.from({ length: items }, (_, item) => {
    const name = `${String(item).padStart(2, '0')}.so`;
    return { name, value: kind === 'settings' ? null : `/builds/${name}` };
  }),
  ...{ margin: 0.05, confidence: 0.95, maxPairs: 30, budgetS: 1800, probes: [], stages: [] },
  ...{ ended: null, launches: 0, wrongLaunches: 0, seconds: 0 },
  ...parts,
});
