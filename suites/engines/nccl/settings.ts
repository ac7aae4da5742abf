import path from 'node:path';
import type { RunPlan } from '../../../results/schema/index.ts';
import type { PlanOptions } from '../../options/plan-options.ts';
import type { EngineDevices } from '../engine.ts';

type NcclPlanSettings = RunPlan['settings'];

/**
 * Returns the engine options as agents receive them: texts by name of the setting. Options with the default value are left out.
 * With --device-api the setting `register` is always "symmetric".
 */
export function settingsOf(options: PlanOptions): NcclPlanSettings {
  const { nccl, gpus, shareGpu, cache, graph, aggregate, blocking } = options;
  const { split, misalign, hostCheck, deviceApi } = options;
  // The device API works only with symmetric windows, so its use implies symmetric registration.
  const register = deviceApi === 'none' ? options.register : 'symmetric';
  const words: [string, string | null][] = [
    ['nccl', nccl === null ? null : path.resolve(nccl)],
    ['gpus', gpus === null ? null : gpus.join(',')],
    ['shareGpu', shareGpu ? '1' : null],
    ['cache', cache === 'cold' ? null : cache],
    ['graph', graph ? '1' : null],
    ['aggregate', aggregate === 1 ? null : String(aggregate)],
    ['register', register === 'none' ? null : register],
    ['deviceApi', deviceApi === 'none' ? null : deviceApi],
    ['blocking', blocking ? null : '0'],
    ['split', split === 0 ? null : String(split)],
    ['misalign', misalign === 0 ? null : String(misalign)],
    ['hostCheck', hostCheck ? '1' : null],
  ];
  return Object.fromEntries(words.filter((word): word is [string, string] => word[1] !== null));
}

export const gpuDevices: EngineDevices = {
  name: 'GPU',
  namedIn: ({ gpus }) => gpus?.split(',').map(Number) ?? null,
  withNamed: (settings, gpus) => ({ ...settings, gpus: gpus.join(',') }),
};

/**
 * Command-line options with which a repeated run uses the engine nccl, the same NCCL library, and the same GPUs, shared or not.
 * Each has its value in the same text, "--gpus 0,1", to be printed for users.
 */
export const optionsOf = ({ nccl, gpus, shareGpu }: NcclPlanSettings): string[] => [
  '--engine nccl',
  ...(nccl === undefined ? [] : [`--nccl ${nccl}`]),
  ...(gpus === undefined ? [] : [`--gpus ${gpus}`]),
  ...(shareGpu === undefined ? [] : ['--share-gpu']),
];
