import { isCollective } from '../../../results/schema/index.ts';
import type { MeasuredCommand } from '../../workloads/index.ts';
import { algorithmsFor, type SeriesSelection, seriesAmong } from '../named-series.ts';
import type { SeriesChoice } from '../series-choice.ts';
import {
  cpuAlgorithmNames,
  cpuAlgorithmOptions,
  cpuAlgorithms,
  forPowersOfTwo,
  maxOneHopRanks,
} from './algorithms.ts';
import { withChannels } from './channels.ts';
import { protocolsAmong, withProtocol } from './protocols.ts';

function reasonAgainst({ name: command, workload }: MeasuredCommand, word: string): string | null {
  if (word === 'auto') return null;
  if (!isCollective(command)) {
    // A workload made of several collectives uses the algorithm for each collective that has it.
    if (!workload.needs.includes('collectives')) return `${command} has no algorithm to choose`;
    return cpuAlgorithmNames.includes(word) ? null : `${command} has only ${cpuAlgorithmNames.join(', ')}`;
  }
  const known = algorithmsFor(cpuAlgorithms, command);
  return known.includes(word) ? null : `${command} has only ${known.join(', ')}`;
}

const powersOnly = (command: string, name: string) => (ranks: number) =>
  Number.isInteger(Math.log2(ranks))
    ? null
    : { name, reason: `${command} takes it with a power of two ranks only, not ${ranks}` };

const oneHopOnly = (command: string, word: string) => (ranks: number) => {
  if (ranks <= maxOneHopRanks) return null;
  const limit = `up to ${maxOneHopRanks} ranks, not ${ranks}`;
  return word === 'auto'
    ? { name: command, reason: `it goes in one hop, by ${limit}` }
    : { name: word, reason: `${command} in one hop takes ${limit}` };
};

/**
 * Adds a check (`refuses`) to the series that rejects numbers of ranks with which its algorithm does not work: no power of two, or
 * too many ranks to connect each to every other. A series that works with any number of ranks is returned unchanged.
 * @param command name of the command; only collectives have such limits
 */
function forRanks(command: string, choice: SeriesChoice): SeriesChoice {
  if (!isCollective(command)) return choice;
  const word = choice.settings?.algo ?? 'auto';
  if (forPowersOfTwo[word]?.includes(command)) return { ...choice, refuses: powersOnly(command, word) };
  const goesInOneHop = word === 'direct' || algorithmsFor(cpuAlgorithms, command).join() === 'direct';
  return goesInOneHop && command !== 'sendrecv' ? { ...choice, refuses: oneHopOnly(command, word) } : choice;
}

/**
 * Makes the series of the cpu engine: every combination of algorithm, protocol and number of channels that the command can use.
 * @param words names of the algorithms, as typed for --algo
 * @param protos protocol names, as typed for --proto
 * @param transports requested transports; protocol `ll` works only over some
 * @param channels numbers of threads per rank
 * @returns `leftOut` has the choices that the engine cannot measure, with the reasons
 */
export function seriesOf(
  command: MeasuredCommand,
  words: readonly string[],
  protos: readonly string[] = ['auto'],
  transports: readonly string[] = [],
  channels: readonly number[] = [1],
): SeriesSelection {
  const { series, leftOut } = seriesAmong(words, cpuAlgorithmOptions, (word) => reasonAgainst(command, word));
  const among = protocolsAmong(protos, transports);
  const { name, workload } = command;
  const isCollectives = workload.needs.includes('collectives');
  const protocols = among.protocols.filter((one) => one === 'auto' || isCollectives);
  const chosen = series.flatMap((choice) =>
    protocols.map((protocol) => withProtocol(forRanks(name, choice), protocol)),
  );
  const all = withChannels(chosen, name, channels);
  return {
    series: all.series,
    leftOut: [
      ...leftOut,
      ...all.leftOut,
      ...(isCollectives
        ? among.leftOut
        : protos
            .filter((word) => word !== 'auto')
            .map((word) => ({ name: word, reason: `${name} has no protocol to choose` }))),
    ],
  };
}
