import type { Inventory, RunPlan } from '../../results/schema/index.ts';
import { detailText } from '../../results/schema/index.ts';

/**
 * Environment of one start of a run: facts that can explain why results differ between two starts. `versions` (of libraries and
 * drivers) and `environment` (variables) are keyed by name.
 */
export interface RunEnvironment {
  versions: Record<string, string>;
  /** Hardware and software (inventory) by host name. */
  inventory: Record<string, Inventory>;
  environment: Record<string, string>;
  transports: Pick<RunPlan['transports'][number], 'name' | 'medium' | 'detail'>[];
}

/**
 * Names of programs whose version matters only to the controller. They are not compared, because the controller
 * measures nothing.
 */
const idleVersions = ['node'];
/** Pattern of environment variables that change no result, and are not compared. */
const idleVariables = /^COLLBENCH_(DEBUG|LOG|REQUIRE_ALL|TEST_\w+)$/;
const inventoryFields = [
  'os',
  'kernel',
  'architecture',
  'cpuModel',
  'cpuCount',
  'coreCount',
  'numaNodes',
  'memoryBytes',
  'virtualization',
] as const satisfies readonly (keyof Inventory)[];

/**
 * Returns sentences, without full stop, about what changed between two starts of a run; empty if nothing changed. Versions that
 * only the present start recorded are not compared, nor are transports that only one start has. Hosts that only one start has give
 * one sentence. An environment variable is compared if it was set at one of the two starts.
 */
export function differences(before: RunEnvironment, now: RunEnvironment): string[] {
  return [
    ...versionsApart(before.versions, now.versions),
    ...inventoriesApart(before.inventory, now.inventory),
    ...transportsApart(before.transports, now.transports),
    ...variablesApart(before.environment, now.environment),
  ];
}

const was = (what: string, before: unknown, now: unknown): string =>
  `${what} was ${before ?? 'not there'}, is ${now ?? 'not there'}`;

function versionsApart(before: Record<string, string>, now: Record<string, string>): string[] {
  return Object.entries(before).flatMap(([name, version]) =>
    idleVersions.includes(name) || version === now[name] ? [] : [was(name, version, now[name])],
  );
}

function inventoriesApart(before: Record<string, Inventory>, now: Record<string, Inventory>): string[] {
  const [then, today] = [before, now].map((hosts) => Object.keys(hosts).sort().join(', '));
  const hosts = then === today ? [] : [`the hosts were ${then}, are ${today}`];
  const fields = Object.entries(before).flatMap(([host, then]) => {
    const today = now[host];
    if (today === undefined) return [];
    return inventoryFields.flatMap((field) =>
      then[field] === today[field] ? [] : [was(`${field} of ${host}`, then[field], today[field])],
    );
  });
  return [...hosts, ...fields];
}

function transportsApart(before: RunEnvironment['transports'], now: RunEnvironment['transports']): string[] {
  return before.flatMap((then) => {
    const today = now.find(({ name }) => name === then.name);
    const text = (one: RunEnvironment['transports'][number]): string =>
      `${detailText(one.detail)} (${one.medium})`;
    if (today === undefined || text(then) === text(today)) return [];
    return [was(`transport ${then.name}`, text(then), text(today))];
  });
}

function variablesApart(before: Record<string, string>, now: Record<string, string>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const text = (value: string | undefined): string => (value === undefined ? 'not set' : `'${value}'`);
  return names.flatMap((name) =>
    idleVariables.test(name) || before[name] === now[name]
      ? []
      : [was(name, text(before[name]), text(now[name]))],
  );
}
