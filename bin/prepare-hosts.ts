// Ranks on several machines: every host is asked what it can run, before anything starts anywhere.
import { bindingText, type Ground } from '../orchestration/hosts/binding.ts';
import { hostText } from '../orchestration/hosts/parse.ts';
import { placementText } from '../orchestration/hosts/placement.ts';
import type { ProbeRequest, ProbeResult } from '../orchestration/probe.ts';
import { foldNames } from '../results/fold.ts';
import type { CollectiveName, Inventory, RunPlan } from '../results/schema/index.ts';
import { bytesText } from '../results/units.ts';
import { rankBytes } from '../suites/sets.ts';
import { CommandError } from './exit.ts';
import {
  engineSettings,
  gpuNodesIn,
  gpusIn,
  requireGpuMemory,
  requireRanks,
  requireTypes,
  versionsIn,
} from './nccl-setting.ts';
import type { Nodes } from './nodes.ts';
import { cpuDefaults, type Options } from './options/index.ts';
import type { Setting } from './prepare.ts';
import { choicesOf, seriesPlans } from './prepare-nccl.ts';
import { requireRoots } from './read-options.ts';
import {
  detailOver,
  fullName,
  requireAvailable,
  requireInterface,
  transportOptions,
} from './transport-options.ts';

/** Transports that end at the machine. */
const within = ['p2p', 'shm', 'sisci'];

/** @throws CommandError something that was asked for cannot run on one of the hosts, which is named */
export async function prepareHosts(
  collective: CollectiveName,
  options: Options,
  nodes: Nodes,
): Promise<Setting> {
  const isNccl = options.engine === 'nccl';
  const names = (options.transport ?? cpuDefaults.transport).map(fullName);
  requireBetween(names, options, nodes);
  const { choices, leftOut } = isNccl ? choicesOf(collective, options) : { choices: [], leftOut: [] };
  const settings = isNccl ? engineSettings(options) : {};
  const results = await nodes.probe(
    names.map(
      (transport): ProbeRequest => ({
        ...(isNccl ? { engine: 'nccl', settings: { ...settings, ...choices[0]?.settings } } : {}),
        transport,
        options: transportOptions(transport, options),
      }),
    ),
  );
  for (const [i, result] of results.entries()) {
    const { name, iface } = nodes.hosts[i] as Nodes['hosts'][number];
    requireInterface(iface ?? options.interface, result.inventory, name);
    requireAvailable(result.probed, names, result.transports, name);
  }
  const gpus = results.map(({ probed }) => gpusIn(probed[0]?.facts ?? {}));
  const placed = nodes.place(isNccl ? gpus.map((there) => options.gpus?.length ?? there.length) : null);
  const ranks = placed.reduce((sum, host) => sum + host.ranks.length, 0);
  if (isNccl) requireOneNccl(nodes, results);
  const first = (results[0] as ProbeResult).probed;
  const facts = first[0]?.facts ?? {};
  const crew = { gpus: gpus.flat(), ranks };
  if (isNccl) {
    requireTypes(collective, options, crew, facts);
    if (options.groups === null) requireRanks(collective, ranks, options.ranks !== null);
  }
  requireRoots(collective, options, ranks);
  const bound = placed.map((host) => {
    const i = nodes.hosts.findIndex(({ name }) => name === host.name);
    const places = nodes.bind(host, isNccl ? (gpus[i]?.length ?? 0) : null, groundOf(results[i], options));
    if (options.gpus !== null && places?.some(({ gpu }) => gpu !== undefined)) {
      throw new CommandError('--gpus and the rank map both say which GPUs ranks take', [
        '  leave out one of them',
      ]);
    }
    return { ...host, places: places ?? undefined };
  });
  const at = new Map(nodes.hosts.map((host) => [host.name, hostText({ ...host, slots: null, iface: null })]));
  const inventories = Object.fromEntries(
    results.map(({ inventory }, i) => [nodes.hosts[i]?.name ?? inventory.hostname, inventory]),
  );
  return {
    inventory: (results[0] as ProbeResult).inventory,
    inventories,
    ranks,
    hosts: bound.map(({ name, ranks: mine, iface, places }) => ({
      name,
      ranks: mine,
      ...(at.get(name) === name ? {} : { at: at.get(name) as string }),
      ...(iface === null ? {} : { iface }),
      ...(places === undefined ? {} : { places }),
    })),
    ...(nodes.launcherText === undefined ? {} : { launcher: nodes.launcherText }),
    transports: isNccl
      ? seriesPlans(first, names, choices, options)
      : first.map(({ medium, detail }, i) => {
          const name = names[i] as string;
          const given = transportOptions(name, options);
          return { name, medium, detail: detailOver(placed.length, name, given, detail), options: given };
        }),
    settings,
    attest: isNccl && options.attest,
    versions: isNccl ? versionsIn(facts, crew.gpus) : {},
    notes: [...placementText(placed, nodes.hosts), ...bindingText(bound)],
    leftOut,
    requireMemory: (plan) => (isNccl ? requireGpuMemory(plan, crew) : requireHostMemory(plan, inventories)),
  };
}

/** What ranks of a host can be bound to; a rank without `--gpus` or a map takes the GPU of its place there. */
function groundOf(result: ProbeResult | undefined, options: Options): Ground {
  const nodes = gpuNodesIn(result?.probed[0]?.facts ?? {});
  return {
    cpus: result?.cpus,
    numa: result?.numa ?? [],
    gpuNodes: options.gpus === null ? nodes : options.gpus.map((gpu) => nodes[gpu] ?? -1),
  };
}

/** @throws CommandError a transport that cannot leave the machine */
function requireBetween(names: readonly string[], options: Options, { hosts }: Nodes): void {
  const stuck = names.find((name) => within.includes(name));
  if (hosts.length < 2 || stuck === undefined) return;
  if (stuck === 'sisci' && options.sisciLibrary !== null) return;
  const why =
    stuck === 'sisci'
      ? 'softntb joins processes of one machine; between machines it takes a Dolphin adapter and --sisci-library'
      : 'it joins GPUs of one machine';
  throw new CommandError(`--transport ${stuck} cannot join ${hosts.length} hosts: ${why}`, [
    `Next: --transport socket${options.engine === 'nccl' ? ', ib or a plugin' : ' or a plugin'}`,
  ]);
}

/** One run needs one NCCL: unlike versions end in a hang or in a riddle. */
function requireOneNccl({ hosts }: Nodes, results: readonly ProbeResult[]): void {
  const byVersion = new Map<string, string[]>();
  for (const [i, { probed }] of results.entries()) {
    const version = probed[0]?.facts?.['nccl.version'] ?? 'none';
    byVersion.set(version, [...(byVersion.get(version) ?? []), hosts[i]?.name ?? '']);
  }
  if (byVersion.size < 2) return;
  throw new CommandError('the hosts have different versions of NCCL', [
    ...[...byVersion].map(([version, names]) => `  ${version} on ${foldNames(names)}`),
    'Next: --nccl PATH, a place where all have the same',
  ]);
}

/** The buffers of a host's ranks at the largest point must fit there. */
function requireHostMemory(plan: RunPlan, inventories: Record<string, Inventory>): void {
  const perRank = plan.points.map((point) => rankBytes(plan, point)).reduce((a, b) => Math.max(a, b), 0);
  for (const { name, ranks } of plan.hosts) {
    const there = inventories[name]?.memoryBytes ?? Number.POSITIVE_INFINITY;
    const needs = perRank * ranks.length;
    if (needs <= there * 0.9) continue;
    throw new CommandError(
      `the largest size needs ${bytesText(needs)} for ${ranks.length} ranks on ${name}, which has ${bytesText(there)}`,
      ['  allowed: buffers of the ranks of a host within 90 % of its memory', 'Next: lower --max or --ranks'],
    );
  }
}
