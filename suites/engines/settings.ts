import path from 'node:path';
import type { EngineName, RunPlan } from '../../results/schema/index.ts';
import { isSwitch, optionName } from '../options/option.ts';
import type { PlanOptions } from '../options/plan-options.ts';
import type { EngineDevices } from './engine.ts';
import { type EngineOptions, engineOptionRows } from './options.ts';

type EngineOptionKeys = readonly (keyof EngineOptions)[];

/** Options whose values are paths; agents receive them as absolute paths. */
const libraries: EngineOptionKeys = ['nccl', 'nvshmem', 'mpi'];

/**
 * Returns the values of engine options as agents receive them: texts by name of the setting, "1" or "0" of a switch. Options with
 * the default value are left out.
 */
export function settingsOf(options: PlanOptions, keys: EngineOptionKeys): RunPlan['settings'] {
  const settings = keys.flatMap((key): [string, string][] => {
    const value = options[key];
    if (value === engineOptionRows[key].default) return [];
    const text = String(typeof value === 'boolean' ? Number(value) : value);
    return [[key, libraries.includes(key) ? path.resolve(text) : text]];
  });
  return Object.fromEntries(settings);
}

/**
 * Returns `--engine` and those of the options `keys` that the settings have, each with its value in the same text: "--gpus 0,1".
 */
export const optionsIn = (
  engine: EngineName,
  settings: RunPlan['settings'],
  keys: EngineOptionKeys,
): string[] => [
  `--engine ${engine}`,
  ...keys
    .filter((key) => settings[key] !== undefined)
    .map((key) => `--${optionName(key)}${isSwitch(engineOptionRows[key]) ? '' : ` ${settings[key]}`}`),
];

export const gpuDevices: EngineDevices = {
  name: 'GPU',
  namedIn: ({ gpus }) => gpus?.split(',').map(Number) ?? null,
  withNamed: (settings, gpus) => ({ ...settings, gpus: gpus.join(',') }),
};
