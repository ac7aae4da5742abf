// Rules for combinations of host options.

import { refuse } from '../../results/refusals/refusal.ts';
import type { OptionText, ParsedOptions } from '../../suites/options/parsed-options.ts';
import { containerRows, isContainerKind } from '../launchers/containers.ts';
import type { HostOptions, LauncherChoice } from './host-options.ts';

/** Maximum number of ranks of a run on this machine alone. */
export const maxRanksHere = 256;

type HostKey = keyof HostOptions;
type HostRuleOptions = HostOptions & { inProcess: boolean; shareGpu: boolean };
type ParsedHostOptions = ParsedOptions<HostKey | 'inProcess' | 'shareGpu'>;

/**
 * True if the options name hosts, or a launcher that finds them itself (slurm, containers), so that the run may use other machines
 * than this one. The hosts need not exist.
 */
export const hasNodes = ({ hosts, hostfile, launcher }: HostOptions): boolean =>
  hosts !== null || hostfile !== null || (launcher !== null && findsHosts(launcher.kind));

/** True for launchers that find the hosts themselves if the user names none. */
const findsHosts = (kind: LauncherChoice['kind']): boolean => kind === 'slurm' || isContainerKind(kind);

/**
 * Returns the way to start agents: the value of --launcher; if it is not given, ssh if the options name hosts (--hosts,
 * --hostfile), otherwise local.
 */
export const launcherOf = (options: HostOptions): LauncherChoice =>
  options.launcher ?? { kind: hasNodes(options) ? 'ssh' : 'local' };

/**
 * `sshOnly`: options that have an effect only with launcher ssh. `nodesOnly`: options that have no effect with launcher local.
 * Both by the name in HostOptions.
 */
const sshOnly: readonly HostKey[] = ['rsh', 'sshConfig', 'knownHosts', 'identity'];
const nodesOnly: readonly HostKey[] = ['ranksPerNode', 'map', 'remoteDir'];

/** Options that select containers. */
const containerKeys = ['selector', 'namespace', 'container'] as const satisfies readonly HostKey[];
const takesKey = (kind: LauncherChoice['kind'], key: (typeof containerKeys)[number]): boolean =>
  isContainerKind(kind) && (containerRows[kind].takes as readonly string[]).includes(key);

/** Options that are refused if ranks are threads of this process (--in-process), because they apply to processes. */
const processesOnly: readonly HostKey[] = ['bind', 'priority', 'cpuQuota'];

/**
 * Checks that host options do not contradict each other, and have an effect with the launcher. Options from a config file may be
 * without effect, because the file may be used by several commands. The hosts themselves are not parsed or reached here.
 * @param options values of all options, defaults included
 * @param parsed options that the user gave, as opposed to defaults
 * @throws Refusal for the first rule that is violated
 */
export function requireHostOptions(options: HostRuleOptions, parsed: ParsedHostOptions): void {
  requireHosts(options, parsed);
  const { kind } = launcherOf(options);
  const typed = (keys: readonly HostKey[]): OptionText | undefined =>
    keys.map((key) => parsed.typed(key)).find((option) => option !== undefined);
  const forSsh = typed(sshOnly);
  if (forSsh !== undefined && kind !== 'ssh') {
    throw refuse('option-of-ssh', { where: forSsh.where, launcher: kind });
  }
  const selecting = typed(containerKeys.filter((key) => !takesKey(kind, key)));
  if (selecting !== undefined)
    throw refuse('option-of-containers', { where: selecting.where, launcher: kind });
  const forNodes = typed(nodesOnly);
  if (forNodes !== undefined && kind === 'local') throw refuse('option-of-hosts', { where: forNodes.where });
  const bound = typed(processesOnly);
  if (options.inProcess && bound !== undefined) {
    throw refuse('bind-in-process', { one: bound.where, other: parsed.where('inProcess') });
  }
  const { map } = options;
  const perNode = parsed.get('ranksPerNode');
  if (map !== 'block' && map !== 'node' && perNode !== undefined) {
    throw refuse('places-twice', { where: perNode.where, map });
  }
  requireGroupable(options, parsed);
}

function requireHosts(options: HostRuleOptions, parsed: ParsedHostOptions): void {
  const { kind } = launcherOf(options);
  const [hosts, hostfile] = [parsed.get('hosts'), parsed.get('hostfile')];
  if (hosts !== undefined && hostfile !== undefined) {
    throw refuse('hosts-twice', { one: hosts.where, other: hostfile.where });
  }
  const named = hosts ?? hostfile;
  if (options.inProcess && hasNodes(options)) {
    const one = named?.where ?? parsed.where('launcher');
    throw refuse('hosts-in-process', { one, other: parsed.where('inProcess') });
  }
  const selector = parsed.get('selector');
  if (named !== undefined && selector !== undefined) {
    throw refuse('hosts-twice', { one: named.where, other: selector.where });
  }
  if (kind === 'local' && named !== undefined) throw refuse('hosts-with-local', { where: named.where });
  if (!findsHosts(kind) && kind !== 'local' && named === undefined) {
    throw refuse('launcher-needs-hosts', { launcher: kind });
  }
}

/** Checks that groups of ranks are not combined with --in-process or --share-gpu. @throws Refusal if they are */
function requireGroupable({ groups, inProcess, shareGpu }: HostRuleOptions, parsed: ParsedHostOptions): void {
  if (groups === null) return;
  const one = parsed.where('groups');
  if (inProcess) throw refuse('groups-in-process', { one, other: parsed.where('inProcess') });
  if (shareGpu) throw refuse('groups-share-gpu', { one, other: parsed.where('shareGpu') });
}
