import { requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { CommandError } from '../exit.ts';
import { hostKeys } from '../options/host-keys.ts';
import { defaults, flags, type OptionKey, type Options } from '../options/index.ts';
import { saidIn } from '../said-words.ts';

/** Options of a collective that say something here, too. */
export const topoKeys = ['nccl', ...hostKeys] as const satisfies readonly OptionKey[];

export interface TopoOptions {
  /** Those of a collective; what is not taken here has its default. */
  options: Options;
  /** Files or folders to read; without any, machines are asked. */
  files: string[];
  /** NCCL writes its topology and graphs there first. */
  dump: string | null;
  svg: string | null;
  json: boolean;
}

/**
 * @param found what yargs read
 * @throws CommandError options that contradict each other
 */
export function topoOptions(words: readonly string[], found: Record<string, unknown>): TopoOptions {
  const options = defaults();
  for (const key of topoKeys) {
    const value = found[flags[key].name];
    if (value !== undefined) Object.assign(options, { [key]: value });
  }
  const said = saidIn(words);
  const [hosts, hostfile, nccl] = [said.get('hosts'), said.get('hostfile'), said.get('nccl')];
  const named = hosts ?? hostfile;
  const dump = typeof found.dump === 'string' ? found.dump : null;
  if (dump !== null && named !== undefined) {
    throw new CommandError(`--dump and ${named.where} exclude each other`, [
      '  NCCL is started on this machine only: run collbench topo --dump on the other one, and give its files here',
    ]);
  }
  if (nccl !== undefined && dump === null) {
    throw new CommandError(`${nccl.where} says nothing without --dump`, [
      'Next: collbench topo --dump FOLDER',
    ]);
  }
  requireHostOptions(options, said);
  const files = ((found.file as unknown[] | undefined) ?? []).map(String);
  return {
    options,
    files,
    dump,
    svg: typeof found.svg === 'string' ? found.svg : null,
    json: found.json === true,
  };
}
