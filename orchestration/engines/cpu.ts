import { tuningSettings } from '../../results/schema/index.ts';
import { usualTuning, usualTuningFile } from '../../results/store/tuning.ts';
import { sizeText } from '../../results/units.ts';
import { hostMemoryShortage } from '../../suites/engines/cpu/memory.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { transportOptions } from '../../suites/transports/index.ts';
import type { Engine } from './engine.ts';

const planning = planningEngines.cpu;

/** The cpu engine, which is part of collbench: collectives in host memory, over collbench's own transports. */
export const cpu: Engine = {
  name: 'cpu',
  engineHosts: (_, options, hosts) => ({
    offered: null,
    ranksHere: () => options.ranks ?? planning.usual.ranks,
    require: () => undefined,
    memoryShortage: (plan) =>
      hostMemoryShortage(
        plan,
        new Map(
          hosts.map(({ name, result: { inventory, memoryLimitBytes } }) => [
            name,
            Math.min(inventory.memoryBytes, memoryLimitBytes ?? Number.POSITIVE_INFINITY),
          ]),
        ),
      ),
  }),
  devicesIn: () => null,
  deviceNodes: () => [],
  alternatives: async ({ transports }) => transports,
  networkOf: () => undefined,
  opensSockets: () => true,
  versions: async () => ({}),
  settingsHere({ tuning }) {
    const table = tuning === null ? usualTuning() : null;
    return table === null ? {} : tuningSettings(table);
  },
  headLines(_, { ranks, inProcess, tuning }, settings) {
    const as = inProcess ? 'threads of this process' : 'processes';
    return [
      `engine cpu: collectives of collbench itself in host memory, ${ranks ?? planning.usual.ranks} ranks as ${as}`,
      '  no variable is set, no vendor library is loaded',
      ...tuningLines(settings.tuning, tuning),
    ];
  },
  settingLines: (transport, { facts = {} }, options, command, { settings = {} }) => [
    ...choiceLines(facts[`algorithms.${command}`], options.ranks ?? planning.usual.ranks ?? 2, settings),
    ...(settings.channels === undefined
      ? []
      : [
          `  channels: up to ${settings.channels}, with parts of 64 KiB at least; each part takes the algorithm of its size`,
        ]),
    ...Object.entries(transportOptions(transport, options)).map(
      ([word, value]) => `  ${word} = ${value === '' ? '(none)' : value}`,
    ),
  ],
  listing: async ({ transports }) => ({ headline: 'host memory', transports, sharesReasons: false }),
};

/**
 * Returns a line for `--explain` with the algorithm that the engine chooses for each message size: "algorithm, 2 ranks:
 * recursive-doubling up to 64 KiB, ring above". Rules of tuning tables are included. Choices of the
 * next smaller number of ranks are used if none are known for `ranks`. The list is empty if the user fixed the algorithm, or no
 * such choice is known.
 * @param words the engine's choices as text for several numbers of ranks, separated by ";"; undefined for commands that are no
 * collective
 * @param fixed settings of the series: with `algo` there is no choice, with `proto` the protocol is not printed
 */
export function choiceLines(
  words: string | undefined,
  ranks: number,
  { algo, proto }: { algo?: string; proto?: string },
): string[] {
  if (words === undefined || algo !== undefined) return [];
  const own = wordsFor(words.split(';'), ranks);
  if (own === undefined) return [];
  const ends = own
    .slice(own.indexOf(':') + 1)
    .split(',')
    .map((choice) => {
      const [end = '', ...names] = choice.split('/');
      return { end, name: (proto === undefined ? names : names.slice(0, 1)).join('/') };
    });
  const choices = ends
    // Without protocols the same algorithm may occur twice in a row; only the last has its upper size.
    .filter(({ name }, i) => name !== ends[i + 1]?.name)
    .map(({ end, name }, i) => {
      if (end !== '') return `${name} up to ${sizeText(Number(end))}`;
      return i === 0 ? name : `${name} above`;
    });
  return [`  algorithm, ${ranks} ranks: ${choices.join(', ')}`];
}

const isPowerOfTwo = (ranks: number) => Number.isInteger(Math.log2(ranks));

/**
 * Returns the engine's choices of algorithms for a number of ranks, as text. If there are none for this number, those
 * for the next smaller number of the same kind (powers of two, or other numbers). Undefined if there are none at all.
 * @param all choices in ascending order of ranks; each text begins with its number of ranks
 */
function wordsFor(all: readonly string[], ranks: number): string | undefined {
  return all.findLast((one) => {
    const named = Number.parseInt(one, 10);
    return named === ranks || (named < ranks && isPowerOfTwo(named) === isPowerOfTwo(ranks));
  });
}

/**
 * Returns lines for `--explain` that say where the choice of algorithms comes from, with the rules of the tuning table in use.
 * @param words rules of the table, separated by commas; undefined = no table
 * @param requested value of --tuning; null = the table of this machine, which is used without the option
 */
function tuningLines(words: string | undefined, requested: string | null): string[] {
  if (words === undefined) return ['  algorithms: the built-in choice for each size'];
  return [
    `  algorithms: the built-in choice, except where ${requested === null ? usualTuningFile() : '--tuning'} says otherwise:`,
    ...words.split(',').map((rule) => {
      const [transport, collective, ranks = '', bytes = '', ...algorithm] = rule.split('/');
      const [least = '', most = ''] = ranks.split('-');
      const sizes = bytes.split('-').map((size) => sizeText(Number(size)));
      return `    ${transport} ${collective}, ${least === most ? least : `${least} to ${most}`} ranks, ${[...new Set(sizes)].join(' to ')}: ${algorithm.join('/')}`;
    }),
  ];
}
