import type { PlanOptions } from '../../options/plan-options.ts';
import { cpu } from '../cpu/index.ts';
import { keysOf, type PlanningEngine } from '../engine.ts';
import { workerFlags } from './flags.ts';

function settings({ python, backend, workerThreads }: PlanOptions): Record<string, string> {
  return {
    ...(python === workerFlags.python.fallback ? {} : { python }),
    ...(backend === null ? {} : { backend }),
    ...(workerThreads === 0 ? {} : { workerThreads: String(workerThreads) }),
  };
}

/** PyTorch in one Python process for each rank. */
export const torch: PlanningEngine = {
  ...cpu,
  name: 'torch',
  over: 'PyTorch over ',
  abilities: { training: { numerics: ['fp32', 'tf32', 'amp-bf16', 'bf16'] } },
  transports: ['socket'],
  options: keysOf(workerFlags),
  usual: { ranks: 2, here: ['socket'], pick: () => 'socket', betweenHosts: 'socket' },
  /** Frameworks are imported, models built. */
  patience: { probeMs: 30_000, launchMs: 120_000 },
  pace: {
    ...cpu.pace,
    launchSetupNs: 6_000_000_000,
    affordsLaunches: false,
    defaultBatch: () => 5,
  },
  ringAlgorithm: null,
  loads: [],
  settings,
  variables: () => ({}),
  optionsOf: ({ python, backend, workerThreads }) => [
    '--engine torch',
    ...(python === undefined ? [] : [`--python ${python}`]),
    ...(backend === undefined ? [] : [`--backend ${backend}`]),
    ...(workerThreads === undefined ? [] : [`--worker-threads ${workerThreads}`]),
  ],
};
