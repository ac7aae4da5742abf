import { axisText } from '../axis-text.ts';
import { numbersOf } from '../fold.ts';
import {
  type CellRecord,
  dataOf,
  detailText,
  isFactOfOneLaunch,
  type LaunchRecord,
  type OkCell,
  type RunRecord,
  type SettingChange,
  type TransportPlan,
  versionedName,
  whatOf,
  xOf,
} from '../schema/index.ts';
import { bytesText } from '../units.ts';
import type { OkPair } from './load.ts';

type ComparableSettings = Map<string, string>;

/**
 * Returns the recorded settings that differ between two runs: versions, environment, hosts, options; and the configurations for
 * which the library chose another algorithm or protocol. A setting that a run does not record is null on its side.
 * @param pairs configurations that both runs measured; only their transports and algorithms are used
 */
export function changedSettings(
  base: RunRecord,
  other: RunRecord,
  pairs: readonly OkPair[],
): SettingChange[] {
  // A transport that only one of the runs has does not concern the compared figures.
  const transports = new Set(pairs.map((pair) => pair.base.transport));
  // Imported runs have no facts about their ranks, which is not listed as a difference.
  const hasRanks = base.launches.length > 0 && other.launches.length > 0;
  const kinds = [
    ['versions', (record: RunRecord) => versions(record, hasRanks ? transports : new Set())],
    ['environment', ({ environment }: RunRecord) => new Map(Object.entries(environment))],
    ['machine', machine],
    ['plan', (record: RunRecord) => plan(record, transports)],
  ] as const;
  const changed = kinds.flatMap(([about, read]) => [
    ...changes(about, read(base), read(other)),
    ...(about === 'machine' ? changedCpus(base, other) : []),
  ]);
  // The description of a transport repeats the transport's options.
  const options = (transport: string) =>
    [base, other].flatMap(({ plan }) =>
      plan.transports.flatMap((one) => (one.name === transport ? [...transportSettings(one).keys()] : [])),
    );
  const isRepeated = ({ about, name }: SettingChange) =>
    about === 'plan' && changed.some((one) => one.about === 'plan' && options(name).includes(one.name));
  return [...changed.filter((setting) => !isRepeated(setting)), ...choices(pairs)];
}

function changes(
  about: SettingChange['about'],
  base: ComparableSettings,
  other: ComparableSettings,
): SettingChange[] {
  const names = [...new Set([...base.keys(), ...other.keys()])].sort();
  return names.flatMap((name) => {
    const [from, to] = [base.get(name) ?? null, other.get(name) ?? null];
    return from === to ? [] : [{ about, name, base: from, other: to }];
  });
}

/**
 * Returns software versions by name: those of the run, and those that its ranks reported (library versions, devices, variables that
 * the engine set).
 * @param transports names of transports whose launches are used; empty = leave out what ranks reported
 */
function versions(
  { versions: told, launches, plan: asked }: RunRecord,
  transports: ReadonlySet<string>,
): ComparableSettings {
  const found: ComparableSettings = new Map(Object.entries(told));
  const facts = new Map<string, Set<string>>();
  for (const launch of launches) {
    if (!transports.has(asked.transports[launch.transport]?.name ?? '')) continue;
    for (const [name, value] of factsOf(launch)) {
      facts.set(name, (facts.get(name) ?? new Set()).add(value));
    }
  }
  for (const [name, values] of facts) {
    if (!found.has(versionedName(name))) found.set(name, [...values].sort().join(', '));
  }
  return found;
}

const factsOf = ({ ranks }: LaunchRecord): [string, string][] =>
  ranks.flatMap(({ facts, device }) =>
    Object.entries({ ...facts, device }).filter(([name, value]) => !isFactOfOneLaunch(name) && value !== ''),
  );

/**
 * Returns only those launches in which ranks reported a fact that no earlier launch of the same transport has. A comparison of
 * settings with these launches gives the same result as with all launches.
 */
export function distinctLaunches(launches: readonly LaunchRecord[]): LaunchRecord[] {
  const told = new Set<string>();
  return launches.filter((launch) => {
    const before = told.size;
    for (const fact of factsOf(launch)) told.add(JSON.stringify([launch.transport, ...fact]));
    return told.size > before;
  });
}

/** Prefix of the names of settings that describe a network interface: "interface eth0", or "interface eth0 of node1". */
export const interfacePrefix = 'interface ';

/**
 * Returns the names of the run's hosts, and their operating system, CPU, memory and network interfaces, as text by name. A fact has
 * one entry if it is equal on all hosts, otherwise one per host.
 */
function machine({ inventory, plan: { hosts } }: RunRecord): ComparableSettings {
  const values = new Map<string, Map<string, string>>();
  for (const [host, told] of Object.entries(inventory)) {
    const { os, kernel, architecture, cpuModel, cpuCount, numaNodes, memoryBytes, virtualization } = told;
    const facts: Record<string, string> = {
      os,
      kernel,
      architecture,
      processor: cpuModel,
      processors: String(cpuCount),
      'NUMA nodes': String(numaNodes),
      memory: bytesText(memoryBytes),
      virtualization: virtualization ?? 'none',
    };
    for (const { name, state, mtu, speedMbps } of told.interfaces) {
      const speed = speedMbps === null ? '' : `, ${speedMbps} Mbit/s`;
      facts[`${interfacePrefix}${name}`] = `${state}, MTU ${mtu}${speed}`;
    }
    for (const [name, value] of Object.entries(facts)) {
      values.set(name, (values.get(name) ?? new Map()).set(host, value));
    }
  }
  const found: ComparableSettings = new Map([['hosts', hosts.map(({ name }) => name).join(', ')]]);
  for (const [name, byHost] of values) {
    const distinct = [...new Set(byHost.values())];
    if (distinct.length === 1) found.set(name, distinct[0] as string);
    else for (const [host, value] of byHost) found.set(`${name} of ${host}`, value);
  }
  return found;
}

/**
 * Returns, as a list of one, the difference if a rank may use another number of CPUs in the two runs. In a job or under taskset
 * this may be fewer CPUs than the machine has. Empty if the numbers are equal, or if a run does not record the CPUs.
 */
function changedCpus(base: RunRecord, other: RunRecord): SettingChange[] {
  const told = [base, other].map(({ launches }) => {
    const counts = launches.flatMap(({ ranks }) =>
      ranks.flatMap(({ cpus }) => (cpus === undefined || cpus === '' ? [] : [numbersOf(cpus).length])),
    );
    return [...new Set(counts)].sort((a, b) => a - b).join(', ');
  });
  const [from = '', to = ''] = told;
  if (from === '' || to === '' || from === to) return [];
  return [{ about: 'machine', name: 'CPUs of a rank', base: from, other: to }];
}

/**
 * Returns, as text by name, those options of the run that may differ between compared measurements: of sampling (launches, warm-up,
 * iterations, batch, check), algorithm, how ranks are started, and settings of engine and transports.
 * @param transports names of the transports whose settings are included
 */
function plan({ plan: asked }: RunRecord, transports: ReadonlySet<string>): ComparableSettings {
  const { launches, warmup, iterations, batch, check } = asked.sampling;
  const found: ComparableSettings = new Map(
    Object.entries({
      launches: String(launches),
      'warm-up': String(warmup),
      iterations: iterations === null ? 'chosen' : String(iterations),
      batch: batch === 0 ? 'chosen' : String(batch),
      check: String(check),
      algorithm: asked.algorithm ?? 'chosen',
      launcher: asked.launcher ?? 'local',
      ranks: asked.inProcess ? 'threads of one process' : 'processes',
      groups: asked.groups?.rule ?? 'none',
      priority: asked.priority ?? 'normal',
      'CPU quota': asked.cpuQuota ?? 'keep',
    }),
  );
  for (const [name, value] of Object.entries(asked.settings)) found.set(`setting ${name}`, value);
  for (const transport of asked.transports) {
    const { name, medium } = transport;
    const detail = detailText(transport.detail);
    if (!transports.has(name)) continue;
    found.set(name, medium === 'emulated' ? `emulated, ${detail}` : detail);
    for (const [option, value] of transportSettings(transport)) found.set(option, value);
  }
  return found;
}

/**
 * Returns the options and engine settings of a transport as texts. Each key is the name of the transport and that of the option:
 * "socket interface".
 */
const transportSettings = ({ name, options, settings = {} }: TransportPlan): ComparableSettings =>
  new Map(
    Object.entries({ ...options, ...settings }).map(([key, value]) => [`${name} ${key}`, String(value)]),
  );

const chosen = ({ choice: { algorithm, protocol } }: OkCell): string =>
  [algorithm, protocol ?? ''].filter((word) => word !== '').join('/');

/**
 * Returns the operations for which the library itself chose another algorithm or protocol in the second run. There is one entry per
 * operation, transport and change such as "ring/LL" to "tree/LL", with the message sizes concerned.
 */
function choices(pairs: readonly OkPair[]): SettingChange[] {
  const found = new Map<string, { row: SettingChange; cells: CellRecord[] }>();
  const nameOf = ({ workload, axes, transport }: CellRecord) =>
    `${whatOf(dataOf(workload), axes)} over ${transport}`;
  for (const { base, other } of pairs) {
    const [from, to] = [chosen(base), chosen(other)];
    // Imported runs may not record the library's choice, which is not listed as a difference.
    if (from === to || from === '' || to === '') continue;
    const key = JSON.stringify([nameOf(base), from, to]);
    const row = { about: 'engine' as const, name: nameOf(base), base: from, other: to };
    const entry = found.get(key) ?? { row, cells: [] };
    entry.cells.push(base);
    found.set(key, entry);
  }
  return [...found.values()].map(({ row, cells }) => ({
    ...row,
    name: [row.name, ...sizeTexts(cells)].join(', '),
  }));
}

/**
 * Returns the sizes of the cells as a list of one text: "8 B", "3 sizes from 8 B to 512 B"; empty if the workload has no x axis.
 * @param cells cells of one workload
 */
function sizeTexts(cells: readonly CellRecord[]): string[] {
  const found = cells.flatMap(({ workload, axes }) => xOf(dataOf(workload), axes) ?? []);
  const [{ axis } = { axis: null }] = found;
  if (axis === null) return [];
  const sorted = [...new Set(found.map(({ value }) => value))].sort((a, b) => a - b);
  const [first = 0] = sorted;
  if (sorted.length === 1) return [axisText(axis, first)];
  const ends = `${axisText(axis, first)} to ${axisText(axis, sorted.at(-1) ?? first)}`;
  return [`${sorted.length} ${axis.head ?? axis.name}s from ${ends}`];
}
