// Splits `--engine cpu,mpi` into one command line per engine, without options that only other engines have.
import { refuse } from '../../results/refusals/refusal.ts';
import { isEngineName } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { formsOf, isForm, isSwitch, namesOf, type OptionRow } from '../../suites/options/option.ts';
import { unique, splitWords as wordsIn } from '../../suites/options/values.ts';
import { type OptionKey, optionRows } from '../options/index.ts';
import type { ParsedLine } from './read.ts';

/** Names in the value of --engine, not checked; empty if the command line does not have the option. */
const enginesOf = ({ said }: Pick<ParsedLine, 'said'>): string[] =>
  unique(wordsIn(said.typed('engine')?.text ?? ''));

/**
 * Splits a command line with several engines into one command line per engine, in the given order. Each gets only the options that
 * its engine uses. For a line with at most one engine the result has its words unchanged.
 * @returns for each engine the words after the name of the command, not quoted
 * @throws Refusal if the line has several engines and --json-file, which makes no sense for several runs
 */
export function linesOfEngines(line: ParsedLine): (readonly string[])[] {
  const { said, words } = line;
  const engines = enginesOf(line).filter(isEngineName);
  if (engines.length < 2) return [words];
  const file = said.typed('jsonFile');
  if (file !== undefined) throw refuse('several-engines-with', { engines, where: file.where });
  const optionsOf = (names: typeof engines): OptionKey[] =>
    names.flatMap((name) => [...planningEngines[name].options]);
  return engines.map((engine) => {
    const own = optionsOf([engine]);
    const foreign = optionsOf(engines).filter((key) => !own.includes(key));
    return [...foreign.reduce(without, without([...words], 'engine')), '--engine', engine];
  });
}

/** Removes an option and its value from the words of a command line, in each of its forms: --name, --no-name, letter, alias. */
function without(words: readonly string[], key: OptionKey): readonly string[] {
  const row: OptionRow = optionRows[key];
  const forms = formsOf(namesOf(key, row));
  // The letter of a switch may have a number, as -G 4 in nccl-tests.
  const isValue = (word: string, before = '') =>
    forms.includes(before) && (isSwitch(row) ? /^-.$/.test(before) && /^\d+$/.test(word) : true);
  return words.filter((word, i) => !isForm(forms)(word) && !isValue(word, words[i - 1]));
}
