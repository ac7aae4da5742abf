// Which options for nodes go together.
import { CommandError } from './exit.ts';
import type { Said, Written } from './measuring-options.ts';
import { flags, type LauncherChoice, type OptionKey, type Options } from './options/index.ts';

/** Whether other machines than this one may take part. */
export const hasNodes = ({ hosts, hostfile, launcher }: Options): boolean =>
  hosts !== null || hostfile !== null || launcher?.kind === 'slurm';

/** How agents are started: as said, else over ssh where hosts are named, else here. */
export const launcherOf = (options: Options): LauncherChoice =>
  options.launcher ?? { kind: hasNodes(options) ? 'ssh' : 'local' };

/** Options that say something to ssh only, and to any launcher but local. */
const sshOnly: readonly OptionKey[] = ['rsh', 'sshConfig', 'knownHosts', 'identity'];
const nodesOnly: readonly OptionKey[] = ['ranksPerNode', 'map', 'remoteDir'];

const naming = 'name the machines: --hosts gpu[01-08]:8, or --hostfile FILE';

function requireHosts(options: Options, said: Said): void {
  const { kind } = launcherOf(options);
  const hosts = said.get('hosts') ?? said.get('hostfile');
  if (options.inProcess && hasNodes(options)) {
    const where = hosts?.where ?? said.get('launcher')?.where ?? '--launcher';
    throw new CommandError(
      `${where} and ${said.get('inProcess')?.where ?? '--in-process'} exclude each other`,
      ['  threads of this process are ranks on this machine only: leave out one of them'],
    );
  }
  if (kind === 'local' && hosts !== undefined) {
    throw new CommandError(`${hosts.where} and --launcher local exclude each other`, [
      '  local starts agents on this machine only: leave out one of them',
    ]);
  }
  if ((kind === 'ssh' || kind === 'command') && hosts === undefined) {
    throw new CommandError(`--launcher ${kind} needs hosts`, [`  ${naming}`]);
  }
}

/**
 * Refuses options for nodes that contradict each other, or say nothing to the launcher. What a config file says without
 * need is no mistake: it may serve several commands.
 * @throws CommandError
 */
export function requireNodes(options: Options, said: Said): void {
  requireHosts(options, said);
  const { kind } = launcherOf(options);
  const typed = (keys: readonly OptionKey[]): Written | undefined =>
    keys.map((key) => said.get(key)).find((option) => option !== undefined && !option.isConfig);
  const forSsh = typed(sshOnly);
  if (forSsh !== undefined && kind !== 'ssh') {
    const why = kind === 'local' ? `without hosts nothing is started over ssh: ${naming}` : 'leave it out';
    throw new CommandError(`${forSsh.where} says nothing to the ${kind} launcher`, [`  ${why}`]);
  }
  const forNodes = typed(nodesOnly);
  if (forNodes !== undefined && kind === 'local') {
    throw new CommandError(`${forNodes.where} says nothing on this machine alone`, [`  ${naming}`]);
  }
  const bound = said.get('bind');
  if (options.inProcess && bound !== undefined && !bound.isConfig) {
    throw new CommandError(
      `${bound.where} and ${said.get('inProcess')?.where ?? '--in-process'} exclude each other`,
      ['  threads of this process are bound to a core each, where there are enough: leave out one of them'],
    );
  }
  const isFile = options.map !== 'block' && options.map !== 'node';
  const perNode = said.get('ranksPerNode');
  if (isFile && perNode !== undefined) {
    throw new CommandError(
      `${perNode.where} and --${flags.map.name} ${options.map} both say which rank goes where`,
      ['  leave out one of them'],
    );
  }
}
