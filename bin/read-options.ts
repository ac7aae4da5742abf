import type { Argv } from 'yargs';
import { hasNodes, requireHostOptions } from '../orchestration/preparing/host-rules.ts';
import { refuse } from '../results/refusals/refusal.ts';
import type { CollectiveName } from '../results/schema/index.ts';
import { planningEngines } from '../suites/engines/index.ts';
import { requirePlannable } from '../suites/planning/rules.ts';
import { readConfig } from './config.ts';
import { errorText } from './exit.ts';
import { coerce, withOptions } from './measuring-options.ts';
import { defaults, flags, isSwitch, type OptionKey, type Options, optionKeys } from './options/index.ts';
import { parser } from './parser.ts';
import { type KeyedWord, type SaidWords, saidIn } from './said-words.ts';

/** Ways to say the sizes, or the hosts, that exclude each other. */
const rivals: Partial<Record<OptionKey, OptionKey[]>> = {
  sizes: ['min', 'max', 'factor', 'step'],
  step: ['factor'],
  hosts: ['hostfile'],
};

/** Whether the two say the same in other words. */
export const isRival = (a: OptionKey, b: OptionKey) =>
  rivals[a]?.includes(b) === true || rivals[b]?.includes(a) === true;

function refuseRivals(written: readonly KeyedWord[]): void {
  for (const first of written) {
    const second = written.find((other) => isRival(first.key, other.key));
    if (second === undefined) continue;
    const code = first.key === 'hosts' || first.key === 'hostfile' ? 'hosts-twice' : 'sizes-twice';
    throw refuse(code, { one: first.where, other: second.where });
  }
}

/** The file behind the words: its rival sizes go where the command line says sizes. */
function configReader(command: string, said: SaidWords): (file: string) => Record<string, unknown> {
  return (file) => {
    let configured: KeyedWord[];
    try {
      configured = readConfig(file);
      refuseRivals(configured);
    } catch (error) {
      // yargs keeps only the message.
      const text = errorText(error);
      throw text === null ? error : new Error(text);
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
  private readonly said: SaidWords;
  private readonly typed: readonly KeyedWord[];

  constructor(command: CollectiveName, words: readonly string[]) {
    this.command = command;
    this.said = saidIn(words);
    this.typed = [...this.said.values()];
  }

  /** Teaches yargs the option table. */
  declare(parser: Argv, isLong = false): Argv {
    return withOptions(parser, this.command, this.said, configReader(this.command, this.said), isLong);
  }

  /** @throws Refusal for options that contradict each other */
  options(found: Record<string, unknown>): Options {
    refuseRivals(this.typed);
    const options = defaults();
    for (const key of optionKeys) {
      const value = found[flags[key].name];
      if (value !== undefined) Object.assign(options, { [key]: value });
    }
    withUsual(options);
    requirePlannable(this.command, options, this.said);
    requireHostOptions(options, this.said);
    return options;
  }
}

/**
 * Options of a measuring command.
 * @throws Refusal one clear error: the value, what is allowed, the way out
 */
export function readOptions(command: CollectiveName, words: readonly string[]): Options {
  const reader = new OptionReader(command, words);
  return reader.options(reader.declare(parser(words, command, true)).parseSync());
}

/** What the engine takes where nothing was said, if that does not depend on the machines. */
export function withUsual(options: Options): void {
  const { usual } = planningEngines[options.engine];
  // On hosts the placement knows how many there is room for.
  if (!hasNodes(options)) options.ranks ??= usual.ranks;
  if (usual.here.length === 1) options.transport ??= [...usual.here];
}
