import type { CollectiveName } from '../results/schema/index.ts';
import { sizeFlag } from '../results/units.ts';
import { bytesPerElement, collectives } from '../suites/collectives.ts';
import { nearestSizes, type SizeRule } from '../suites/sizes.ts';
import { readConfig } from './config.ts';
import { CommandError } from './exit.ts';
import { defaults, type Flag, flags, type OptionKey, type Options, ValueError } from './options.ts';
import { readWords, type Written } from './words.ts';

/** Ways to say the sizes that exclude each other. */
const rivals: Partial<Record<OptionKey, OptionKey[]>> = {
  sizes: ['min', 'max', 'factor', 'step'],
  step: ['factor'],
};

const isRival = (a: OptionKey, b: OptionKey) =>
  rivals[a]?.includes(b) === true || rivals[b]?.includes(a) === true;

function refuseRivals(written: readonly Written[]): void {
  for (const first of written) {
    const second = written.find((other) => isRival(first.key, other.key));
    if (second !== undefined) {
      throw new CommandError(`${first.where} and ${second.where} say the sizes twice`, [
        '  allowed: --min and --max with --factor or --step, or --sizes alone',
      ]);
    }
  }
}

function parse(command: string, { key, text, where, isLetter }: Written): Options[OptionKey] {
  const flag: Flag<Options[OptionKey]> = flags[key];
  try {
    return (isLetter && flag.parseShort ? flag.parseShort : flag.parse)(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new CommandError(`${where} ${text}: ${error.message}`, [
      `  allowed: ${flag.allowed}`,
      `Next: collbench ${command} ${flag.example}`,
    ]);
  }
}

/** Which options were said, and where; defaults are not among them. */
export type Said = ReadonlyMap<OptionKey, Written>;

/** Whole elements, in every data type asked for: rounding would measure another size than the one typed. */
function requireWholeElements(command: string, options: Options, said: Said): void {
  const widest = options.dtype.reduce((a, b) => (bytesPerElement[a] >= bytesPerElement[b] ? a : b));
  const width = bytesPerElement[widest];
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

/** Rules that need more than one option. @throws CommandError */
function refuseContradictions(command: CollectiveName, options: Options, said: Said): void {
  const { reduces, rooted } = collectives[command];
  if (options.sizes === null && options.min > options.max) {
    throw new CommandError(`--min ${sizeFlag(options.min)} is above --max ${sizeFlag(options.max)}`, [
      '  allowed: min <= max',
      `Next: collbench ${command} --min ${sizeFlag(options.min)} --max ${sizeFlag(Math.max(options.min, 2 ** 20) * 4)}`,
    ]);
  }
  requireWholeElements(command, options, said);
  const roots = options.root === 'all' ? [] : options.root;
  const beyond = roots.find((root) => root >= options.ranks);
  if (rooted && beyond !== undefined) {
    const allowed = options.ranks === 1 ? '0' : `0 to ${options.ranks - 1}`;
    throw new CommandError(`--root ${beyond}: there is no such rank among ${options.ranks}`, [
      `  allowed: ${allowed}, or all`,
      `Next: collbench ${command} --root 0, or --ranks ${beyond + 1}`,
    ]);
  }
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

/**
 * Options of a measuring command: the command line before the config file before the defaults.
 * @throws CommandError one clear error: the value, what is allowed, the way out
 */
export function readOptions(command: CollectiveName, words: readonly string[]): Options {
  const typed = readWords(command, words);
  refuseRivals(typed);
  const file = typed.findLast(({ key }) => key === 'config');
  const configured = file === undefined ? [] : readConfig(file.text);
  refuseRivals(configured);
  // A size said on the command line replaces the rival ones of the file.
  const kept = configured.filter(({ key }) => !typed.some((word) => isRival(word.key, key)));
  const said = new Map<OptionKey, Written>();
  const options = defaults();
  for (const written of [...kept, ...typed]) {
    said.set(written.key, written);
    Object.assign(options, { [written.key]: parse(command, written) });
  }
  refuseContradictions(command, options, said);
  return options;
}

export function sizeRule(options: Options): SizeRule {
  const { min, max, factor, step, sizes } = options;
  if (sizes !== null) return { kind: 'list', sizes };
  return step === null ? { kind: 'factor', min, max, factor } : { kind: 'step', min, max, step };
}
