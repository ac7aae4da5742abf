import { type EngineName, type RunPlan, transportRow } from '../../results/schema/index.ts';
import type { SeriesChoice } from '../../suites/engines/series-choice.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';
import type { MemoryShortage } from '../../suites/planning/memory.ts';
import type { MeasuredCommand } from '../../suites/workloads/index.ts';
import type { HostOptions } from '../preparing/host-options.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import type { TransportCapability } from '../protocol.ts';

/** Options of a measuring command: options of the plan, and options of the hosts. */
export type MeasureOptions = PlanOptions & HostOptions;

/** Name of a host, as the plan has it, and its probe result. A run on this machine alone has one such host, too. */
export interface ProbedHost {
  name: string;
  result: ProbeResult;
}

/** Numbers of devices and ranks that one engine can use on the hosts of a run, and checks of these numbers. */
export interface EngineHosts {
  /** Number of devices that ranks may use on each host, in the order of the hosts; null = ranks need no device. */
  readonly offered: readonly number[] | null;
  /**
   * Returns the number of ranks for a run on this machine alone: the requested number, otherwise the engine's default. Null = the
   * machine has no device.
   * @throws Refusal if the requested devices do not exist or are too few, or the collective cannot run with this number
   */
  ranksHere(): number | null;
  /**
   * Checks what the engine demands for this number of ranks, and keeps the number for memoryShortage(). Engines without such
   * demands accept every number.
   * @throws Refusal if the collective cannot run with so many ranks, the hosts have different versions of the library, or the
   * library or GPUs lack a requested data type
   */
  require(ranks: number): void;
  /**
   * Returns the refusal if the hosts or GPUs have too little memory for the buffers of the plan, with the largest --max that would
   * fit (`max`, null if a smaller size does not help). Null if the buffers fit, or the memory is not known. Call require() first.
   */
  memoryShortage(plan: RunPlan): MemoryShortage | null;
}

/**
 * Probes whether the given transports can run on this machine, with a new agent for every call. A transport that cannot run is in
 * the result, with the reason.
 * @param requests transports to probe, each with its engine and options
 */
export type HostQuestion = (requests: ProbeRequest[]) => Promise<ProbeResult>;

/**
 * Section of one engine in the output of `collbench transports`. `transports`: probe results of the engine's transports, in the
 * order of printing, also of transports that cannot run.
 */
export interface EngineListing {
  /** Text after the engine's name in the headline of its section. */
  headline: string;
  transports: TransportCapability[];
  /** True if a reason that all transports share, when none of them can run, is printed once above them instead of per transport. */
  sharesReasons: boolean;
}

/**
 * Functions of an engine (a measured library such as NCCL or MPI) that orchestration needs: they interpret the probes of the
 * hosts, and check that the hosts can run the requested ranks. `engineHosts` returns numbers of devices and ranks with their
 * checks. `settingLines` returns lines for `--explain` about the settings of one series.
 */
export interface Engine {
  readonly name: EngineName;
  engineHosts(
    command: MeasuredCommand,
    options: MeasureOptions,
    hosts: readonly ProbedHost[],
    isHere: boolean,
  ): EngineHosts;
  /**
   * Returns engine settings from files on this machine, such as a tuning table, for all launches; {} if there is no such file.
   * Called only if the run uses no other machine.
   */
  settingsHere?(options: PlanOptions): RunPlan['settings'];
  /** Returns the number of devices of a host; null = ranks need no device. */
  devicesIn(result: ProbeResult): number | null;
  /**
   * Returns the NUMA nodes of the devices that ranks on a host may use, in the order in which its ranks take them; -1 = unknown.
   * Empty if ranks use no device.
   */
  deviceNodes(result: ProbeResult, options: PlanOptions): number[];
  /**
   * Probes the other transports of the engine, if the requested one cannot run. The refusal suggests those that can run.
   * @param result probe of this machine with the requested transport
   * @param ask probes this machine again; null = only the answers in `result` are known
   * @returns probe results of the transports, also of those that cannot run
   */
  alternatives(
    result: ProbeResult,
    options: PlanOptions,
    ask: HostQuestion | null,
  ): Promise<TransportCapability[]>;
  /**
   * Returns the name that the library's log (NCCL's) must show for the network if the library uses this transport; undefined = the
   * log is not checked.
   * @param capability probe result of the transport
   */
  networkOf(transport: string, capability: TransportCapability): string | undefined;
  /** True if, over transport socket, the ranks themselves open the TCP sockets; absent = a library opens them. */
  opensSockets?(capability: TransportCapability): boolean;
  /**
   * Returns versions of libraries and drivers, for run.json, keyed by name, such as "nccl"; unknown ones are left out.
   * @param hosts probe result of each host
   * @param isHere true if the run uses this machine alone
   */
  versions(
    plan: Pick<RunPlan, 'settings' | 'ranks'>,
    hosts: readonly ProbeResult[],
    isHere: boolean,
  ): Promise<Record<string, string>>;
  /**
   * Returns lines for `--explain`, without newlines, about libraries and devices that the probe found. Lines about the settings of
   * a transport come from settingLines().
   * @param settings engine settings of all launches
   */
  headLines(result: ProbeResult, options: MeasureOptions, settings: Record<string, string>): string[];
  settingLines(
    transport: string,
    capability: TransportCapability,
    options: PlanOptions,
    command: string,
    choice: SeriesChoice,
  ): string[];
  /**
   * Returns the engine's section in the output of `collbench transports`. Null if the engine is not part of this
   * build, or none of its transports can be probed.
   * @param plain content of the agent's hello, without probed transports
   * @param ask probes transports on this machine
   */
  listing(plain: ProbeResult, ask: HostQuestion): Promise<EngineListing | null>;
}

/**
 * Returns the description of a transport in a run: the one of the probe, with one exception. If ranks on several hosts open TCP
 * sockets themselves and no interface was requested, each host uses its route to the other hosts, but the probe names only
 * interface lo. The description is then "TCP between 2 hosts".
 * @param hosts number of hosts
 * @param isBound true if a network interface was requested
 * @param probed the transport, as the probe found it
 */
export const detailOver = (engine: Engine, hosts: number, isBound: boolean, probed: TransportCapability) =>
  transportRow(probed.name)?.evidence === 'interface' &&
  !isBound &&
  hosts > 1 &&
  engine.opensSockets?.(probed) === true
    ? { ...(probed.detail.library === undefined ? {} : { library: probed.detail.library }), hosts }
    : probed.detail;
