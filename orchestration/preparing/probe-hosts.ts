// Probes every machine for what it can run, before anything starts.
import { refuse } from '../../results/refusals/refusal.ts';
import { engineRow, type Inventory } from '../../results/schema/index.ts';
import {
  commandsOf,
  enginesWith,
  type PlanningEngine,
  planningEngines,
  type SeriesChoice,
} from '../../suites/engines/index.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';
import {
  fullName,
  isPlugin,
  shownNames,
  transportNamed,
  transportOptions,
} from '../../suites/transports/index.ts';
import type { Engine, ProbedHost } from '../engines/engine.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import type { TransportCapability } from '../protocol.ts';
import type { HostPool } from './host-pool.ts';

/** Transports of a run, and what the probe of each host found out about them. */
export interface ProbedHosts {
  /**
   * Names of the transports: the requested ones, with the full path of plugins. If none were requested, the engine's default.
   */
  names: string[];
  /** Hosts with their probe results: one per transport, in the order of `names`. This machine alone is one host, too. */
  hosts: ProbedHost[];
  /** Engine settings by name that apply to all launches, such as the numbers of the GPUs. */
  settings: Record<string, string>;
}

/**
 * Probes the transports of a plan on all hosts. A transport that cannot run is no error: it is in the result, which
 * requireAvailable() checks.
 * @param choice engine settings of the first series (such as its algorithm), which is probed for all series; undefined = none
 * @param environment environment variables that the command sets for its ranks
 * @throws Refusal if the engine does not have the transport, or the transport cannot connect these hosts
 * @throws FailureError for the first host that cannot be probed
 */
export async function probeForPlan(
  engine: Engine,
  options: PlanOptions,
  nodes: HostPool,
  choice: SeriesChoice | undefined,
  environment: Record<string, string> = {},
): Promise<ProbedHosts> {
  const planning = planningEngines[engine.name];
  const isHere = nodes.hosts.length === 0;
  const named = options.transport?.map(fullName) ?? null;
  const names = named ?? (isHere ? [...planning.usual.here] : [planning.usual.betweenHosts]);
  requireKnown(planning, names);
  if (nodes.hosts.length > 1) requireBetween(planning, names, options, nodes.hosts.length);
  const settings = { ...planning.settings(options), ...(isHere ? engine.settingsHere?.(options) : {}) };
  const results = await nodes.probe(
    names.map((transport): ProbeRequest => {
      const given = transportOptions(transport, options);
      return {
        engine: engine.name,
        transport,
        options: given,
        settings: { ...settings, ...choice?.settings },
        environment: {
          ...environment,
          ...planning.variables(isPlugin(transport) ? 'plugin' : transport, given),
        },
      };
    }),
  );
  const hosts = results.map((result, i) => ({
    name: nodes.hosts[i]?.name ?? result.inventory.hostname,
    result,
  }));
  const [here] = results;
  if (named !== null || !isHere || here === undefined) return { names, hosts, settings };
  return { ...usualOf(engine, options, names, here), settings };
}

/**
 * Selects the default transport for this machine, which depends on its number of devices, and returns its name and its probe
 * result. `probed` is empty if it was not probed.
 * @param names transports that were probed, in the order of the answers in `result`
 * @param result probe result of this machine
 */
function usualOf(
  engine: Engine,
  options: PlanOptions,
  names: readonly string[],
  result: ProbeResult,
): Pick<ProbedHosts, 'names' | 'hosts'> {
  const name = planningEngines[engine.name].usual.pick(engine.devicesIn(result) ?? 0, options);
  const probed = result.probed.filter((_, i) => names[i] === name);
  return { names: [name], hosts: [{ name: result.inventory.hostname, result: { ...result, probed } }] };
}

function requireKnown({ name: engine, transports }: PlanningEngine, names: readonly string[]): void {
  const isOf = (name: string, known: readonly string[]) =>
    isPlugin(name) || (name !== 'plugin' && known.includes(name));
  const transport = names.find((name) => !isOf(name, transports));
  if (transport === undefined) return;
  const engines = enginesWith((other) => isOf(transport, other.transports));
  throw refuse('no-such-transport', { transport, engine, has: shownNames(transports), engines });
}

/**
 * Checks that all transports can connect different machines. @throws Refusal for the first that works only within one
 * machine
 */
function requireBetween(
  { transports }: PlanningEngine,
  names: readonly string[],
  options: PlanOptions,
  hosts: number,
): void {
  for (const transport of names) {
    const why = transportNamed(transport)?.within(options) ?? null;
    if (why === null) continue;
    const instead = transports
      .filter((name) => name !== 'ibgda' && transportNamed(name)?.within(options) === null)
      .map((name) => (name === 'plugin' ? 'a plugin' : name));
    throw refuse('transport-within-host', { transport, hosts, why, instead });
  }
}

/**
 * Checks that a host has a network interface with the name `name`; null = no interface was requested, so nothing is checked.
 * @param host name of the host, for the refusal
 * @throws Refusal if the host does not have it
 */
export function requireInterface(name: string | null, host: string, { interfaces }: Inventory): void {
  if (name === null || interfaces.some((device) => device.name === name)) return;
  throw refuse('no-such-interface', { name, host, has: interfaces.map((device) => device.name) });
}

/**
 * Checks that each transport that can run uses the requested medium (hardware or emulated). With `auto`, only an emulated transport
 * in a run over several hosts is refused; a transport that has no emulation (`emulation` is null) is accepted.
 * @param host name of the host in a run over several hosts; null = a run on one host
 * @param probed probe results of the host, in the order of `names`
 * @param names names of the transports
 * @throws Refusal for the first transport with another or an unknown medium
 */
function requireMediumThere(
  probed: readonly TransportCapability[],
  names: readonly string[],
  requested: PlanOptions['medium'],
  host: string | null,
): void {
  const i = probed.findIndex(({ available, medium }, n) => {
    // A software device cannot connect different machines, so `auto` accepts it only on one host.
    const isLeft =
      requested === 'auto' && (host === null || transportNamed(names[n] ?? '')?.emulation === null);
    return available && !isLeft && (requested === 'auto' ? medium === 'emulated' : medium !== requested);
  });
  const transport = names[i];
  if (transport === undefined) return;
  const emulation = transportNamed(transport)?.emulation ?? null;
  if (probed[i]?.medium === 'unknown') throw refuse('medium-unknown', { transport, wanted: requested });
  if (requested === 'emulated' || emulation === null) throw refuse('not-emulated', { transport });
  throw refuse('not-on-hardware', { transport, host, ...emulation });
}

/**
 * Checks that every transport can run on every host, on the requested medium. If one cannot, the refusal suggests transports that
 * can: in a run on this machine alone the machine is probed for them, otherwise the answers of the host decide.
 * @param commandName name of the command; the refusal suggests to run it without this engine
 * @throws Refusal for the first transport that cannot run, with reason and remedy
 */
export async function requireAvailable(
  commandName: string,
  engine: Engine,
  options: PlanOptions,
  { names, hosts }: ProbedHosts,
  nodes: HostPool,
): Promise<void> {
  const isHere = nodes.hosts.length === 0;
  for (const { name, result } of hosts) {
    requireMediumThere(result.probed, names, options.medium, nodes.hosts.length < 2 ? null : name);
    const i = result.probed.findIndex(({ available }) => !available);
    const missing = result.probed[i];
    if (missing === undefined) continue;
    const askHere = async (requests: ProbeRequest[]) => (await nodes.probe(requests))[0] ?? result;
    const others = await engine.alternatives(result, options, isHere ? askHere : null);
    const host = isHere ? null : name;
    const { reason, remedy, words = [], stack = [] } = missing;
    const can = others.filter(({ available }) => available);
    if (can.length === 0) {
      const isOnCpu = commandsOf(planningEngines.cpu).includes(commandName);
      const command =
        engineRow(options).isEmbedded === true || !isOnCpu ? null : (`collbench ${commandName}` as const);
      throw refuse('engine-cannot-run', {
        engine: options.engine,
        host,
        reason,
        remedy,
        words,
        stack,
        command,
      });
    }
    throw refuse('transport-cannot-run', {
      transport: names[i] ?? missing.name,
      host,
      reason,
      remedy,
      words,
      stack,
      can: can.map((other) => (other.medium === 'emulated' ? `${other.name} (emulated)` : other.name)),
    });
  }
}

/**
 * Returns the SHA-256 of the file of each net plugin, for run.json, keyed by `NAME sha256`, where NAME is the transport. It is
 * recorded because results are not comparable if the file has changed. If all hosts have the same file, the value is its hash,
 * otherwise `HOST HASH` for each host, separated by commas. {} without plugins.
 */
export function pluginVersions(hosts: readonly ProbedHost[]): Record<string, string> {
  const found = new Map<string, Map<string, string>>();
  for (const { name: host, result } of hosts) {
    for (const { name, facts = {} } of result.probed) {
      const hash = facts['plugin.sha256'];
      if (hash !== undefined) found.set(name, (found.get(name) ?? new Map()).set(host, hash));
    }
  }
  return Object.fromEntries(
    [...found].map(([name, byHost]) => {
      const hashes = new Set(byHost.values());
      const each = [...byHost].map(([host, hash]) => `${host} ${hash}`);
      return [`${name} sha256`, hashes.size === 1 ? ([...hashes][0] as string) : each.join(', ')];
    }),
  );
}
