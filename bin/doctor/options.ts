import { requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { transportNames } from '../../results/doctor/index.ts';
import { nearest } from '../../results/nearest.ts';
import { fullName } from '../../suites/transports/index.ts';
import { CommandError } from '../exit.ts';
import { defaults, flags, type Options } from '../options/index.ts';
import { saidIn } from '../said-words.ts';
import { doctorKeys } from './keys.ts';

export interface DoctorOptions {
  /** Those of a collective; what the doctor does not take has its default. */
  options: Options;
  /** As asked for, paths of plugins made absolute; null = all transports. */
  transports: string[] | null;
  json: boolean;
  verbose: boolean;
  hashes: boolean;
}

function requireTransports(names: readonly string[]): string[] {
  return names.map((name) => {
    const known = transportNames.find((one) => one === name.replace(/:.*$/s, ''));
    if (known !== undefined && (known === 'plugin') === name.startsWith('plugin:')) return fullName(name);
    const match = nearest(name, transportNames);
    throw new CommandError(`--transport ${name}: there is no such transport`, [
      match === null || match === 'plugin'
        ? `  allowed: ${transportNames.map((one) => (one === 'plugin' ? 'plugin:PATH' : one)).join(', ')}`
        : `  did you mean ${match}?`,
    ]);
  });
}

/**
 * @param found what yargs read
 * @throws CommandError options that contradict each other
 */
export function doctorOptions(words: readonly string[], found: Record<string, unknown>): DoctorOptions {
  const options = defaults();
  for (const key of doctorKeys) {
    const value = found[flags[key].name];
    if (value !== undefined) Object.assign(options, { [key]: value });
  }
  const said = saidIn(words);
  if (found.hashes === true && found.json !== true) {
    throw new CommandError('--hashes shows in --json only', ['Next: collbench doctor --json --hashes']);
  }
  requireHostOptions(options, said);
  return {
    options,
    transports: options.transport === null ? null : requireTransports(options.transport),
    json: found.json === true,
    verbose: found.verbose === true,
    hashes: found.hashes === true,
  };
}
