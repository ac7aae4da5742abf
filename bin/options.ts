import type { DtypeName, OpName } from '../results/schema/index.ts';
import { dtypeNames, opNames } from '../results/schema/plan.ts';
import { parseSize } from '../suites/sizes.ts';

/** What a measuring command understood; one field per row of `flags`. Sizes are bytes. */
export interface Options {
  min: number;
  max: number;
  factor: number;
  step: number | null;
  sizes: number[] | null;
  dtype: DtypeName[];
  op: OpName[];
  root: number[] | 'all';
  inPlace: boolean[];
  ranks: number;
  engine: 'cpu';
  transport: string[];
  algorithm: string | null;
  inProcess: boolean;
  interface: string | null;
  streams: number;
  sisciLibrary: string | null;
  link: string;
  fault: string | null;
  pathProof: boolean;
  /** Samples per launch, `null` = chosen. */
  iters: number | null;
  warmup: number;
  /** Operations per pipelined sample, 0 = chosen. */
  batch: number;
  launches: number;
  check: number;
  average: 'slowest';
  /** Seconds. */
  timeout: number;
  /** `null` = drawn and recorded. */
  seed: number | null;
  out: string | null;
  json: boolean;
  jsonFile: string | null;
  planOnly: boolean;
  config: string | null;
}

export type OptionKey = keyof Options;
export const groups = ['Sizes', 'What is measured', 'Where it runs', 'How it is measured', 'Output'] as const;

/** A value that cannot be understood: `why` completes "--min 7: ...". */
export class ValueError extends Error {}

/** One flag. Command line, config file, help, completion and docs/options.md all come from this table. */
export interface Flag<T> {
  name: string;
  /** Letter of nccl-tests, with its meaning there. */
  short?: string;
  group: (typeof groups)[number];
  /** Stands for the value in help; absent where the flag is a switch. */
  value?: string;
  /** Used when neither the command line nor the config file says anything. */
  fallback: T;
  /** The default as help shows it. */
  shown: string;
  /** What is allowed, for help and for the error. */
  allowed: string;
  help: string;
  /** A use worth copying, without `collbench allreduce`. */
  example: string;
  /** @throws {ValueError} */
  parse(text: string): T;
  /** Other reading of the value where nccl-tests means something else by its letter. */
  parseShort?(text: string): T;
  /** Words offered by completion. */
  words?: readonly string[];
}

type Flags = { readonly [K in OptionKey]: Flag<Options[K]> };

/** Names that nccl-tests and frameworks use for the same types. */
export const dtypeSynonyms: Record<string, DtypeName> = {
  char: 'int8',
  int: 'int32',
  half: 'float16',
  fp16: 'float16',
  float: 'float32',
  fp32: 'float32',
  double: 'float64',
  fp64: 'float64',
  bf16: 'bfloat16',
};

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

const unique = <T>(items: T[]): T[] => [...new Set(items)];

function size(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new ValueError('not a size');
  return bytes;
}

function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
      throw new ValueError('not a whole number');
    if (value < least) throw new ValueError(`less than ${least}`);
    if (value > most) throw new ValueError(`more than ${most}`);
    return value;
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new ValueError('not a number');
  if (value <= 0) throw new ValueError('not above 0');
  return value;
}

function listOf<T extends string>(
  known: readonly T[],
  synonyms: Record<string, T> = {},
): (text: string) => T[] {
  return (text) => {
    const items = words(text).map((word) => word.toLowerCase());
    if (items.length === 0) throw new ValueError('empty');
    if (items.includes('all')) return [...known];
    return unique(
      items.map((word) => {
        const found = known.find((name) => name === word) ?? synonyms[word];
        if (found === undefined) throw new ValueError(`${word} is none of them`);
        return found;
      }),
    );
  };
}

const text = (value: string): string => {
  if (value.trim() === '') throw new ValueError('empty');
  return value;
};

function switchValue(value: string): boolean {
  if (['', 'true', 'yes', '1'].includes(value)) return true;
  if (['false', 'no', '0'].includes(value)) return false;
  throw new ValueError('neither true nor false');
}

const sizeAllowed = 'bytes, or with a binary unit: 8, 1K, 64M, 1G';
/** Samples between two verified ones; first and last of a block are always verified. */
const defaultCheck = 16;
/** Twin: native/softntb/link_model.cc, kModels. */
export const linkModels = [
  'none',
  'pcie-gen1-x8',
  'pcie-gen3-x4',
  'pcie-gen3-x8',
  'pcie-gen3-x16',
  'pcie-gen4-x8',
  'pcie-gen4-x16',
];

export const flags: Flags = {
  min: {
    name: 'min',
    short: 'b',
    group: 'Sizes',
    value: 'SIZE',
    fallback: 8,
    shown: '8',
    allowed: sizeAllowed,
    help: 'Smallest message. Whole elements of the data type; 0 is a size too.',
    example: '--min 8 --max 1G',
    parse: size,
  },
  max: {
    name: 'max',
    short: 'e',
    group: 'Sizes',
    value: 'SIZE',
    fallback: 64 * 2 ** 20,
    shown: '64M',
    allowed: sizeAllowed,
    help: 'Largest message.',
    example: '--min 1K --max 256M',
    parse: size,
  },
  factor: {
    name: 'factor',
    short: 'f',
    group: 'Sizes',
    value: 'N',
    fallback: 2,
    shown: '2',
    allowed: 'a number above 1',
    help: 'Each size is the one before times N.',
    example: '--factor 4',
    parse: (value) => {
      const factor = positive(value);
      if (factor <= 1) throw new ValueError('sizes would never grow');
      return factor;
    },
  },
  step: {
    name: 'step',
    short: 'i',
    group: 'Sizes',
    value: 'SIZE',
    fallback: null,
    shown: 'none',
    allowed: `${sizeAllowed}; above 0`,
    help: 'Each size is the one before plus SIZE; instead of --factor.',
    example: '--min 1M --max 8M --step 1M',
    parse: (value) => {
      const step = size(value);
      if (step === 0) throw new ValueError('sizes would never grow');
      return step;
    },
  },
  sizes: {
    name: 'sizes',
    group: 'Sizes',
    value: 'LIST',
    fallback: null,
    shown: 'none',
    allowed: `a comma list of sizes (${sizeAllowed})`,
    help: 'Exactly these sizes; instead of --min, --max, --factor and --step.',
    example: '--sizes 8,1K,1000000',
    parse: (value) => {
      const items = words(value);
      if (items.length === 0) throw new ValueError('empty');
      return items.map((item) => {
        const bytes = parseSize(item);
        if (bytes === null) throw new ValueError(`${item} is no size`);
        return bytes;
      });
    },
  },
  dtype: {
    name: 'dtype',
    short: 'd',
    group: 'What is measured',
    value: 'LIST',
    fallback: ['float32'],
    shown: 'float32',
    allowed: `${dtypeNames.join(', ')}, or all (half, float, double as in nccl-tests)`,
    help: 'Data types.',
    example: '--dtype float16,bfloat16',
    parse: listOf(dtypeNames, dtypeSynonyms),
    words: [...dtypeNames, 'all'],
  },
  op: {
    name: 'op',
    short: 'o',
    group: 'What is measured',
    value: 'LIST',
    fallback: ['sum'],
    shown: 'sum',
    allowed: `${opNames.join(', ')}, or all`,
    help: 'Reductions; only for collectives that reduce.',
    example: '--op sum,max',
    parse: listOf(opNames),
    words: [...opNames, 'all'],
  },
  root: {
    name: 'root',
    short: 'r',
    group: 'What is measured',
    value: 'RANK',
    fallback: [0],
    shown: '0',
    allowed: 'a rank counted from 0, a comma list, or all (-1 as in nccl-tests)',
    help: 'Root of broadcast and reduce.',
    example: '--root all',
    parse: (value) => {
      if (['all', '-1'].includes(value.trim())) return 'all';
      const ranks = words(value).map(wholeNumber(0));
      if (ranks.length === 0) throw new ValueError('empty');
      return unique(ranks);
    },
    words: ['0', 'all'],
  },
  inPlace: {
    name: 'in-place',
    group: 'What is measured',
    value: 'WHICH',
    fallback: [false],
    shown: 'no',
    allowed: 'no, yes or both',
    help: 'Whether the result takes the place of the input.',
    example: '--in-place both',
    parse: (value) => {
      const choices: Record<string, boolean[]> = {
        no: [false],
        yes: [true],
        both: [false, true],
        false: [false],
        true: [true],
      };
      const choice = choices[value.trim().toLowerCase()];
      if (choice === undefined) throw new ValueError('none of them');
      return choice;
    },
    words: ['no', 'yes', 'both'],
  },
  ranks: {
    name: 'ranks',
    group: 'Where it runs',
    value: 'N',
    fallback: 2,
    shown: '2',
    allowed: 'a whole number from 1 to 256',
    help: 'Processes that take part, one per rank.',
    example: '--ranks 4',
    parse: wholeNumber(1, 256),
  },
  engine: {
    name: 'engine',
    group: 'Where it runs',
    value: 'NAME',
    fallback: 'cpu',
    shown: 'cpu',
    allowed: 'cpu',
    help: 'Whose collectives are measured. cpu: the embedded ones, in host memory.',
    example: '--engine cpu',
    parse: (value) => {
      if (value !== 'cpu') throw new ValueError('no such engine');
      return 'cpu';
    },
    words: ['cpu'],
  },
  transport: {
    name: 'transport',
    group: 'Where it runs',
    value: 'LIST',
    fallback: ['socket'],
    shown: 'socket',
    allowed: 'a comma list of socket, sisci, plugin:PATH (see: collbench transports)',
    help: 'Who moves the bytes. Several are measured in turns, so that drift hits all alike.',
    example: '--transport socket,sisci',
    parse: (value) => {
      const items = words(value);
      if (items.length === 0) throw new ValueError('empty');
      if (items.some((item) => item === 'plugin' || item === 'plugin:')) {
        throw new ValueError('plugin needs a path: plugin:/path/libnccl-net-x.so');
      }
      return unique(items);
    },
    words: ['socket', 'sisci', 'socket,sisci', 'plugin:'],
  },
  algorithm: {
    name: 'algorithm',
    group: 'Where it runs',
    value: 'NAME',
    fallback: null,
    shown: 'chosen by size',
    allowed: 'direct or ring',
    help: 'direct: every rank sends to all that need its data. ring: chunks travel around all ranks.',
    example: '--algorithm ring',
    parse: (value) => {
      if (!['direct', 'ring'].includes(value)) throw new ValueError('no such algorithm');
      return value;
    },
    words: ['direct', 'ring'],
  },
  inProcess: {
    name: 'in-process',
    group: 'Where it runs',
    fallback: false,
    shown: 'off',
    allowed: 'true or false',
    help: 'Ranks are threads of this process: quick to start, no isolation.',
    example: '--in-process',
    parse: switchValue,
  },
  interface: {
    name: 'interface',
    group: 'Where it runs',
    value: 'NAME',
    fallback: null,
    shown: 'lo',
    allowed: 'a network interface of this machine',
    help: 'socket: the interface that data connections are bound to.',
    example: '--interface eth1',
    parse: text,
  },
  streams: {
    name: 'streams',
    group: 'Where it runs',
    value: 'N',
    fallback: 0,
    shown: 'chosen',
    allowed: 'a whole number from 0 (chosen) to 16',
    help: 'socket: TCP connections between two ranks.',
    example: '--streams 2',
    parse: wholeNumber(0, 16),
  },
  sisciLibrary: {
    name: 'sisci-library',
    group: 'Where it runs',
    value: 'PATH',
    fallback: null,
    shown: 'libsisci.so where there is one, else softntb',
    allowed: 'path of a libsisci.so, or softntb',
    help: 'sisci: the library to open. Without a Dolphin card softntb stands in, and every row says EMULATED.',
    example: '--sisci-library /opt/DIS/lib64/libsisci.so',
    parse: text,
    words: ['softntb'],
  },
  link: {
    name: 'link',
    group: 'Where it runs',
    value: 'MODEL',
    fallback: 'none',
    shown: 'none (memory speed)',
    allowed: `${linkModels.join(', ')}, or custom:gbps=7.2,dma-start-us=9,pio-write-us=0.7,pio-read-us=1.8`,
    help: 'sisci on softntb: the link it behaves like.',
    example: '--transport sisci --link pcie-gen3-x8',
    parse: text,
    words: linkModels,
  },
  fault: {
    name: 'fault',
    group: 'Where it runs',
    value: 'LIST',
    fallback: null,
    shown: 'none',
    allowed: 'a comma list of softntb faults (native/softntb/README.md)',
    help: 'sisci on softntb: faults to put in, to see that they are caught.',
    example: '--transport sisci --fault no-iommu',
    parse: text,
    words: ['no-iommu', 'bit-flip', 'link-down'],
  },
  pathProof: {
    name: 'path-proof',
    group: 'Where it runs',
    fallback: true,
    shown: 'on',
    allowed: 'true or false; --no-path-proof switches it off',
    help: 'sisci: prove the DMA path with a pattern on connect. Off only to see that verification catches what it missed.',
    example: '--no-path-proof',
    parse: switchValue,
  },
  iters: {
    name: 'iters',
    short: 'n',
    group: 'How it is measured',
    value: 'N',
    fallback: null,
    shown: 'chosen from the time one operation takes',
    allowed: 'a whole number above 0',
    help: 'Exactly N isolated samples and N pipelined operations per launch.',
    example: '--iters 100 --warmup 10',
    parse: wholeNumber(1, 1_000_000),
  },
  warmup: {
    name: 'warmup',
    short: 'w',
    group: 'How it is measured',
    value: 'N',
    fallback: 5,
    shown: '5',
    allowed: 'a whole number, 0 or more',
    help: 'Untimed operations before each block; without --iters at most one where an operation takes over 50 ms.',
    example: '--warmup 20',
    parse: wholeNumber(0, 1_000_000),
  },
  batch: {
    name: 'batch',
    short: 'm',
    group: 'How it is measured',
    value: 'N',
    fallback: 0,
    shown: 'chosen, a sample of about 50 us',
    allowed: 'a whole number, 0 (chosen) or more',
    help: 'Operations back to back in one pipelined sample.',
    example: '--batch 16',
    parse: wholeNumber(0, 1_000_000),
  },
  launches: {
    name: 'launches',
    group: 'How it is measured',
    value: 'N',
    fallback: 3,
    shown: '3',
    allowed: 'a whole number from 1 to 100',
    help: 'Starts of all ranks. Only several give an interval that holds for the next start.',
    example: '--launches 8',
    parse: wholeNumber(1, 100),
  },
  check: {
    name: 'check',
    short: 'c',
    group: 'How it is measured',
    value: 'N',
    fallback: defaultCheck,
    shown: String(defaultCheck),
    allowed: '0 (off) or a whole number',
    help: 'Verify every N-th sample, always the first and the last of a block. As -c N: at least N verified samples.',
    example: '--check 1',
    parse: wholeNumber(0, 1_000_000),
    parseShort: (value) => {
      const samples = wholeNumber(0, 1_000_000)(value);
      if (samples === 0) return 0;
      return samples <= 2 ? defaultCheck : 1;
    },
  },
  average: {
    name: 'average',
    short: 'a',
    group: 'How it is measured',
    value: 'KIND',
    fallback: 'slowest',
    shown: 'slowest (3)',
    allowed: 'slowest, or 3 as in nccl-tests',
    help: 'Ranks to one figure: only the slowest rank tells when the operation is over. All ranks are kept in the samples.',
    example: '--average slowest',
    parse: (value) => {
      if (!['slowest', 'max', '3'].includes(value)) {
        throw new ValueError('an average over ranks hides the straggler and is not computed');
      }
      return 'slowest';
    },
    words: ['slowest'],
  },
  timeout: {
    name: 'timeout',
    short: 'T',
    group: 'How it is measured',
    value: 'SECONDS',
    fallback: 60,
    shown: '60',
    allowed: 'seconds above 0',
    help: 'What one block or one start may take before it counts as a hang.',
    example: '--timeout 300',
    parse: positive,
  },
  seed: {
    name: 'seed',
    group: 'How it is measured',
    value: 'N',
    fallback: null,
    shown: 'drawn, and recorded',
    allowed: 'a whole number from 0 to 4294967295',
    help: 'Seed of the order of blocks and of the data.',
    example: '--seed 7',
    parse: wholeNumber(0, 2 ** 32 - 1),
  },
  out: {
    name: 'out',
    group: 'Output',
    value: 'DIR',
    fallback: null,
    shown: 'collbench-runs/<time>-<what>-<id>',
    allowed: 'a folder that does not exist yet or is empty',
    help: 'Folder of this run.',
    example: '--out results/monday',
    parse: text,
  },
  json: {
    name: 'json',
    group: 'Output',
    fallback: false,
    shown: 'off',
    allowed: 'true or false',
    help: 'One JSON object per cell and line on stdout, then one summary object; no table.',
    example: '--json',
    parse: switchValue,
  },
  jsonFile: {
    name: 'json-file',
    short: 'J',
    group: 'Output',
    value: 'FILE',
    fallback: null,
    shown: 'none',
    allowed: 'a file that can be written',
    help: 'The same JSON lines into a file, beside the table.',
    example: '--json-file cells.ndjson',
    parse: text,
  },
  planOnly: {
    name: 'plan-only',
    group: 'Output',
    fallback: false,
    shown: 'off',
    allowed: 'true or false',
    help: 'Print the plan as JSON and measure nothing.',
    example: '--plan-only',
    parse: switchValue,
  },
  config: {
    name: 'config',
    group: 'Output',
    value: 'FILE',
    fallback: null,
    shown: 'none',
    allowed: 'a YAML file whose keys are the long names of these options',
    help: 'Options from a file; the command line goes before it.',
    example: '--config nightly.yaml',
    parse: text,
  },
};

export const optionKeys = Object.keys(flags) as OptionKey[];
export const isSwitch = (key: OptionKey): boolean => flags[key].value === undefined;
export const keyOfName = (name: string): OptionKey | undefined =>
  optionKeys.find((key) => flags[key].name === name);
export const keyOfLetter = (letter: string): OptionKey | undefined =>
  optionKeys.find((key) => flags[key].short === letter);

export function defaults(): Options {
  return Object.fromEntries(optionKeys.map((key) => [key, flags[key].fallback])) as unknown as Options;
}
