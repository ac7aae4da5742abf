// Variants of a command whose times show where the time of an operation goes.

import type { CollectiveName } from '../../results/schema/index.ts';
import { busFactor } from '../../results/schema/workloads/collective/formulas.ts';
import { shellWord } from '../../results/text.ts';
import { optionName } from '../options/option.ts';

/** Options of a command line by key, as typed: { transport: "socket" }. */
export type OptionTexts = Readonly<Record<string, string>>;

/** Rule by which samples of a run are left out. `without-retransmits`: those during which a TCP segment was sent again. */
export type SampleFilter = 'without-retransmits';

/** A command that is measured and compared with the explained command. */
export interface Variant {
  /** Id of the cause that the variant removes, such as `algorithm`, or of the measurement that it makes. */
  cause: string;
  /** The change in words: "algorithm direct". */
  title: string;
  /** Collective that is measured. */
  command: string;
  options: OptionTexts;
  /** Environment variables of this process that the ranks do not get. */
  unset: readonly string[];
  payloadBytes: number;
  /** Number of such operations that the explained operation consists of. */
  times: number;
  /** Samples of its runs that count; absent = all. */
  filter?: SampleFilter | undefined;
}

/** The operation that is explained: one size over one transport. */
export interface ExplainedOperation {
  collective: CollectiveName;
  ranks: number;
  /** Name of the series in the plan: "socket@ring". */
  series: string;
  transport: string;
  medium: string;
  payloadBytes: number;
  /** Options as the user typed them, without sizes, samples and outputs. */
  options: OptionTexts;
  /** Algorithm that the engine chose; "" if it has none. */
  algorithm: string;
  /** Number of CPUs that other processes used while the run measured it, a lower bound; null = not known. */
  competingCores: number | null;
  /** Share of time for which a quota kept ranks from running; null = there is none, or it is not known. */
  throttledShare: number | null;
  /** TCP segments that were sent again per operation; null = not known. */
  retransmitsPerOperation: number | null;
  /** Environment variables that the run had and this process has, too, with the same values. */
  environment: Readonly<Record<string, string>>;
}

/** Options that also hold for messages between two ranks. */
const hopOptions = [
  'transport',
  'medium',
  'interface',
  'streams',
  'socketBuffer',
  'link',
  'bind',
  'priority',
  'cpuQuota',
  'sisciLibrary',
  'ibgdaQueue',
  'fault',
  'engine',
  'nccl',
  'gpus',
  'shareGpu',
  'cache',
  'graph',
  'register',
];
/** Algorithms of allreduce that first reduce parts and then collect them, so that two allgathers move the same data. */
const twoPhases = ['ring', 'halving-doubling'];

/** The explained command itself. */
export const baseVariant = (operation: ExplainedOperation): Variant => ({
  ...{ cause: 'base', title: 'as measured', command: operation.collective, times: 1, unset: [] },
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
  { title, change, filter = from.filter, unset = [] }: Intervention,
): Variant {
  const options = Object.fromEntries(
    Object.entries({ ...from.options, ...change }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  );
  return { ...from, cause, title, options, filter, unset: [...from.unset, ...unset] };
}
export type OptionChange = Readonly<Record<string, string | null>>;

/** Bytes that each rank sends at least, in whole float32 elements: the bus factor times the payload. */
function hopBytes({ collective, ranks, payloadBytes }: ExplainedOperation): number {
  return Math.max(4, 4 * Math.round((busFactor(collective, ranks) * payloadBytes) / 4));
}

/**
 * Two ranks that exchange the bytes that each rank of the operation must send: no operation over this hop is faster.
 * @param from the explained command after all causes have been removed
 */
export const hopVariant = (operation: ExplainedOperation, from: Variant): Variant => ({
  ...{ cause: 'bound', title: 'two ranks alone', command: 'sendrecv', times: 1, unset: from.unset },
  options: { ...only(from.options, hopOptions), ranks: '2' },
  payloadBytes: hopBytes(operation),
  filter: from.filter,
});

/**
 * Measurements of work that the operation needs, from the least to the most work. Each contains the work of those before it,
 * and `hopVariant` is contained in the first.
 * @param from the explained command after all causes have been removed
 */
export function workVariants(operation: ExplainedOperation, from: Variant, algorithm: string): Variant[] {
  const { collective, ranks } = operation;
  const found: Variant[] = [];
  if (ranks > 2)
    found.push({
      ...{
        cause: 'all-at-once',
        title: 'all ranks send at once',
        command: 'sendrecv',
        times: 1,
        unset: from.unset,
      },
      options: { ...only(from.options, hopOptions), ranks: String(ranks) },
      payloadBytes: hopBytes(operation),
      filter: from.filter,
    });
  if (collective === 'allreduce' && twoPhases.includes(algorithm)) {
    const { op: _, algo, ...options } = from.options;
    const isShared = algo === undefined || algo === 'ring';
    found.push({
      ...{ cause: 'steps', title: `${2 * (ranks - 1)} dependent steps`, times: 2, unset: from.unset },
      ...{ command: 'allgather', payloadBytes: operation.payloadBytes, filter: from.filter },
      options: { ...options, ...(isShared && algorithm === 'ring' ? { algo: 'ring' } : {}) },
    });
  }
  return found;
}

const only = (options: OptionTexts, keys: readonly string[]): OptionTexts =>
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
    ...(variant.filter === from.filter ? [] : ['samples without a retransmit']),
    ...unsetBy(from, variant).map((name) => `unset ${name}`),
  ].join(' ');

/** Environment variables that a variant removes and `from` does not. */
export const unsetBy = (from: Variant, { unset }: Variant): string[] =>
  unset.filter((name) => !from.unset.includes(name));
