// The machines of one command: which they are, how agents get there, and which rank goes where.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Agent } from '../orchestration/agent.ts';
import { defaultDeadlines } from '../orchestration/deadlines.ts';
import { bindRanks, type Ground, type RankPlace } from '../orchestration/hosts/binding.ts';
import { HostsError } from '../orchestration/hosts/error.ts';
import type { HostSpec } from '../orchestration/hosts/host.ts';
import { type PlacedHost, place } from '../orchestration/hosts/placement.ts';
import { type Launcher, launchers, StartError } from '../orchestration/launchers/index.ts';
import type { ProbeRequest, ProbeResult } from '../orchestration/probe.ts';
import type { RunPlan } from '../results/schema/index.ts';
import { CommandError } from './exit.ts';
import { agentPath } from './native.ts';
import { launcherOf } from './node-options.ts';
import { defaults, type LauncherChoice, type Options } from './options/index.ts';

/** One object per command: probing and measuring share its connections and agents. */
export interface Nodes {
  /** Empty = this machine alone. */
  readonly hosts: readonly HostSpec[];
  readonly launcher: Launcher;
  /** As run.json keeps it; absent for this machine. */
  readonly launcherText?: string;
  readonly agentPath: string;
  /** One result per host. Called once. @throws FailureError of the first that cannot be asked */
  probe(requests: ProbeRequest[]): Promise<ProbeResult[]>;
  /** The agents that answered, for a session, which ends them: starting one takes a login and the check of what lies there. */
  takeAgents(): readonly Agent[];
  /** @throws CommandError there is no room */
  place(gpus: readonly number[] | null): PlacedHost[];
  /** Where the ranks of a placed host are bound; absent = nothing was said. @throws CommandError what cannot be */
  bind(host: PlacedHost, gpus: number | null, ground: Ground): RankPlace[] | null;
  close(): Promise<void>;
}

/** What decides over agents, of the options of a command or of the plan of an earlier one. */
type Reach = Pick<
  Options,
  | 'agent'
  | 'rsh'
  | 'sshConfig'
  | 'knownHosts'
  | 'identity'
  | 'remoteDir'
  | 'ranks'
  | 'ranksPerNode'
  | 'map'
  | 'bind'
>;

/** @throws CommandError hosts that cannot be read, or that nothing can reach */
export async function nodesOf(options: Options): Promise<Nodes> {
  try {
    return await nodesAt(await hostsOf(options), launcherOf(options), options);
  } catch (error) {
    throw commandError(error);
  }
}

/** What a run that is taken up again has to be told anew: no plan says which keys open its hosts. */
export type ReachAgain = Partial<Pick<Options, 'sshConfig' | 'knownHosts' | 'identity' | 'remoteDir'>>;

/** The machines of a run that is taken up again. @throws CommandError */
export async function nodesOfPlan(plan: RunPlan, again: ReachAgain = {}): Promise<Nodes> {
  const rsh = plan.launcher === 'openssh' ? 'openssh' : 'ssh2';
  const reach: Reach = { ...defaults(), ...again, rsh };
  if (plan.launcher === undefined) return nodesAt([], { kind: 'local' }, reach);
  const choice: LauncherChoice = plan.launcher.startsWith('command:')
    ? { kind: 'command', template: plan.launcher.slice('command:'.length) }
    : { kind: plan.launcher === 'slurm' ? 'slurm' : 'ssh' };
  try {
    const { parseHosts } = await import('../orchestration/hosts/parse.ts');
    const hosts = plan.hosts.map(({ name, at }) => ({ ...(parseHosts(at ?? name)[0] as HostSpec), name }));
    return await nodesAt(hosts, choice, reach);
  } catch (error) {
    throw commandError(error);
  }
}

async function nodesAt(hosts: readonly HostSpec[], choice: LauncherChoice, reach: Reach): Promise<Nodes> {
  const agent = reach.agent === null ? agentPath() : path.resolve(reach.agent);
  const { launcher, text } = await launcherFor(choice, hosts, reach);
  const map = await mapOf(reach.map, hosts);
  let agents: Agent[] = [];
  const takeAgents = (): Agent[] => agents.splice(0);
  return {
    hosts,
    launcher,
    ...(text === null ? {} : { launcherText: text }),
    agentPath: agent,
    async probe(requests) {
      const { probeHosts } = await import('../orchestration/probe.ts');
      const names = hosts.map(({ name }) => name);
      const probed = await probeHosts(names, agent, requests, launcher, remoteDeadlines);
      agents = probed.map((one) => one.agent);
      // What was loaded to be looked at, drivers and plugins, must not be there beside the ranks.
      if (requests.some(loadsOthersCode)) await stopAll(takeAgents());
      return probed.map(({ result }) => result);
    },
    takeAgents,
    place(gpus) {
      const { ranks, ranksPerNode } = reach;
      return inWords(() => place(hosts, { ranks, ranksPerNode, gpus, map, iface: null }));
    },
    bind({ name, ranks }, gpus, ground) {
      const lines = typeof map === 'string' ? [] : map.filter((line) => line.host === name);
      return inWords(() => bindRanks(name, ranks, lines, reach.bind, gpus, ground));
    },
    async close() {
      await stopAll(takeAgents());
      await launcher.close?.();
    },
  };
}

const loadsOthersCode = ({ engine, transport }: ProbeRequest): boolean =>
  (engine !== undefined && engine !== 'cpu') || transport !== 'socket';

async function stopAll(agents: readonly Agent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop(remoteDeadlines)));
}

/** Connecting, logging in and copying the agent come before its first word. */
export const remoteDeadlines = { ...defaultDeadlines, helloMs: 90_000 };

async function hostsOf(options: Options): Promise<HostSpec[]> {
  if (options.hosts !== null) return options.hosts;
  if (options.hostfile !== null) {
    const { parseHostfile } = await import('../orchestration/hosts/hostfile.ts');
    return parseHostfile(await textOf(options.hostfile, '--hostfile'), options.hostfile);
  }
  if (options.launcher?.kind !== 'slurm') return [];
  const { SLURM_JOB_NODELIST: nodes, SLURM_TASKS_PER_NODE: tasks } = process.env;
  if (nodes === undefined) {
    throw new CommandError('--launcher slurm: no hosts are named, and this is no allocation of Slurm', [
      'Next: salloc -N 2 collbench ..., or --hosts node[1-2]',
    ]);
  }
  const { parseSlurm } = await import('../orchestration/hosts/slurm-hosts.ts');
  return parseSlurm(nodes, tasks ?? null);
}

async function textOf(file: string, flag: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${flag} ${file}: ${(error as Error).message}`);
  }
}

async function mapOf(map: string, hosts: readonly HostSpec[]) {
  if (map === 'block' || map === 'node') return map;
  const { parseRankMap } = await import('../orchestration/hosts/rank-map.ts');
  return parseRankMap(await textOf(map, '--map'), map, hosts);
}

async function launcherFor(
  choice: LauncherChoice,
  hosts: readonly HostSpec[],
  { rsh, sshConfig, knownHosts, identity, remoteDir }: Reach,
): Promise<{ launcher: Launcher; text: string | null }> {
  if (choice.kind === 'local') return { launcher: launchers.local, text: null };
  if (choice.kind === 'command') {
    const { commandLauncher } = await import('../orchestration/launchers/command.ts');
    return { launcher: commandLauncher(choice.template), text: `command:${choice.template}` };
  }
  if (choice.kind === 'slurm') {
    const { slurmFromEnvironment, slurmLauncher } = await import('../orchestration/launchers/slurm.ts');
    return { launcher: slurmLauncher(slurmFromEnvironment()), text: 'slurm' };
  }
  const shared = { configFile: sshConfig, knownHostsFiles: knownHosts, identityFiles: identity, remoteDir };
  if (rsh === 'openssh') {
    const { opensshLauncher } = await import('../orchestration/launchers/openssh.ts');
    return { launcher: opensshLauncher(hosts, shared), text: 'openssh' };
  }
  const [{ sshLauncher }, { askPassphrase }] = await Promise.all([
    import('../orchestration/launchers/ssh/index.ts'),
    import('./passphrase.ts'),
  ]);
  return { launcher: sshLauncher(hosts, { ...shared, passphrase: askPassphrase() }), text: 'ssh' };
}

function inWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw commandError(error);
  }
}

function commandError(error: unknown): unknown {
  if (error instanceof HostsError) {
    return new CommandError(error.message, error.next === null ? [] : [`Next: ${error.next}`]);
  }
  if (error instanceof StartError) {
    return new CommandError(error.message, [
      ...error.details.map((line) => `  ${line}`),
      ...(error.next === null ? [] : [`Next: ${error.next}`]),
    ]);
  }
  return error;
}
