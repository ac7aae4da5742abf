// The hosts of one command: their names, how agents are started there, and which rank runs where.
import path from 'node:path';
import { readPlainText, writtenByHand } from '../../results/files/plain.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { engineRow, type RunPlan } from '../../results/schema/index.ts';
import { defaultsOf } from '../../suites/options/option.ts';
import type { Agent } from '../agent.ts';
import { agentPath } from '../build.ts';
import { defaultDeadlines } from '../deadlines.ts';
import type { MeasureOptions } from '../engines/index.ts';
import { bindRanks, type HostCpus, type RankPlacement } from '../hosts/binding.ts';
import type { HostSpec } from '../hosts/host.ts';
import { type HostPlacement, placeRanks } from '../hosts/placement.ts';
import { containerTemplate, isContainerKind } from '../launchers/containers.ts';
import type { Launcher } from '../launchers/launcher.ts';
import { local } from '../launchers/local.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import type { SessionOptions } from '../session/session.ts';
import { toRefusal, toRefusalIfThrown } from './host-errors.ts';
import { type HostOptions, hostOptionRows, type LauncherChoice, rankOptionRows } from './host-options.ts';
import { launcherOf } from './host-rules.ts';

/**
 * The hosts of a command. There is one such object per command, so that probing and measuring share connections and agents.
 * `agentPath`: agent program on this machine. close() ends agents that no session took, and all connections; it never rejects.
 */
export interface HostPool {
  /** Hosts that the command names; empty = only this machine is used. */
  readonly hosts: readonly HostSpec[];
  readonly launcher: Launcher;
  /**
   * The way to start agents, as run.json stores it: "ssh", "openssh", "slurm", "command:TEMPLATE"; absent if only this machine is
   * used.
   */
  readonly launcherText?: string;
  readonly agentPath: string;
  /**
   * Probes all hosts, or only this machine if `hosts` is empty. A transport that cannot run is in the result, not an error. The
   * agents keep running for the session, but if one of the requests loads drivers or plugins, all agents end after the probe. A
   * further call ends the agents that no session has taken, and starts new ones.
   * @param requests transports to probe on every host
   * @returns one result per host, in the order of `hosts`
   * @throws FailureError for the first host that cannot be probed
   */
  probe(requests: ProbeRequest[]): Promise<ProbeResult[]>;
  /**
   * Hands the running agents over to a session, which then ends them; a second call returns none. Empty if no agent runs. Reusing
   * agents saves a login and the check of the uploaded files.
   */
  takeAgents(): readonly Agent[];
  /**
   * Decides which rank runs on which host. Must not be called if `hosts` is empty.
   * @param gpus number of GPUs per host, in the order of `hosts`, if each rank uses one; null = ranks use no GPU, or share GPUs
   * @throws Refusal if the hosts have too little room for the ranks
   */
  place(gpus: readonly number[] | null): HostPlacement[];
  /**
   * Returns CPUs, memory nodes and GPU of each rank on a host; null if --bind is not given, and the rank map names neither CPUs nor
   * GPUs.
   * @param gpus number of GPUs of the host, if each rank uses one; otherwise null
   * @param hostCpus CPUs and NUMA nodes of the host
   * @throws Refusal if the binding is impossible
   */
  bind(host: HostPlacement, gpus: number | null, hostCpus: HostCpus): RankPlacement[] | null;
  close(): Promise<void>;
}

/**
 * Options that decide how agents are started and ranks are placed. They come from a command; for a stored plan they are the
 * defaults with the SSH options of the user.
 */
type HostSelection = Pick<MeasureOptions, 'ranks'> &
  Omit<HostOptions, 'groups' | 'hosts' | 'hostfile' | 'launcher' | 'priority' | 'cpuQuota'>;

/**
 * Returns the hosts that the options of a command select, with the way to start agents on them. No agent is started yet, but
 * hostfile and rank map are read, and containers are listed. The caller must call close() on the result.
 * @throws Refusal if hosts or the rank map cannot be read, there is no agent, or no launcher can reach the hosts
 */
export async function nodesOf(options: Pick<MeasureOptions, 'ranks'> & HostOptions): Promise<HostPool> {
  try {
    return await nodesAt(await hostsOf(options), launcherOf(options), options);
  } catch (error) {
    throw toRefusal(error);
  }
}

/** SSH options that the user must give again to resume a run, because the plan does not store them. */
export type ConnectionOptions = Partial<
  Pick<HostOptions, 'sshConfig' | 'knownHosts' | 'identity' | 'remoteDir'>
>;

/**
 * Returns the hosts of a stored plan whose run is resumed. No agent is started yet. The caller must call close() on the result.
 * @param again SSH options that the user gave again, because the plan does not store them
 * @throws Refusal if there is no way to reach the hosts
 */
export async function nodesOfPlan(plan: RunPlan, again: ConnectionOptions = {}): Promise<HostPool> {
  const rsh = plan.launcher === 'openssh' ? 'openssh' : 'ssh2';
  // All defaults, because the placement of ranks is already in the plan.
  const defaults = { ...defaultsOf(hostOptionRows), ...defaultsOf(rankOptionRows), ranks: null };
  const reach: HostSelection = { ...defaults, ...again, rsh };
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
      // A second probe of this machine starts a new agent.
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
      // Agents that loaded drivers or plugins for a probe end now, because this code must not run at the same time as
      // the ranks.
      if (requests.some(loadsOthersCode)) await stopAll(takeAgents());
      return probed.map(({ result }) => result);
    },
    takeAgents,
    place(gpus) {
      const { ranks, ranksPerNode } = reach;
      return toRefusalIfThrown(() => placeRanks(hosts, { ranks, ranksPerNode, gpus, map, iface: null }));
    },
    bind({ name, ranks }, gpus, hostCpus) {
      const lines = typeof map === 'string' ? [] : map.filter((line) => line.host === name);
      return toRefusalIfThrown(() => bindRanks(name, ranks, lines, reach.bind, gpus, hostCpus));
    },
    async close() {
      await stopAll(takeAgents());
      await launcher.close?.();
    },
  };
}

const loadsOthersCode = ({ engine, transport }: ProbeRequest): boolean =>
  (engine !== undefined && engineRow({ engine }).isEmbedded !== true) ||
  (transport !== 'socket' && transport !== 'shm');

async function stopAll(agents: readonly Agent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.stop(remoteDeadlines)));
}

/**
 * Returns the options of a session that starts its agents on these hosts. With a launcher that is `remote` the agents get more time
 * to send hello (`helloMs` of `remoteDeadlines`).
 */
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

/**
 * Timeouts for remote hosts: the hello message may take longer, because connecting, login and upload of the agent come before
 * it.
 */
export const remoteDeadlines = { ...defaultDeadlines, helloMs: 90_000 };

async function hostsOf(options: HostOptions): Promise<HostSpec[]> {
  if (options.hosts !== null) return options.hosts;
  if (options.hostfile !== null) {
    const { parseHostfile } = await import('../hosts/hostfile.ts');
    return parseHostfile(await textOf(options.hostfile, '--hostfile'), options.hostfile);
  }
  const { launcher } = options;
  if (launcher !== null && isContainerKind(launcher.kind)) {
    const { findContainers } = await import('../launchers/containers.ts');
    const { parseHosts } = await import('../hosts/parse.ts');
    return parseHosts((await findContainers(launcher.kind, options)).join(','));
  }
  if (launcher?.kind !== 'slurm') return [];
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
  selection: HostSelection,
): Promise<{ launcher: Launcher; text: string | null }> {
  const { rsh, sshConfig, knownHosts, identity, remoteDir } = selection;
  if (choice.kind === 'local') return { launcher: local, text: null };
  if (choice.kind === 'command' || isContainerKind(choice.kind)) {
    const { commandLauncher } = await import('../launchers/command.ts');
    const template = choice.kind === 'command' ? choice.template : containerTemplate(choice.kind, selection);
    return { launcher: commandLauncher(template, remoteDir), text: `command:${template}` };
  }
  if (choice.kind === 'slurm') {
    const { slurmLauncher } = await import('../launchers/slurm.ts');
    return { launcher: slurmLauncher(process.env.SLURM_JOB_ID ?? null, remoteDir), text: 'slurm' };
  }
  // The file is read here first, because ssh would wait for ever if it were a pipe without a writer.
  if (sshConfig !== null) await textOf(sshConfig, '--ssh-config');
  const shared = { configFile: sshConfig, knownHostsFiles: knownHosts, identityFiles: identity, remoteDir };
  if (rsh === 'openssh') {
    const { opensshLauncher } = await import('../launchers/openssh.ts');
    return { launcher: opensshLauncher(hosts, shared), text: 'openssh' };
  }
  const { sshLauncher } = await import('../launchers/ssh/index.ts');
  const { askPassphrase } = await import('./passphrase.ts');
  return { launcher: sshLauncher(hosts, { ...shared, passphrase: askPassphrase() }), text: 'ssh' };
}
