/** Thirty synthetic nights for tests of the dashboard: one series has a step, one is noisy, the others are quiet. */
import { seededNormal } from './block.ts';
import { nightAt, writeNight } from './nights.ts';
import type { SyntheticRun } from './run.ts';

export const stepNight = 20;
export const dashboardStep = 0.12;
/** Date of the step's night: "2026-03-21". */
export const stepDate = nightAt(stepNight).slice(0, 10);

const transports: NonNullable<SyntheticRun['transports']> = [
  { name: 'socket', medium: 'hardware', detail: { networkInterface: 'lo' }, options: { interface: 'lo' } },
  {
    name: 'sisci',
    medium: 'emulated',
    detail: { softwareCard: 'softntb', link: 'none' },
    options: { link: 'none' },
  },
];

/**
 * Writes nights in which small messages over socket are 12 % slower from the 21st night on, when the version of NCCL changes.
 * Times over sisci scatter by 15 % from night to night, times over socket by 1 %.
 * @param seed another seed gives other nights of the same kind
 */
export async function writeDashboardNights(
  root: string,
  { nights = 30, seed = 1, from = 0 } = {},
): Promise<void> {
  const quiet = seededNormal(seed * 31 + 5);
  const noisy = seededNormal(seed * 57 + 11);
  for (let night = 0; night < nights; night += 1) {
    const of = { socket: Math.exp(0.01 * quiet()), sisci: Math.exp(0.15 * noisy()) };
    if (night < from) continue;
    await writeNight(root, {
      night,
      transports,
      launches: 2,
      sizes: [8, 262144, 16777216],
      factor: (bytes, transport) => {
        const step = transport === 'socket' && bytes <= 32768 && night >= stepNight ? 1 + dashboardStep : 1;
        return step * of[transport as 'socket' | 'sisci'];
      },
      record: { versions: { collbench: '0.1.0', nccl: night < stepNight ? '2.28.9' : '2.30.7' } },
    });
  }
}
