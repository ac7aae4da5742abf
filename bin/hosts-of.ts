// Hosts and rank map of a run, from the command line, from files or from Slurm.
import { readFileSync } from 'node:fs';
import { HostsError } from '../orchestration/hosts/error.ts';
import type { HostSpec } from '../orchestration/hosts/host.ts';
import { parseHostfile } from '../orchestration/hosts/hostfile.ts';
import { parseRankMap, type RankLine } from '../orchestration/hosts/rank-map.ts';
import { parseSlurm } from '../orchestration/hosts/slurm-hosts.ts';
import { CommandError } from './exit.ts';
import type { Options } from './options/index.ts';

/** A hostfile with all its hosts is far smaller. */
const mostBytes = 4 * 1024 * 1024;

function readText(flag: string, file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${flag} ${file}: cannot be read (${why})`);
  }
  if (bytes.length > mostBytes) throw new CommandError(`${flag} ${file}: larger than 4 MiB`);
  return bytes.toString('utf8');
}

/** What is wrong with hosts, ranks or groups, as the one error of the command. */
export function asCommandError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HostsError)) throw error;
    throw new CommandError(error.message, error.next === null ? [] : [`Next: ${error.next}`]);
  }
}

/**
 * The hosts of a run, as named or as Slurm allocated them; `null` = this machine alone.
 * @throws CommandError
 */
export function hostsOf(options: Options, env: NodeJS.ProcessEnv = process.env): HostSpec[] | null {
  const { hosts, hostfile, launcher } = options;
  if (hosts !== null) return hosts;
  if (hostfile !== null) {
    return asCommandError(() => parseHostfile(readText('--hostfile', hostfile), hostfile));
  }
  if (launcher?.kind !== 'slurm') return null;
  const nodes = env.SLURM_JOB_NODELIST;
  if (nodes === undefined || nodes === '') {
    throw new CommandError('--launcher slurm: this is no allocation, SLURM_JOB_NODELIST is not set', [
      'Next: salloc --nodes 2 collbench ..., or name nodes of the cluster with --hosts',
    ]);
  }
  return asCommandError(() => parseSlurm(nodes, env.SLURM_TASKS_PER_NODE || null));
}

/** How ranks are placed, as `place` wants it: the word, or the lines of the file. @throws CommandError */
export function mapOf({ map }: Options, hosts: readonly HostSpec[]): 'block' | 'node' | RankLine[] {
  if (map === 'block' || map === 'node') return map;
  return asCommandError(() => parseRankMap(readText('--map', map), map, hosts));
}
