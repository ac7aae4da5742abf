// Parses the line of a measuring command: the option table, options of its workload, and a config file.
import { hasNodes, requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { carriersOf } from '../../suites/planning/carriers.ts';
import { requirePlannable } from '../../suites/planning/rules.ts';
import { isMeasuring, planningOfCommand, type WorkloadOption } from '../../suites/workloads/index.ts';
import {
  defaults,
  flags,
  type MeasuringCommandOptions,
  type OptionKey,
  optionKeys,
} from '../options/index.ts';
import { type LineFlag, type LineSyntax, parseFlagValue } from './flag.ts';
import type { OptionWord } from './parsed-words.ts';
import type { ParsedLine } from './read.ts';
import { tableFlag } from './table-flag.ts';

const workloadOptions = (command: string): readonly WorkloadOption[] =>
  isMeasuring(command) ? planningOfCommand(command).options : [];

/** Converts an option of one workload to the form of the command line; its value stays text. */
function workloadFlag({ name, value, help, allowed, example, fallback, check }: WorkloadOption): LineFlag {
  const parse = (text: string): string => {
    check(text);
    return text;
  };
  const shown = fallback;
  return { name, isSwitch: false, group: 'What is measured', value, help, allowed, example, shown, parse };
}

export const measuringFlags = (command: string): LineFlag[] => [
  ...optionKeys.map(tableFlag),
  ...workloadOptions(command).map(workloadFlag),
];

/** Options that exclude each other, by option: its rivals determine the same thing (the sizes or the hosts). */
const rivals: Partial<Record<OptionKey, OptionKey[]>> = {
  sizes: ['min', 'max', 'factor', 'step'],
  step: ['factor'],
  hosts: ['hostfile'],
};

/** True if two options exclude each other. */
export const isRival = (a: OptionKey, b: OptionKey) =>
  rivals[a]?.includes(b) === true || rivals[b]?.includes(a) === true;

function refuseRivals(written: readonly OptionWord[]): void {
  for (const first of written) {
    const second = written.find((other) => isRival(first.key, other.key));
    if (second === undefined) continue;
    const code = first.key === 'hosts' || first.key === 'hostfile' ? 'hosts-twice' : 'sizes-twice';
    throw refuse(code, { one: first.where, other: second.where });
  }
}

/**
 * Options in the config file that the command line names with --config; empty if it names none.
 * @throws Refusal with line and column if the file is invalid
 */
export async function configOf({ found }: ParsedLine): Promise<OptionWord[]> {
  const file = found[flags.config.name];
  return typeof file === 'string' ? (await import('../config.ts')).readConfig(file) : [];
}

/**
 * Options of the config file that take effect. An option is left out if the command line has the same option, or an option that
 * excludes it.
 */
function configured(
  command: string,
  words: readonly OptionWord[],
  { said }: ParsedLine,
): Record<string, unknown> {
  refuseRivals(words);
  const typed = [...said.values()];
  const kept = words.filter(({ key }) => !said.has(key) && !typed.some((word) => isRival(word.key, key)));
  const values = kept.map((word) => [word.key, valueIn(command, word)] as const);
  for (const word of kept) said.set(word.key, word);
  return Object.fromEntries(values);
}

function valueIn(command: string, { key, where, text }: OptionWord): unknown {
  const flag = tableFlag(key);
  return parseFlagValue(command, flag, where, text, () => flag.parse(text));
}

/**
 * Values of all options of a measuring command. The command line has priority over the config file, and the config file over
 * defaults.
 * @throws Refusal if options contradict each other or no plan is possible
 */
export function measuringOptions(
  command: string,
  line: ParsedLine,
  config: readonly OptionWord[],
): MeasuringCommandOptions {
  const { found, said } = line;
  refuseRivals([...said.values()]);
  requireOneEngine(command, line);
  const options = { ...defaults(), ...configured(command, config, line) };
  for (const key of optionKeys) {
    const value = found[flags[key].name];
    if (value !== undefined) Object.assign(options, { [key]: value });
  }
  options.words = workloadWords(command, line);
  options.engine = engineFor(command, options, said);
  withUsual(command, options);
  requirePlannable(command, options, said);
  requireHostOptions(options, said);
  return options;
}

/**
 * Checks that at most one engine is given. Only command lines may have several, which engines.ts splits earlier; suites and
 * other commands measure with one engine.
 * @throws Refusal if several engines are given
 */
function requireOneEngine(command: string, { said }: ParsedLine): void {
  const written = said.get('engine');
  if (written?.text.includes(',') === true)
    throw refuse('one-engine', { command, where: written.where, text: written.text });
}

const engineFor = (
  command: string,
  { engine }: MeasuringCommandOptions,
  said: ParsedLine['said'],
): MeasuringCommandOptions['engine'] =>
  said.has('engine') ? engine : (planningOfCommand(command).usualEngine ?? engine);

/**
 * Values of the options that only this workload has, by name. Arguments after the command are added to the value of the
 * positional option.
 */
function workloadWords(command: string, { found }: ParsedLine): Record<string, string> {
  const { positional } = planningOfCommand(command);
  const textOf = (flag: LineFlag, fallback: string): string => {
    const words = flag.name === positional ? (found[behind] as string[]) : [];
    for (const word of words) parseFlagValue(command, flag, `--${flag.name}`, word, () => flag.parse(word));
    return [...words, found[flag.name] ?? []].flat().map(String).join(',') || fallback;
  };
  return Object.fromEntries(
    workloadOptions(command).map((one) => [one.name, textOf(workloadFlag(one), one.fallback)]),
  );
}

/** Sets the engine's default values for options that are not given, except defaults that depend on the hosts. */
function withUsual(command: string, options: MeasuringCommandOptions): void {
  const { usual, transports } = planningEngines[options.engine];
  // With hosts the number of ranks depends on their slots and is set later.
  if (!hasNodes(options)) options.ranks ??= usual.ranks;
  if (planningOfCommand(command).over !== undefined)
    options.transport ??= carriersOf(command, transports).slice(0, 1);
  else if (usual.here.length === 1) options.transport ??= [...usual.here];
}

/** Name of the argument after the command, whose words become values of the workload's positional option. */
const behind = 'words';

export const measuringSyntax = (command: string): LineSyntax => ({
  name: command,
  command: planningOfCommand(command).positional === undefined ? command : `${command} [${behind}..]`,
  flags: measuringFlags(command),
  isMeasuring: true,
});
