import type { EngineName, RunPlan } from '../../results/schema/index.ts';
import type { SeriesChoice } from '../../suites/engines/series-choice.ts';
import type { PlanOptions } from '../../suites/options/plan-options.ts';
import type { MemoryShortage } from '../../suites/planning/memory.ts';
import type { HostOptions } from '../preparing/host-options.ts';
import type { ProbeRequest, ProbeResult } from '../probe.ts';
import type { TransportCapability } from '../protocol.ts';

/** What all options of a measurement say about the plan and the machines. */
export type MeasureOptions = PlanOptions & HostOptions;

/** What a host answered; this machine alone is one host. */
export interface ProbedHost {
  name: string;
  result: ProbeResult;
}

/** The machines of a run as an engine sees them. */
export interface EngineHosts {
  /** Devices of each host that ranks may take; null = ranks need none. */
  readonly offered: readonly number[] | null;
  /** Ranks of this machine alone; null = it has no device. @throws Refusal fewer devices than asked for */
  ranksHere(): number | null;
  /** @throws Refusal ranks, data types or libraries that do not go together. */
  require(ranks: number): void;
  /** Null if the buffers of the plan fit. */
  memoryShortage(plan: RunPlan): MemoryShortage | null;
}

/** Asks this machine; every call starts an agent and ends it. */
export type HostQuestion = (requests: ProbeRequest[]) => Promise<ProbeResult>;

/** What `collbench transports` says of an engine. */
export interface EngineListing {
  /** Behind the name of the engine in its headline. */
  headline: string;
  transports: TransportCapability[];
  /** One reason may keep all of them from running: it is said once. */
  sharesReasons: boolean;
}

/** An engine as orchestration knows it: what its probes say, and which machines may take part. */
export interface Engine {
  readonly name: EngineName;
  engineHosts(
    command: string,
    options: MeasureOptions,
    hosts: readonly ProbedHost[],
    isHere: boolean,
  ): EngineHosts;
  /** Words for all launches that files of this machine say; asked where no other machine takes part. */
  settingsHere?(options: PlanOptions): RunPlan['settings'];
  /** Devices of a host; null = ranks need none. */
  devicesIn(result: ProbeResult): number | null;
  /** NUMA node of the device of each rank of a host, in their order; -1 = not known. */
  deviceNodes(result: ProbeResult, options: PlanOptions): number[];
  /** What could run where something cannot, for the refusal. */
  alternatives(
    result: ProbeResult,
    options: PlanOptions,
    ask: HostQuestion | null,
  ): Promise<TransportCapability[]>;
  /** What the engine's own log calls the network of a transport; undefined = nothing to look for. */
  networkOf(transport: string, capability: TransportCapability): string | undefined;
  /** What is said of a transport that joins so many hosts. */
  detailOver(hosts: number, transport: string, isBound: boolean, detail: string): string;
  /** Libraries and drivers, for run.json. */
  versions(
    plan: Pick<RunPlan, 'settings' | 'ranks'>,
    hosts: readonly ProbeResult[],
    isHere: boolean,
  ): Promise<Record<string, string>>;
  /** For --explain: what was found, and what a transport would set. */
  headLines(result: ProbeResult, options: MeasureOptions, settings: Record<string, string>): string[];
  settingLines(
    transport: string,
    capability: TransportCapability,
    options: PlanOptions,
    command: string,
    choice: SeriesChoice,
  ): string[];
  /** null = nothing to list: not part of this build, or no transport can be said to run. */
  listing(plain: ProbeResult, ask: HostQuestion): Promise<EngineListing | null>;
}
