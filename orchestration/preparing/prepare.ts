// Makes a plan from options: probes the machines first, so that nothing starts which cannot run.
import { randomInt } from 'node:crypto';
import { sameMachineText } from '../../results/derive/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import {
  type GroupsPlan,
  type Inventory,
  type RunPlan,
  seriesNameText,
  setSizes,
  type TransportPlan,
} from '../../results/schema/index.ts';
import {
  amongRanks,
  planningEngines,
  rejectionTexts,
  type SeriesChoice,
} from '../../suites/engines/index.ts';
import { defaultsOnly } from '../../suites/options/parsed-options.ts';
import { makePlan } from '../../suites/plan.ts';
import type { WorkInput } from '../../suites/plan-input.ts';
import { requireFitsBudget, type UnsetOptions, withinUsualTime } from '../../suites/planning/budget-plan.ts';
import { suggestRanks } from '../../suites/planning/carriers.ts';
import { seriesOf } from '../../suites/planning/loads.ts';
import { withinMemory } from '../../suites/planning/memory.ts';
import { minSizesPerRange, type RankCounts, samplingOf } from '../../suites/planning/sampling-plan.ts';
import { requireSkewedRank } from '../../suites/planning/skews.ts';
import { sizeRule } from '../../suites/sizes.ts';
import { requireLink, transportOptions } from '../../suites/transports/index.ts';
import type { MeasuredCommand } from '../../suites/workloads/index.ts';
import { detailOver, type Engine } from '../engines/engine.ts';
import { engines, type MeasureOptions } from '../engines/index.ts';
import { bindingText } from '../hosts/binding.ts';
import { hostText } from '../hosts/parse.ts';
import { type HostPlacement, placementText } from '../hosts/placement.ts';
import { firstNameOfMachine, namesOfOneMachine } from '../hosts/same-machine.ts';
import { slowdown } from '../running/slowdown.ts';
import { groupsPlanOf } from './groups.ts';
import type { HostPool } from './host-pool.ts';
import { maxRanksHere } from './host-rules.ts';
import { requireRoomForLoads } from './load-rules.ts';
import { requireOffered } from './offered.ts';
import { requireConnections } from './plugin-connections.ts';
import {
  type ProbedHosts,
  pluginVersions,
  probeForPlan,
  requireAvailable,
  requireInterface,
} from './probe-hosts.ts';

export interface PreparedPlan {
  plan: RunPlan;
  inventories: Record<string, Inventory>;
  /** Versions of libraries and drivers on the hosts, keyed by name, for run.json. */
  versions: Record<string, string>;
  /** Texts about requested configurations that are not measured, each with the reason. */
  leftOut: string[];
  /** Lines to print before the run, such as the placement of ranks. */
  notes: string[];
  /**
   * Host names that have the same network interfaces, because they name one machine, or containers that share its network; as lists
   * of two or more names.
   */
  sameMachine: string[][];
}

/**
 * One requested run of a measuring command. `command`: its name and workload. `options`: values of all options, defaults included.
 */
export interface RequestedRun<Options extends MeasureOptions = MeasureOptions & UnsetOptions> {
  command: MeasuredCommand;
  options: Options;
  /** Words after the name of the command, as typed; the plan stores them. */
  words: readonly string[];
  /** Sources of the system load that are read; absent = all that a host has. */
  metricsSources?: readonly string[] | undefined;
}

/**
 * Makes the plan of one run: probes the hosts, places the ranks, and selects what is measured. Nothing is stored. Agents that the
 * probe started stay with `nodes`.
 * @param environment environment variables that the command sets for its ranks
 * @throws Refusal if something that was requested cannot run; no rank was started and nothing written then
 * @throws FailureError if a host cannot be probed
 */
export async function prepare(
  { command, options, words, metricsSources }: RequestedRun,
  nodes: HostPool,
  environment: Record<string, string> = {},
): Promise<PreparedPlan> {
  const beganMs = performance.now();
  requireLink(options, options.transport ?? []);
  const engine = engines[options.engine];
  const { name, workload } = command;
  const { choices, leftOut } = seriesOf(command, options);
  const asked = await probeForPlan(engine, options, nodes, choices[0], environment);
  const isHere = nodes.hosts.length === 0;
  for (const [i, { name, result }] of asked.hosts.entries()) {
    requireInterface(nodes.hosts[i]?.iface ?? options.interface, name, result.inventory);
  }
  const engineHosts = engine.engineHosts(command, options, asked.hosts, isHere);
  // Too few devices are reported first, before a problem that a transport has with one of the devices.
  const ranksHere = isHere ? engineHosts.ranksHere() : null;
  await requireAvailable(name, engine, options, asked, nodes);
  const placed = isHere ? placedHere(asked, ranksHere) : nodes.place(engineHosts.offered);
  const ranks = placed.reduce((sum, host) => sum + host.ranks.length, 0);
  engineHosts.require(ranks);
  const why = options.groups === null ? workload.refuses(name, ranks) : null;
  if (why !== null) {
    throw refuse('collective-refuses-ranks', {
      collective: name,
      why,
      ranks,
      instead: { ranks: String(suggestRanks(command, ranks)) },
    });
  }
  workload.requirePlannable?.(name, options, defaultsOnly, ranks);
  const { hosts, notes } = boundHosts(engine, options, asked, placed, nodes);
  if (planningEngines[options.engine].devices === null) requireRoomForLoads(options, hosts, asked);
  const groups = groupsPlanOf(command, options, hosts);
  requireSkewedRank(options, Math.min(...setSizes({ ranks, groups })));
  const possible = requirePossibleChoices(name, options, choices, groups, ranks);
  const onMachines: HostFacts = {
    hosts,
    launcher: nodes.launcherText,
    groups,
    settings: asked.settings,
    transports: seriesPlans(engine, asked, possible.choices, options, placed.length),
  };
  // Every plan of this command gets the same seed.
  const seed = options.seed ?? randomInt(2 ** 32);
  const preparingS = (performance.now() - beganMs) / 1000;
  const planWith = (max: number) =>
    withinUsualTime(command, { ...options, max }, (choice) =>
      planOf(command, { ...options, max, ...choice, seed }, words, {
        ...onMachines,
        preparingS,
        metricsSources,
      }),
    );
  const { plan, notes: planNotes } = withinMemory(options, planWith, engineHosts.memoryShortage);
  requireOffered(plan, asked.hosts);
  requireConnections(plan, asked.hosts);
  if (plan.points.length === 0) {
    throw refuse('nothing-to-measure', { reason: plan.skipped[0]?.reason ?? null });
  }
  requireFitsBudget(plan, command);
  const results = asked.hosts.map(({ result }) => result);
  const sameMachine = namesOfOneMachine(asked.hosts.map(({ name, result }) => [name, result.network]));
  return {
    plan,
    inventories: Object.fromEntries(asked.hosts.map(({ name, result }) => [name, result.inventory])),
    versions: { ...(await engine.versions(plan, results, isHere)), ...pluginVersions(asked.hosts) },
    leftOut: rejectionTexts([...leftOut, ...possible.leftOut]),
    notes: [...notes, ...sameMachine.map(sameMachineText), ...planNotes],
    sameMachine,
  };
}

/**
 * Returns the placement of a run on this machine alone: one host with all ranks.
 * @param ranks number of ranks; null = one rank per device was wanted, but this machine has no device for the engine
 * @throws Refusal if `ranks` is null or more than a machine can have
 */
function placedHere({ hosts }: ProbedHosts, ranks: number | null): HostPlacement[] {
  if (ranks === null) throw refuse('no-gpu');
  if (ranks > maxRanksHere) throw refuse('ranks-here', { ranks, max: maxRanksHere });
  const name = hosts[0]?.name ?? '';
  return [{ name, ranks: Array.from({ length: ranks }, (_, rank) => rank), iface: null }];
}

/**
 * Returns the hosts of the plan with their ranks, and lines that describe the placement. Ranks are bound as `--bind` and the rank
 * map say. If a machine has several host names, later ones refer to the first (`machineOf`, `networkOf`). Hosts without ranks are
 * left out.
 * @param probed probe results of all hosts
 * @param placed ranks of each host
 * @throws Refusal if the binding is impossible, or --gpus and the rank map both name GPUs
 */
function boundHosts(
  engine: Engine,
  options: MeasureOptions,
  probed: ProbedHosts,
  placed: readonly HostPlacement[],
  nodes: HostPool,
): { hosts: RunPlan['hosts']; notes: string[] } {
  const isHere = nodes.hosts.length === 0;
  // A host that got no rank is not in the plan.
  const withRanks = placed.map((one) => ({
    ...one,
    host: probed.hosts.find(({ name }) => name === one.name),
  }));
  const machines = firstNameOfMachine(withRanks.map(({ name, host }) => [name, host?.result.machine]));
  const networks = firstNameOfMachine(withRanks.map(({ name, host }) => [name, host?.result.network]));
  const hosts = withRanks.map(({ name, ranks, iface, host }) => {
    const [machineOf, networkOf] = [machines.get(name), networks.get(name)];
    const devices = isHere || host === undefined ? null : engine.devicesIn(host.result);
    const placements = nodes.bind({ name, ranks, iface }, devices, {
      cpus: host?.result.cpus,
      oneCpuPerCore: host?.result.oneCpuPerCore,
      numa: host?.result.numa ?? [],
      gpuNodes: host === undefined ? [] : engine.deviceNodes(host.result, options),
    });
    if (options.gpus !== null && placements?.some(({ gpu }) => gpu !== undefined))
      throw refuse('gpus-and-map');
    const spec = nodes.hosts.find((one) => one.name === name);
    const at = spec === undefined ? name : hostText({ ...spec, slots: null, iface: null });
    return {
      name,
      ranks,
      ...(at === name ? {} : { at }),
      ...(iface === null ? {} : { iface }),
      ...(machineOf === undefined ? {} : { machineOf }),
      ...(networkOf === undefined ? {} : { networkOf }),
      ...(placements === null ? {} : { placements }),
    };
  });
  return { hosts, notes: [...(isHere ? [] : placementText(placed, nodes.hosts)), ...bindingText(hosts)] };
}

type HostFacts = Pick<RunPlan, 'hosts' | 'settings' | 'transports'> & {
  launcher: string | undefined;
  groups: GroupsPlan | undefined;
};

/** Measured seconds to start the agents and to probe the machines. */
type PreparingTime = { preparingS: number };

/**
 * Makes the plan from options and facts of the hosts; nothing is probed.
 * @param words words after the name of the command, as typed
 * @throws Refusal if there are more sizes than a run may have
 */
function planOf(
  { name, workload }: MeasuredCommand,
  options: MeasureOptions,
  words: readonly string[],
  {
    hosts,
    launcher,
    groups,
    settings,
    transports,
    preparingS,
    metricsSources,
  }: HostFacts & PreparingTime & Pick<RequestedRun, 'metricsSources'>,
): RunPlan {
  const ranks = hosts.reduce((sum, host) => sum + host.ranks.length, 0);
  const input: WorkInput = {
    typed: ['collbench', name, ...words],
    command: name,
    words: options.words,
    engine: options.engine,
    settings,
    algorithm: null,
    ranks,
    hosts,
    ...(groups === undefined ? {} : { groups }),
    ...(launcher === undefined ? {} : { launcher }),
    inProcess: options.inProcess,
    ...(options.priority === 'high' ? { priority: options.priority } : {}),
    ...(options.cpuQuota === 'leave' ? { cpuQuota: options.cpuQuota } : {}),
    transports,
    dtypes: options.dtype,
    ops: options.op,
    roots: options.root,
    inPlace: options.inPlace,
    sizes: sizeRule(options),
  };
  const counts: RankCounts = {
    ...{ ranks, transports: transports.length, hosts: hosts.length, hasGroups: groups !== undefined },
    sizes: minSizesPerRange(workload.points(input).points),
  };
  return makePlan({
    ...input,
    metricsIntervalUs: options.sampleInterval,
    metricsSources,
    slowdown: slowdown(),
    preparingS,
    sampling: samplingOf(options, counts, options.seed ?? randomInt(2 ** 32)),
  });
}

// Selects the series of a run: every transport with every algorithm or protocol choice that the ranks support.
/**
 * Returns the choices (algorithm, protocol and so on) that all groups can use, without groups those that all ranks can use.
 * `leftOut` has the others, each with its reason.
 * @param command name of the command, for the refusal
 * @param choices requested choices
 * @param ranks number of ranks of the run
 * @throws Refusal if no choice is left
 */
function requirePossibleChoices(
  command: string,
  { engine }: Pick<MeasureOptions, 'engine'>,
  choices: readonly SeriesChoice[],
  groups: GroupsPlan | undefined,
  ranks: number,
): ReturnType<typeof amongRanks> {
  const possible = amongRanks(choices, groups?.members.map((one) => one.ranks.length) ?? [ranks]);
  if (possible.choices.length === 0) {
    const leftOut = rejectionTexts(possible.leftOut);
    throw refuse('engine-has-no-series', { engine, collective: command, leftOut });
  }
  return possible;
}

/**
 * Returns one series (a curve of the result) for every combination of transport and choice (algorithm, protocol and so on),
 * transport by transport. The descriptions of transports come from the probe of the first host. Combinations that a choice
 * excludes are left out. Empty if no host was probed.
 * @param hostCount number of hosts that have ranks
 */
function seriesPlans(
  engine: Engine,
  { names, hosts }: ProbedHosts,
  choices: readonly SeriesChoice[],
  options: MeasureOptions,
  hostCount: number,
): TransportPlan[] {
  return (hosts[0]?.result.probed ?? []).flatMap((capability, i) => {
    const name = names[i] ?? capability.name;
    const given = transportOptions(name, options);
    const network = engine.networkOf(name, capability);
    const isBound = given.interface !== undefined;
    return choices
      .filter(({ isOver = () => true }) => isOver(name))
      .map(
        ({ fixed, settings }): TransportPlan => ({
          name: seriesNameText({ transport: name, ...fixed }),
          medium: capability.medium,
          detail: detailOver(engine, hostCount, isBound, capability),
          options: given,
          ...(settings === undefined ? {} : { settings }),
          ...(network === undefined ? {} : { network }),
        }),
      );
  });
}
