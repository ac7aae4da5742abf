import type { Argv } from 'yargs';
import type { CollectiveName, DtypeName, OpName } from '../results/schema/index.ts';
import { sizeFlag } from '../results/units.ts';
import { collectives, collectivesOf, dtypeBytes, dtypesOf, opsOf } from '../suites/collectives.ts';
import { nearestSizes, type SizeRule } from '../suites/sizes.ts';
import { readConfig } from './config.ts';
import { CommandError } from './exit.ts';
import { requireGroupable } from './groups.ts';
import { coerce, type Said, saidIn, type Written, withOptions } from './measuring-options.ts';
import { hasNodes, requireNodes } from './node-options.ts';
import {
  cpuDefaults,
  defaults,
  engineOnly,
  flags,
  isSwitch,
  type OptionKey,
  type Options,
  optionKeys,
} from './options/index.ts';
import { parser } from './parser.ts';
import { requireOneSampling } from './sampling.ts';
import { requireGoesOver } from './transport-options.ts';

/** Ways to say the sizes, or the hosts, that exclude each other. */
const rivals: Partial<Record<OptionKey, OptionKey[]>> = {
  sizes: ['min', 'max', 'factor', 'step'],
  step: ['factor'],
  hosts: ['hostfile'],
};

/** Whether the two say the same in other words. */
export const isRival = (a: OptionKey, b: OptionKey) =>
  rivals[a]?.includes(b) === true || rivals[b]?.includes(a) === true;

function refuseRivals(written: readonly Written[]): void {
  for (const first of written) {
    const second = written.find((other) => isRival(first.key, other.key));
    if (second === undefined) continue;
    if (first.key === 'hosts' || first.key === 'hostfile') {
      throw new CommandError(`${first.where} and ${second.where} say the hosts twice`, [
        '  allowed: one of them',
      ]);
    }
    throw new CommandError(`${first.where} and ${second.where} say the sizes twice`, [
      '  allowed: --min and --max with --factor or --step, or --sizes alone',
    ]);
  }
}

/** Whole elements, in every data type asked for: rounding would measure another size than the one typed. */
function requireWholeElements(command: string, options: Options, said: Said): void {
  const widest = options.dtype.reduce((a, b) => (dtypeBytes[a] >= dtypeBytes[b] ? a : b));
  const width = dtypeBytes[widest];
  const typed: [OptionKey, number[]][] =
    options.sizes !== null
      ? [['sizes', options.sizes]]
      : [
          ['min', [options.min]],
          ['step', options.step === null ? [] : [options.step]],
        ];
  for (const [key, sizes] of typed) {
    const odd = sizes.find((bytes) => bytes % width !== 0);
    if (odd === undefined) continue;
    const where = said.get(key)?.where ?? `--${flags[key].name}`;
    const near = nearestSizes(odd, width);
    throw new CommandError(
      `${where} ${sizeFlag(odd)}: not a whole number of ${widest} elements (${width} bytes each)`,
      [
        `  allowed: multiples of ${width}; nearest: ${near}`,
        `Next: collbench ${command} --${flags[key].name} ${near.split(' ').at(-1)} --dtype ${options.dtype.join(',')}`,
      ],
    );
  }
}

/** @throws CommandError a root that is no rank */
export function requireRoots(command: CollectiveName, options: Options, ranks: number): void {
  const roots = options.root === 'all' ? [] : options.root;
  const beyond = roots.find((root) => root >= ranks);
  if (!collectives[command].rooted || beyond === undefined) return;
  throw new CommandError(`--root ${beyond}: there is no such rank among ${ranks}`, [
    `  allowed: ${ranks === 1 ? '0' : `0 to ${ranks - 1}`}, or all`,
    `Next: collbench ${command} --root 0, or --ranks ${beyond + 1}`,
  ]);
}

/** What the engine of the run has; "all" of a list is all of that. @throws CommandError */
function requireOfEngine(command: CollectiveName, options: Options, said: Said): void {
  const { engine } = options;
  const elsewhere = engine === 'cpu' ? 'allowed with --engine nccl' : 'leave it out';
  const next = `Next: collbench ${command} --engine nccl`;
  if (!collectives[command].engines.includes(engine)) {
    throw new CommandError(`the ${engine} engine has no ${command}`, [
      `  it has ${collectivesOf(engine).join(', ')}; ${command} is ${elsewhere}`,
      next,
    ]);
  }
  const limit = <T extends DtypeName | OpName>(key: 'dtype' | 'op', asked: T[], has: readonly T[]): T[] => {
    const written = said.get(key);
    if (written?.text.toLowerCase().split(',').includes('all'))
      return asked.filter((one) => has.includes(one));
    const missing = asked.find((one) => !has.includes(one));
    if (missing === undefined) return asked;
    throw new CommandError(`${written?.where ?? `--${key}`} ${missing}: the ${engine} engine has none`, [
      `  allowed: ${has.join(', ')}; ${missing} is ${elsewhere}`,
      next,
    ]);
  };
  options.dtype = limit('dtype', options.dtype, dtypesOf(engine));
  options.op = limit('op', options.op, opsOf(engine));
  for (const [key, owner] of Object.entries(engineOnly)) {
    const option = said.get(key as OptionKey);
    if (option === undefined || option.isConfig || owner === engine) continue;
    const instead =
      key === 'algorithm' ? 'use --algo' : owner === 'nccl' ? 'add --engine nccl' : 'leave it out';
    throw new CommandError(`${option.where} says nothing to the ${engine} engine`, [
      `  it is for --engine ${owner}: ${instead}`,
    ]);
  }
}

function requirePlace(command: CollectiveName, options: Options, said: Said): void {
  if (collectives[command].hasInPlace || !options.inPlace.includes(true)) return;
  const written = said.get('inPlace');
  throw new CommandError(`${written?.where ?? '--in-place'}: ${command} has no form in place`, [
    '  each rank would overwrite what a peer still has to get',
    `Next: collbench ${command} --in-place no`,
  ]);
}

/** Rules that need more than one option. @throws CommandError */
function refuseContradictions(command: CollectiveName, options: Options, said: Said): void {
  const { reduces, rooted } = collectives[command];
  if (options.sizes === null && options.min > options.max) {
    throw new CommandError(`--min ${sizeFlag(options.min)} is above --max ${sizeFlag(options.max)}`, [
      '  allowed: min <= max',
      `Next: collbench ${command} --min ${sizeFlag(options.min)} --max ${sizeFlag(Math.max(options.min, 2 ** 20) * 4)}`,
    ]);
  }
  requireOfEngine(command, options, said);
  requirePlace(command, options, said);
  requireNodes(options, said);
  requireGroupable(options, said);
  requireOneSampling(command, options, said);
  requireGoesOver(options, said);
  requireWholeElements(command, options, said);
  if (options.ranks !== null) requireRoots(command, options, options.ranks);
  for (const [key, applies, why] of [
    ['op', reduces, 'reduces nothing'],
    ['root', rooted, 'has no root'],
  ] as const) {
    const option = said.get(key);
    if (applies || option === undefined || option.isConfig) continue;
    const others = Object.values(collectives).filter((c) => (key === 'op' ? c.reduces : c.rooted));
    throw new CommandError(`${option.where} ${option.text}: ${command} ${why}`, [
      `  --${key} applies to ${others.map((c) => c.name).join(', ')}: leave it out`,
    ]);
  }
}

/** The file behind the words: its rival sizes go where the command line says sizes. */
function configReader(command: string, said: Said): (file: string) => Record<string, unknown> {
  return (file) => {
    let configured: Written[];
    try {
      configured = readConfig(file);
      refuseRivals(configured);
    } catch (error) {
      // yargs keeps only the message.
      throw error instanceof CommandError ? new Error(error.text) : error;
    }
    const typed = [...said.values()];
    const kept = configured.filter(
      ({ key }) => !said.has(key) && !typed.some((word) => isRival(word.key, key)),
    );
    for (const written of kept) said.set(written.key, written);
    // yargs would take any switch that is not "true" for false.
    const value = (key: OptionKey, text: string) => (isSwitch(key) ? coerce(command, key, text, said) : text);
    return Object.fromEntries(kept.map(({ key, text }) => [flags[key].name, value(key, text)]));
  };
}

/** The command line before the config file before the defaults; `options` takes what yargs found. */
export class OptionReader {
  private readonly command: CollectiveName;
  private readonly said: Said;
  private readonly typed: readonly Written[];

  constructor(command: CollectiveName, words: readonly string[]) {
    this.command = command;
    this.said = saidIn(words);
    this.typed = [...this.said.values()];
  }

  /** Teaches yargs the option table. */
  declare(parser: Argv, isLong = false): Argv {
    return withOptions(parser, this.command, this.said, configReader(this.command, this.said), isLong);
  }

  /** @throws CommandError for options that contradict each other */
  options(found: Record<string, unknown>): Options {
    refuseRivals(this.typed);
    const options = defaults();
    for (const key of optionKeys) {
      const value = found[flags[key].name];
      if (value !== undefined) Object.assign(options, { [key]: value });
    }
    if (options.engine === 'cpu') {
      // On nodes the placement knows how many there is room for.
      if (!hasNodes(options)) options.ranks ??= cpuDefaults.ranks;
      options.transport ??= [...cpuDefaults.transport];
    }
    refuseContradictions(this.command, options, this.said);
    return options;
  }
}

/**
 * Options of a measuring command.
 * @throws CommandError one clear error: the value, what is allowed, the way out
 */
export function readOptions(command: CollectiveName, words: readonly string[]): Options {
  const reader = new OptionReader(command, words);
  return reader.options(reader.declare(parser(words, command, true)).parseSync());
}

export function sizeRule(options: Options): SizeRule {
  const { min, max, factor, step, sizes } = options;
  if (sizes !== null) return { kind: 'list', sizes };
  return step === null ? { kind: 'factor', min, max, factor } : { kind: 'step', min, max, step };
}
