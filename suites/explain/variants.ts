// Variants of a command whose times show where the time of an operation goes.

import type { LateRank } from '../../results/explain/late-rank.ts';
import type { RecordedLoad } from '../../results/explain/recorded-load.ts';
import type { Evidence, HostRails, KnownBound } from '../../results/schema/index.ts';
import { shellWord } from '../../results/text.ts';
import { optionName } from '../options/option.ts';
import type { HopFacts } from './hop-facts.ts';

/** Options of a command line by key, as typed: { transport: "socket" }. */
export type OptionTexts = Readonly<Record<string, string>>;

/**
 * Rule by which samples of a run count, with its text. `without-retransmits`: not those during which a TCP segment was sent again.
 * `common-start`: for the time back to back, those of operations that all ranks start at one instant.
 */
const filterTexts = {
  'without-retransmits': 'samples without a retransmit',
  'common-start': 'a common start of all ranks',
} as const;
export type SampleFilter = keyof typeof filterTexts;

/** A command that is measured and compared with the explained command. */
export interface Variant {
  /** Id of the cause that the variant removes, such as `algorithm`, or of the measurement that it makes. */
  cause: string;
  /** The change in words: "algorithm direct". */
  title: string;
  /** Measuring command. */
  command: string;
  options: OptionTexts;
  /** Environment variables of this process that the ranks do not get. */
  unset: readonly string[];
  payloadBytes: number;
  /** Number of such operations that the explained operation consists of; 1/64 = such an operation consists of 64 explained ones. */
  times: number;
  /** Samples of its runs that count; absent = all. */
  filter?: SampleFilter | undefined;
}

/** A host of the explained run. */
export interface ExplainedHost {
  name: string;
  /** Number of its ranks. */
  ranks: number;
  /** The host as a text for `--hosts`, without its number of slots. */
  text: string;
}

/** The operation that is explained: one size over one transport. */
export interface ExplainedOperation extends RecordedLoad {
  /** Measuring command, such as `allreduce`. */
  command: string;
  ranks: number;
  /** Hosts of the ranks, in the order of the run; absent if no hosts were named. */
  hosts?: readonly ExplainedHost[];
  /** Results of measuring each pair of hosts alone; absent if this was not tried. */
  hops?: HopFacts | { reason: string };
  /** Whether byte counters show that the explained run used the transport; absent = they were not read. */
  evidence?: Evidence;
  /** Bounds of its time that are known without an experiment; absent = none is. */
  bounds?: readonly KnownBound[];
  /** Rails of each host that has several, with the bytes that each carried in the explained run; absent = none has. */
  rails?: readonly HostRails[];
  /** Name of the series in the plan: "socket@ring". */
  series: string;
  transport: string;
  medium: string;
  payloadBytes: number;
  /** Options as the user typed them, without sizes, samples and outputs. */
  options: OptionTexts;
  /** Algorithm that the engine chose; "" if it has none. */
  algorithm: string;
  /** The rank that starts last back to back; null or absent = none does more often than by chance. */
  lateRank?: LateRank | null;
  /** Environment variables that the run had and this process has, too, with the same values. */
  environment: Readonly<Record<string, string>>;
}

/** The explained command itself. */
export const baseVariant = (operation: ExplainedOperation): Variant => ({
  ...{ cause: 'base', title: 'as measured', command: operation.command, times: 1, unset: [] },
  options: { ...operation.options, transport: operation.transport },
  payloadBytes: operation.payloadBytes,
});

/** A change of the command, or another experiment, that takes a cause away. */
export interface Intervention {
  /** The change in words: "algorithm direct". */
  title: string;
  change: OptionChange;
  /** Samples that remain without the cause, where no change of the command takes it away; absent = all. */
  filter?: SampleFilter;
  /** Environment variables of this process that the ranks do not get; absent = none. */
  unset?: readonly string[];
}

/** Returns a variant with an intervention on top of those of `from`. A null value removes an option. */
export function changedVariant(
  from: Variant,
  cause: string,
  { title, change, filter, unset = [] }: Intervention,
): Variant {
  const options = Object.fromEntries(
    Object.entries({ ...from.options, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  );
  return {
    ...{ ...from, cause, title, options, unset: [...from.unset, ...unset] },
    // Samples cannot be chosen by two rules.
    filter: from.filter ?? filter,
  };
}
export type OptionChange = Readonly<Record<string, string | null>>;

/** Names of a part of an operation's time. */
export interface PartNames {
  id: string;
  title: string;
}

/** Commands that measure only the work that no implementation of an operation can avoid. */
export interface NeededWork {
  /** The part that the first measurement lacks by its definition, beside the operation; null = that part is not explained. */
  rest: PartNames | null;
  /** From the most to the least work; each contains the work of those after it. The last one is the bound; empty = none is known. */
  variants: readonly Variant[];
}

/**
 * Returns the commands to measure for the time that an operation cannot avoid: for an allreduce its dependent steps, then all
 * ranks sending at once, then two ranks alone.
 * @param from the explained command after all interventions against avoidable lost time
 * @param algorithm algorithm that the engine chose for it; "" = none
 */
export type NeededWorkOf = (operation: ExplainedOperation, from: Variant, algorithm: string) => NeededWork;

/** Options that also hold for messages between two ranks, and belong to the network or its emulation. */
export const networkOptions = [
  'medium',
  'interface',
  'streams',
  'socketBuffer',
  'link',
  'sisciLibrary',
  'ibgdaQueue',
  'fault',
];
/** Options that also hold for messages between two ranks, over whatever transport. */
export const hostOptions = [
  'bind',
  'priority',
  'cpuQuota',
  'engine',
  'nccl',
  'gpus',
  'shareGpu',
  'cache',
  'graph',
  'register',
];
/** Options that say how hosts are reached, as opposed to those that choose hosts and place ranks on them. */
const accessOptions = ['launcher', 'rsh', 'sshConfig', 'knownHosts', 'identity', 'remoteDir', 'agent'];
export const placementOptions = ['hosts', 'hostfile', 'ranksPerNode', 'map'];
/** All options that also hold for messages between two ranks. */
export const hopOptions = ['transport', ...accessOptions, ...networkOptions, ...hostOptions];

/** Text for `--hosts` that places ranks on these hosts, in this order. */
export const hostsText = (hosts: readonly ExplainedHost[]): string =>
  hosts.map(({ text, ranks }) => `${text}:slots=${ranks}`).join(',');

/** The change of a command that places its ranks on these hosts, in this order. */
export const placeOn = (hosts: readonly ExplainedHost[]): OptionChange => ({
  ...Object.fromEntries(placementOptions.map((key) => [key, null])),
  ...{ ranks: null, hosts: hostsText(hosts) },
});

export const only = (options: OptionTexts, keys: readonly string[]): OptionTexts =>
  Object.fromEntries(Object.entries(options).filter(([key]) => keys.includes(key)));

/** Options of a variant as words of a command line. */
export const wordsOf = (options: OptionTexts): string[] =>
  Object.entries(options).map(([key, text]) => `--${optionName(key)}=${text}`);

/** The options that a variant changes in `from`, by name; null = removed. */
export const changesOf = (from: Variant, { options }: Variant): OptionChange =>
  Object.fromEntries([
    ...Object.entries(options)
      .filter(([key, text]) => from.options[key] !== text)
      .map(([key, text]) => [optionName(key), text]),
    ...Object.keys(from.options)
      .filter((key) => !(key in options))
      .map((key) => [optionName(key), null]),
  ]);

/** The changes of a variant in `from`: options as a user types them, samples that it leaves out, variables. */
export const changeText = (from: Variant, variant: Variant): string =>
  [
    ...Object.entries(changesOf(from, variant)).map(([name, text]) =>
      text === null ? `without --${name}` : `--${name} ${shellWord(text)}`,
    ),
    ...(variant.filter === from.filter || variant.filter === undefined ? [] : [filterTexts[variant.filter]]),
    ...unsetBy(from, variant).map((name) => `unset ${name}`),
  ].join(' ');

/** Environment variables that a variant removes and `from` does not. */
export const unsetBy = (from: Variant, { unset }: Variant): string[] =>
  unset.filter((name) => !from.unset.includes(name));
