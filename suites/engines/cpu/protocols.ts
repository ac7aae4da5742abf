import { transportRow, transports } from '../../../results/schema/index.ts';
import type { SeriesChoice } from '../series-choice.ts';

/** By the word of the command line (native/engines/cpu/tuning.h); `auto` is chosen by size. */
export const cpuProtocolOptions = ['auto', 'simple', 'll'] as const;
type CpuProtocol = (typeof cpuProtocolOptions)[number];

const hasFlags = (transport: string): boolean => transportRow(transport)?.hasFlags === true;
const withFlags = transports.filter((row) => row.isOwn && row.hasFlags).map(({ name }) => name);

const isOwn = (word: string): word is CpuProtocol => cpuProtocolOptions.some((own) => own === word);

/**
 * Protocols that engine cpu has over some of the transports.
 * @param asked words of any engine, in any case; all of them: "all" was said, and those of others are not meant
 * @returns `leftOut` with the reason of each
 */
export function protocolsAmong(
  asked: readonly string[],
  overTransports: readonly string[],
): { protocols: CpuProtocol[]; leftOut: string[] } {
  const words = asked.map((word) => word.toLowerCase());
  const isAll = cpuProtocolOptions.every((own) => words.includes(own));
  const foreign = words.filter((word) => !isOwn(word) && !isAll);
  const own = words.filter(isOwn);
  const without = own.includes('ll') ? overTransports.filter((name) => !hasFlags(name)) : [];
  return {
    protocols: own.filter((word) => word !== 'll' || without.length < overTransports.length),
    leftOut: [
      ...foreign.map((word) => `${word}: engine cpu has only ${cpuProtocolOptions.join(', ')}`),
      ...without.map(
        (name) =>
          `ll over ${name}: flags in the data need memory that senders store into, as --transport ${withFlags.join(' or ')} has it`,
      ),
    ],
  };
}

/** The same choice with a protocol: "@ring" and ll are "@ring/ll". */
export function withProtocol(choice: SeriesChoice, protocol: CpuProtocol): SeriesChoice {
  if (protocol === 'auto') return choice;
  const { suffix, settings } = choice;
  return {
    ...choice,
    suffix: suffix === '' ? `@${protocol}` : `${suffix}/${protocol}`,
    settings: { ...settings, proto: protocol },
    ...(protocol === 'll' ? { isOver: hasFlags } : {}),
  };
}
