// The machines of one command: which they are, how agents get there, and which rank goes where.
import path from 'node:path';
import { readPlainText, writtenByHand } from '../../results/files/plain.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunPlan } from '../../results/schema/index.ts';
import type { Agent } from '../agent.ts';
import { agentPath } from '../build.ts';
import { defaultDeadlines } from '../deadlines.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { bindRanks, type HostCpus, type RankPlacement } from '../hosts/binding.ts';
import type { HostSpec } from '../hosts/host.ts';
import { type HostPlacement, placeRanks } from '../hosts/placement.ts';
import { type Launcher, launchers } from '../launchers/index.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import type { SessionOptions } from '../session/session.ts';
import type { HostOptions, LauncherChoice } from './host-options.ts';
import { launcherOf } from './host-rules.ts';
import { toRefusal, toRefusalIfThrown } from './to-refusal.ts';

/** One object per command: probing and measuring share its connections and agents. */
export interface HostPool {
  /** Empty = this machine alone. */
  readonly hosts: readonly HostSpec[];
  readonly launcher: Launcher;
  /** As run.json keeps it; absent for this machine. */
  readonly launcherText?: string;
  readonly agentPath: string;
  /**
   * One result per host. Hosts are asked once, and their agents stay for the session; this machine alone may be asked
   * again.
   * @throws FailureError of the first that cannot be asked
   */
  probe(requests: ProbeRequest[]): Promise<ProbeResult[]>;
  /** The agents that answered, for a session, which ends them: starting one takes a login and the check of what lies there. */
  takeAgents(): readonly Agent[];
  /** @throws Refusal there is no room */
  place(gpus: readonly number[] | null): HostPlacement[];
  /** LaunchContext the ranks of a placed host are bound; absent = nothing was said. @throws Refusal what cannot be */
  bind(host: HostPlacement, gpus: number | null, ground: HostCpus): RankPlacement[] | null;
  close(): Promise<void>;
}

/** What decides over agents, of the options of a command or of the plan of an earlier one. */
type HostSelection = Pick<MeasureOptions, 'ranks'> &
  Omit<HostOptions, 'groups' | 'hosts' | 'hostfile' | 'launcher'>;

/** A run that is taken up again has its placement in its plan. */
const nothingSaid: HostSelection = {
  agent: null,
  rsh: 'ssh2',
  sshConfig: null,
  knownHosts: null,
  identity: [],
  remoteDir: null,
  ranks: null,
  ranksPerNode: null,
  map: 'block',
  bind: null,
};

/** @throws Refusal hosts that cannot be read, or that nothing can reach */
export async function nodesOf(options: Pick<MeasureOptions, 'ranks'> & HostOptions): Promise<HostPool> {
  try {
    return await nodesAt(await hostsOf(options), launcherOf(options), options);
  } catch (error) {
    throw toRefusal(error);
  }
}

/** What a run that is taken up again has to be told anew: no plan says which keys open its hosts. */
export type ConnectionOptions = Partial<
  Pick<HostOptions, 'sshConfig' | 'knownHosts' | 'identity' | 'remoteDir'>
>;

/** The machines of a run that is taken up again. @throws Refusal */
export async function nodesOfPlan(plan: RunPlan, again: ConnectionOptions = {}): Promise<HostPool> {
  const rsh = plan.launcher === 'openssh' ? 'openssh' : 'ssh2';
  const reach: HostSelection = { ...nothingSaid, ...again, rsh };
  if (plan.launcher === undefined) return nodesAt([], { kind: 'local' }, reach);
  const choice: LauncherChoice = plan.launcher.startsWith('command:')
    ? { kind: 'command', template: plan.launcher.slice('command:'.length) }
    : { kind: plan.launcher === 'slurm' ? 'slurm' : 'ssh' };
  try {
    const { parseHosts } = await import('../hosts/parse.ts');
    const hosts = plan.hosts.map(({ name, at }) => ({ ...(parseHosts(at ?? name)[0] as HostSpec), name }));
    return await nodesAt(hosts, choice, reach);
  } catch (error) {
    throw toRefusal(error);
  }
}

async function nodesAt(
  hosts: readonly HostSpec[],
  choice: LauncherChoice,
  reach: HostSelection,
): Promise<HostPool> {
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
      const { probeHosts } = await import('../probe.ts');
      const isHere = hosts.length === 0;
      // Asked again, this machine starts another.
      await stopAll(takeAgents());
      const names = isHere ? ['localhost'] : hosts.map(({ name }) => name);
      const probed = await probeHosts(
        names,
        agent,
        requests,
        launcher,
        isHere ? defaultDeadlines : remoteDeadlines,
      );
      agents = probed.map((one) => one.agent);
      // What was loaded to be looked at, drivers and plugins, must not be there beside the ranks.
      if (requests.some(loadsOthersCode)) await stopAll(takeAgents());
      return probed.map(({ result }) => result);
    },
    takeAgents,
    place(gpus) {
      const { ranks, ranksPerNode } = reach;
      return toRefusalIfThrown(() => placeRanks(hosts, { ranks, ranksPerNode, gpus, map, iface: null }));
    },
    bind({ name, ranks }, gpus, ground) {
      const lines = typeof map === 'string' ? [] : map.filter((line) => line.host === name);
      return toRefusalIfThrown(() => bindRanks(name, ranks, lines, reach.bind, gpus, ground));
    },
    async close() {
      await stopAll(takeAgents());
      await launcher.close?.();
    },
  };
}

const loadsOthersCode = ({ engine, transport }: ProbeRequest): boolean =>
  (engine !== undefined && engine !== 'cpu') || (transport !== 'socket' && transport !== 'shm');

async function stopAll(agents: readonly Agent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop(remoteDeadlines)));
}

/** How a session starts agents there. */
export const sessionOptionsAt = ({
  agentPath,
  launcher,
}: Pick<HostPool, 'agentPath' | 'launcher'>): Pick<
  SessionOptions,
  'agentPath' | 'launcher' | 'deadlines'
> => ({
  agentPath,
  launcher,
  ...(launcher.remote === true ? { deadlines: { helloMs: remoteDeadlines.helloMs } } : {}),
});

/** Connecting, logging in and copying the agent come before its first word. */
export const remoteDeadlines = { ...defaultDeadlines, helloMs: 90_000 };

async function hostsOf(options: HostOptions): Promise<HostSpec[]> {
  if (options.hosts !== null) return options.hosts;
  if (options.hostfile !== null) {
    const { parseHostfile } = await import('../hosts/hostfile.ts');
    return parseHostfile(await textOf(options.hostfile, '--hostfile'), options.hostfile);
  }
  if (options.launcher?.kind !== 'slurm') return [];
  const { SLURM_JOB_NODELIST: nodes, SLURM_TASKS_PER_NODE: tasks } = process.env;
  if (nodes === undefined) {
    throw refuse('no-slurm-allocation');
  }
  const { parseSlurm } = await import('../hosts/slurm-hosts.ts');
  return parseSlurm(nodes, tasks ?? null);
}

async function textOf(file: string, flag: string): Promise<string> {
  try {
    return await readPlainText(file, writtenByHand);
  } catch (error) {
    throw refuse('file-unreadable', { where: `${flag} ${file}`, why: (error as Error).message });
  }
}

async function mapOf(map: string, hosts: readonly HostSpec[]) {
  if (map === 'block' || map === 'node') return map;
  const { parseRankMap } = await import('../hosts/rank-map.ts');
  return parseRankMap(await textOf(map, '--map'), map, hosts);
}

async function launcherFor(
  choice: LauncherChoice,
  hosts: readonly HostSpec[],
  { rsh, sshConfig, knownHosts, identity, remoteDir }: HostSelection,
): Promise<{ launcher: Launcher; text: string | null }> {
  if (choice.kind === 'local') return { launcher: launchers.local, text: null };
  if (choice.kind === 'command') {
    const { commandLauncher } = await import('../launchers/command.ts');
    return { launcher: commandLauncher(choice.template), text: `command:${choice.template}` };
  }
  if (choice.kind === 'slurm') {
    const { slurmFromEnvironment, slurmLauncher } = await import('../launchers/slurm.ts');
    return { launcher: slurmLauncher(slurmFromEnvironment()), text: 'slurm' };
  }
  // ssh itself would wait for a pipe that nobody writes.
  if (sshConfig !== null) await textOf(sshConfig, '--ssh-config');
  const shared = { configFile: sshConfig, knownHostsFiles: knownHosts, identityFiles: identity, remoteDir };
  if (rsh === 'openssh') {
    const { opensshLauncher } = await import('../launchers/openssh.ts');
    return { launcher: opensshLauncher(hosts, shared), text: 'openssh' };
  }
  const [{ sshLauncher }, { askPassphrase }] = await Promise.all([
    import('../launchers/ssh/index.ts'),
    import('./passphrase.ts'),
  ]);
  return { launcher: sshLauncher(hosts, { ...shared, passphrase: askPassphrase() }), text: 'ssh' };
}
