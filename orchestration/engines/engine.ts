import type { EngineName, RunPlan } from '../../results/schema/index.ts';
import type { SeriesChoice } from '../../suites/engines/series-choice.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';
import type { MemoryShortage } from '../../suites/planning/memory.ts';
import type { HostOptions } from '../preparing/host-options.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import type { TransportCapability } from '../protocol.ts';

/** Options of a measuring command: for the plan and for the hosts. */
export type MeasureOptions = PlanOptions & HostOptions;

/** Probe result of one host; a run on this machine alone has one host, too. */
export interface ProbedHost {
  name: string;
  result: ProbeResult;
}

/** The hosts of a run, from the view of one engine. */
export interface EngineHosts {
  /** Number of devices per host that ranks may use; null = ranks need no device. */
  readonly offered: readonly number[] | null;
  /** Number of ranks for a run on this machine alone; null = it has no device. @throws Refusal if there are too few devices */
  ranksHere(): number | null;
  /** @throws Refusal if ranks, data types and libraries do not fit together */
  require(ranks: number): void;
  /** Describes the missing memory; null if the buffers of the plan fit. */
  memoryShortage(plan: RunPlan): MemoryShortage | null;
}

/** Probes this machine; every call starts an agent and ends it. */
export type HostQuestion = (requests: ProbeRequest[]) => Promise<ProbeResult>;

/** Section of one engine in the output of `collbench transports`. */
export interface EngineListing {
  /** Text after the engine's name in the headline. */
  headline: string;
  transports: TransportCapability[];
  /** True if one reason keeps all transports from running; the reason is then printed once. */
  sharesReasons: boolean;
}

/** Parts of an engine that orchestration needs: interpretation of probe results, and rules for hosts. */
export interface Engine {
  readonly name: EngineName;
  engineHosts(
    command: string,
    options: MeasureOptions,
    hosts: readonly ProbedHost[],
    isHere: boolean,
  ): EngineHosts;
  /** Engine settings from files on this machine, for all launches; called only if the run uses this machine alone. */
  settingsHere?(options: PlanOptions): RunPlan['settings'];
  /** Number of devices of a host; null = ranks need none. */
  devicesIn(result: ProbeResult): number | null;
  /** NUMA node of each rank's device on a host, in the order of ranks; -1 = unknown. */
  deviceNodes(result: ProbeResult, options: PlanOptions): number[];
  /** Transports that can run instead of one that cannot, for the text of the refusal. */
  alternatives(
    result: ProbeResult,
    options: PlanOptions,
    ask: HostQuestion | null,
  ): Promise<TransportCapability[]>;
  /** Name of the transport's network in the engine's own log; undefined = the log is not checked. */
  networkOf(transport: string, capability: TransportCapability): string | undefined;
  /** The detail text of a transport in a run over that many hosts. */
  detailOver(hosts: number, transport: string, isBound: boolean, detail: string): string;
  /** Versions of libraries and drivers, for run.json. */
  versions(
    plan: Pick<RunPlan, 'settings' | 'ranks'>,
    hosts: readonly ProbeResult[],
    isHere: boolean,
  ): Promise<Record<string, string>>;
  /** Lines for `--explain`: libraries and devices that the probe found. settingLines() has the settings of a transport. */
  headLines(result: ProbeResult, options: MeasureOptions, settings: Record<string, string>): string[];
  settingLines(
    transport: string,
    capability: TransportCapability,
    options: PlanOptions,
    command: string,
    choice: SeriesChoice,
  ): string[];
  /** Section for `collbench transports`; null if the engine is not part of this build, or no transport can be judged. */
  listing(plain: ProbeResult, ask: HostQuestion): Promise<EngineListing | null>;
}
