// Variants of a command. Their times show where the time of an operation goes.

import type { LateRank } from '../../results/explain/late-rank.ts';
import type { RecordedLoad } from '../../results/explain/recorded-load.ts';
import type { Evidence, HostRails, KnownBound } from '../../results/schema/index.ts';
import { shellWord } from '../../results/text.ts';
import { optionName } from '../options/option.ts';
import type { HopFacts } from './hop-facts.ts';

/** Options of a command line by key (name in camel case), with values as typed: { transport: "socket", sampleInterval: "off" }. */
export type OptionTexts = Readonly<Record<string, string>>;

/**
 * Text for each rule that selects samples. `without-timeouts`: only samples during which no timer of TCP sent a segment again,
 * which takes 8 to 200 ms; losses that the receiver reports are repaired within microseconds. `common-start`: operations that all
 * ranks start at one instant take the place of those back to back. `queued-before`: operations that were queued before the first of
 * them started on its GPU take their place.
 */
const filterTexts = {
  'without-timeouts': 'samples without a retransmit by timer',
  'common-start': 'a common start of all ranks',
  'queued-before': 'operations queued behind a kernel that waits',
} as const;
export type SampleFilter = keyof typeof filterTexts;

/** A command that `collbench explain` measures and compares with the explained command. */
export interface Variant {
  /**
   * Id of the cause that the variant removes, such as `algorithm`, or of the part of the time that it measures, such as `bound`.
   */
  cause: string;
  /** Title of the variant in texts: its change ("algorithm direct"), or the work that it measures ("two ranks alone"). */
  title: string;
  /** Measuring command, such as `allreduce`. */
  command: string;
  options: OptionTexts;
  /** Names of environment variables that are removed before the ranks start. */
  unset: readonly string[];
  payloadBytes: number;
  /**
   * Number of operations of the variant that correspond to one explained operation; the measured time of the variant is multiplied
   * by it. 1/64 = one operation of the variant corresponds to 64 explained operations.
   */
  times: number;
  /** Rule that selects which samples of the variant's runs are used; absent = all samples. */
  filter?: SampleFilter | undefined;
}

/** A host of the explained run, with its ranks. */
export interface ExplainedHost {
  name: string;
  /** Number of the run's ranks on this host. */
  ranks: number;
  /** The host as text for `--hosts`, without the number of slots. */
  text: string;
}

/** The operation that is explained: one message size over one transport. */
export interface ExplainedOperation extends RecordedLoad {
  /** Measuring command, such as `allreduce`. */
  command: string;
  ranks: number;
  /**
   * True if the engine has no operation in which each rank sends to one other rank (sendrecv). An alltoall between two ranks moves the
   * same bytes. Absent = it has one.
   */
  lacksSendrecv?: boolean;
  /** Hosts of the ranks, in the order of the run; absent or empty if the user named no hosts. */
  hosts?: readonly ExplainedHost[];
  /** Results of measuring each pair of hosts alone, or the reason why that failed; absent = not tried. */
  hops?: HopFacts | { reason: string };
  /**
   * Verdict on whether the explained run used its transport, by byte counters or by the log of the engine's library; absent = none
   * was recorded.
   */
  evidence?: Evidence;
  /** Lower bounds of the operation's time that are known without an experiment; absent = none. */
  bounds?: readonly KnownBound[];
  /**
   * Rails (parallel network interfaces) of each host that has several, with the bytes that each carried in the explained run;
   * absent = no host has several.
   */
  rails?: readonly HostRails[];
  /** Name of the series: that of the plan, "socket@ring", followed by the operation's title if the run measured several. */
  series: string;
  transport: string;
  medium: string;
  payloadBytes: number;
  /** Options as the user typed them, but of a list only the value of this series; without options about sizes, samples, outputs. */
  options: OptionTexts;
  /** Name of the algorithm that the engine chose; "" if the engine has no choice of algorithms. */
  algorithm: string;
  /**
   * How ranks of the explained run used the same GPU: in turns, or at the same time by CUDA's Multi-Process Service (MPS); absent =
   * each rank had a GPU.
   */
  sharesGpu?: 'turns' | 'mps';
  /**
   * Time in ns that the host needs to queue an operation on the GPU, and that of a typical operation there; absent = the engine
   * queues none, or it was not recorded.
   */
  queueing?: { hostNs: number; deviceNs: number };
  /** The rank that starts last in operations back to back more often than by chance; null or absent = there is none. */
  lateRank?: LateRank | null;
  /** Environment variables that have the same value in the run and in this process. */
  environment: Readonly<Record<string, string>>;
}

/** The explained command as a variant without changes, for the one message size and transport that are explained. */
export const baseVariant = (operation: ExplainedOperation): Variant => ({
  ...{ cause: 'base', title: 'as measured', command: operation.command, times: 1, unset: [] },
  options: { ...operation.options, transport: operation.transport },
  payloadBytes: operation.payloadBytes,
});

/** An experiment that removes a cause: a change of the command, a selection of samples, or the removal of environment variables. */
export interface Intervention {
  /** The change as text: "algorithm direct". */
  title: string;
  change: OptionChange;
  /** Rule that selects the samples without the cause, if no change of the command removes it; absent = all samples. */
  filter?: SampleFilter;
  /** Names of environment variables that are removed before the ranks start; absent = none. */
  unset?: readonly string[];
}

/**
 * Returns the variant `from` with one more intervention. A null value in its `change` removes the option. If `from` already has a
 * filter, the filter of the intervention is ignored.
 * @param cause id of the cause that the intervention removes
 */
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
    // Only one rule can select the samples of a variant.
    filter: from.filter ?? filter,
  };
}
export type OptionChange = Readonly<Record<string, string | null>>;

/** Names of a part of an operation's time: `id` in stored results ("request"), `title` in texts ("a request for each message"). */
export interface PartNames {
  id: string;
  title: string;
}

/** Commands that measure only the work that no implementation of the operation can avoid. */
export interface NeededWork {
  /**
   * Names of the part of the operation's time that the first measurement does not contain: the operation's time minus the time of
   * that measurement. Null = that part has no name.
   */
  rest: PartNames | null;
  /**
   * Measurements from the most to the least work; each one's work contains that of all later ones. The last one is the bound; empty
   * = the operation itself is the bound.
   */
  variants: readonly Variant[];
}

/**
 * Returns the commands that measure time which an operation cannot avoid. Example: for an allreduce its dependent steps, then all
 * ranks sending at once, then two ranks alone. For an operation that is itself the bound, `variants` is empty.
 * @param from the explained command after all interventions against avoidable lost time
 * @param algorithm algorithm that the engine chose for the operation; "" = none
 */
export type NeededWorkOf = (operation: ExplainedOperation, from: Variant, algorithm: string) => NeededWork;

/** Options that concern the network or its emulation, and also apply to messages between two ranks. */
const networkOptions = [
  'medium',
  'interface',
  'streams',
  'socketBuffer',
  'link',
  'sisciLibrary',
  'ibgdaQueue',
  'fault',
];
/** Options that also apply to messages between two ranks, over every transport. */
export const hostOptions = [
  'bind',
  'priority',
  'cpuQuota',
  'engine',
  'nccl',
  'nvshmem',
  'mpi',
  'gpus',
  'shareGpu',
  'cache',
  'graph',
  'register',
];
/** Options that say how hosts are reached. Options that choose hosts and place ranks on them are in `placementOptions`. */
const accessOptions = ['launcher', 'rsh', 'sshConfig', 'knownHosts', 'identity', 'remoteDir', 'agent'];
export const placementOptions = ['hosts', 'hostfile', 'ranksPerNode', 'map'];
/** All options that also apply to messages between two ranks. */
export const hopOptions = ['transport', ...accessOptions, ...networkOptions, ...hostOptions];

/** Text for `--hosts` that places the ranks on these hosts, in this order: "gpu01:slots=4,gpu02:slots=4". */
export const hostsText = (hosts: readonly ExplainedHost[]): string =>
  hosts.map(({ text, ranks }) => `${text}:slots=${ranks}`).join(',');

/**
 * The change of a command that places its ranks on these hosts, in this order. It removes --ranks and all other options about
 * placement.
 */
export const placeOn = (hosts: readonly ExplainedHost[]): OptionChange => ({
  ...Object.fromEntries(placementOptions.map((key) => [key, null])),
  ...{ ranks: null, hosts: hostsText(hosts) },
});

export const only = (options: OptionTexts, keys: readonly string[]): OptionTexts =>
  Object.fromEntries(Object.entries(options).filter(([key]) => keys.includes(key)));

/** Options of a variant as arguments of a program, one word each, not quoted for a shell: "--transport=socket". */
export const wordsOf = (options: OptionTexts): string[] =>
  Object.entries(options).map(([key, text]) => `--${optionName(key)}=${text}`);

/** The options in which a variant differs from `from`, by long name without dashes ("sample-interval"); null = removed. */
export const changesOf = (from: Variant, { options }: Variant): OptionChange =>
  Object.fromEntries([
    ...Object.entries(options)
      .filter(([key, text]) => from.options[key] !== text)
      .map(([key, text]) => [optionName(key), text]),
    ...Object.keys(from.options)
      .filter((key) => !(key in options))
      .map((key) => [optionName(key), null]),
  ]);

/**
 * Text for how a variant differs from the variant `from`, with blanks between: options as a user types them in a shell, the rule by
 * which the variant uses only some of its samples (such as those without a retransmit by timer), and environment variables that it
 * removes ("unset NAME"). "" if they are equal.
 */
export const changeText = (from: Variant, variant: Variant): string =>
  [
    ...Object.entries(changesOf(from, variant)).map(([name, text]) =>
      text === null ? `without --${name}` : `--${name} ${shellWord(text)}`,
    ),
    ...(variant.filter === from.filter || variant.filter === undefined ? [] : [filterTexts[variant.filter]]),
    ...unsetBy(from, variant).map((name) => `unset ${name}`),
  ].join(' ');

/** Names of environment variables that the variant removes and `from` does not remove. */
export const unsetBy = (from: Variant, { unset }: Variant): string[] =>
  unset.filter((name) => !from.unset.includes(name));
