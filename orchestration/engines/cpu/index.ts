import { requireHostMemory } from '../../../suites/engines/cpu/memory.ts';
import { planningEngines } from '../../../suites/engines/index.ts';
import { transportOptions } from '../../../suites/transports/index.ts';
import type { Engine } from '../engine.ts';

const planning = planningEngines.cpu;

/** The embedded engine: host memory, transports of collbench's own. */
export const cpu: Engine = {
  name: 'cpu',
  party: (_, options, hosts) => ({
    offered: null,
    ranksHere: () => options.ranks ?? planning.usual.ranks,
    require: () => undefined,
    requireMemory: (plan) =>
      requireHostMemory(plan, new Map(hosts.map(({ name, result }) => [name, result.inventory.memoryBytes]))),
  }),
  devicesIn: () => null,
  deviceNodes: () => [],
  alternatives: async ({ transports }) => transports,
  networkOf: () => undefined,
  // Asked alone, a host would take lo; together, each takes its way to the others.
  detailOver: (hosts, transport, isBound, detail) =>
    transport === 'socket' && !isBound && hosts > 1 ? `TCP between ${hosts} hosts` : detail,
  versions: async () => ({}),
  headLines(_, { ranks, inProcess }) {
    const as = inProcess ? 'threads of this process' : 'processes';
    return [
      `engine cpu: collectives of collbench itself in host memory, ${ranks ?? planning.usual.ranks} ranks as ${as}`,
      '  no variable is set, no vendor library is loaded',
    ];
  },
  settingLines: (transport, _, options) =>
    Object.entries(transportOptions(transport, options)).map(
      ([word, value]) => `  ${word} = ${value === '' ? '(none)' : value}`,
    ),
  listing: async ({ transports }) => ({ headline: 'host memory', transports, sharesReasons: false }),
};
