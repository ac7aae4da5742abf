import { transportRow, transports } from '../../../results/schema/index.ts';
import type { RejectedChoice, SeriesChoice } from '../series-choice.ts';

/**
 * Values of --proto for the cpu engine; with `auto` the engine chooses by message size. With `ll` the data contain flags that show
 * the receiver when they have arrived.
 */
export const cpuProtocolOptions = ['auto', 'simple', 'll'] as const;
type CpuProtocol = (typeof cpuProtocolOptions)[number];

const hasFlags = (transport: string): boolean => transportRow(transport)?.hasFlags === true;
const withFlags = transports.filter((row) => row.isOwn && row.hasFlags).map(({ name }) => name);

const isOwn = (word: string): word is CpuProtocol => cpuProtocolOptions.some((own) => own === word);

/**
 * Returns the requested protocols that the cpu engine supports over at least one of these transports, or over any if none is named.
 * @param requested protocol names of any engine, in upper or lower case. If all names of this engine are among them, the user typed
 * "all", and names of other engines are ignored.
 * @param overTransports names of the requested transports; if there are none, `ll` is left out without a reason
 * @returns `leftOut` has the names that are no protocol of this engine, and each transport over which `ll` does not work ("ll over
 * socket"), with the reasons
 */
export function protocolsAmong(
  requested: readonly string[],
  overTransports: readonly string[],
): { protocols: CpuProtocol[]; leftOut: RejectedChoice[] } {
  const words = requested.map((word) => word.toLowerCase());
  const isAll = cpuProtocolOptions.every((own) => words.includes(own));
  const foreign = words.filter((word) => !isOwn(word) && !isAll);
  const own = words.filter(isOwn);
  const without = own.includes('ll') ? overTransports.filter((name) => !hasFlags(name)) : [];
  return {
    protocols: own.filter(
      (word) => word !== 'll' || without.length === 0 || without.length < overTransports.length,
    ),
    leftOut: [
      ...foreign.map((name) => ({ name, reason: `engine cpu has only ${cpuProtocolOptions.join(', ')}` })),
      ...without.map((name) => ({
        name: `ll over ${name}`,
        reason: `flags in the data need memory that senders store into, as --transport ${withFlags.join(' or ')} has it`,
      })),
    ],
  };
}

/**
 * Adds a protocol to the series' name and settings: "@ring" with protocol ll becomes "@ring/ll". `auto` changes nothing. A series
 * with ll is measured only over transports whose memory allows flags in the data.
 */
export function withProtocol(choice: SeriesChoice, protocol: CpuProtocol): SeriesChoice {
  if (protocol === 'auto') return choice;
  const { fixed, settings } = choice;
  return {
    ...choice,
    fixed: { ...fixed, choice: [...fixed.choice, protocol] },
    settings: { ...settings, proto: protocol },
    ...(protocol === 'll' ? { isOver: hasFlags } : {}),
  };
}
