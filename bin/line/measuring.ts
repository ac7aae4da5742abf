// Parses the command line of a measuring command: options of all measuring commands, options of its workload, and a config file.
import { hasNodes, requireHostOptions } from '../../orchestration/preparing/host-rules.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { areExclusive, inGroup, type OptionRows } from '../../suites/options/option.ts';
import { carriersOf } from '../../suites/planning/carriers.ts';
import { keysWithoutEffect, requirePlannable } from '../../suites/planning/rules.ts';
import type { MeasuredCommand, WorkloadPlanning } from '../../suites/workloads/index.ts';
import { type MeasuringCommandOptions, type OptionWord, optionRows, withDefaults } from '../options/index.ts';
import type { ParsedLine } from './read.ts';
import { type CommandSyntax, parseOption } from './syntax.ts';

/** Option table of the measuring commands of a workload: the options of all measuring commands, and the workload's own. */
export const measuringOptionRows = ({ options }: Pick<WorkloadPlanning, 'options'>): OptionRows => ({
  ...optionRows,
  ...inGroup('What is measured', options),
});

function refuseRivals(written: readonly OptionWord[]): void {
  for (const first of written) {
    const second = written.find((other) => areExclusive(optionRows, first.key, other.key));
    if (second === undefined) continue;
    const code = first.key === 'hosts' || first.key === 'hostfile' ? 'hosts-twice' : 'sizes-twice';
    throw refuse(code, { one: first.where, other: second.where });
  }
}

/**
 * Options in the config file that --config names on the command line; empty if the line does not have --config.
 * @throws Refusal if the file does not exist or cannot be read; with line and column if it is invalid
 */
export async function configOf({ values: { config } }: ParsedLine): Promise<OptionWord[]> {
  return typeof config === 'string' ? (await import('../config.ts')).readConfig(config) : [];
}

/**
 * Returns the values of those config-file options that take effect, and adds the options to `said`. An option has no effect if the
 * command line has the same option, or one that excludes it.
 * @param command name of the command, for messages
 * @param words options of the config file
 * @throws Refusal if options of the file exclude each other, or a value is invalid
 */
function configured(
  command: string,
  words: readonly OptionWord[],
  { said }: ParsedLine,
): Record<string, unknown> {
  refuseRivals(words);
  const typed = [...said.values()];
  const kept = words.filter(
    ({ key }) => !said.has(key) && !typed.some((word) => areExclusive(optionRows, word.key, key)),
  );
  const values = kept.map(({ key, where, text }) => [
    key,
    parseOption(command, [key, optionRows[key]], where, text),
  ]);
  for (const word of kept) said.set(word.key, word);
  return Object.fromEntries(values);
}

/**
 * Values of all options of a measuring command. A value on the command line replaces that of the config file, which replaces the
 * default.
 * @param config options of the config file
 * @throws Refusal if options contradict each other or no plan is possible
 */
export function measuringOptions(
  command: MeasuredCommand,
  line: ParsedLine,
  config: readonly OptionWord[],
): MeasuringCommandOptions {
  const { values, said } = line;
  const { name, workload } = command;
  refuseRivals([...said.values()]);
  requireOneEngine(name, line);
  const options = withDefaults({ ...configured(name, config, line), ...values });
  options.words = workloadWords(command, line);
  if (!said.has('engine')) options.engine = workload.usualEngine ?? options.engine;
  if (!said.has('max')) options.max = workload.usualMaxBytes ?? options.max;
  withUsual(workload, options);
  requirePlannable(command, options, said);
  requireHostOptions(options, said);
  return options;
}

/**
 * Checks that --engine names at most one engine. Only command lines of measuring commands may name several; engines.ts has split
 * them before. Suites and other commands measure with one engine.
 * @throws Refusal if several engines are named
 */
function requireOneEngine(command: string, { said }: ParsedLine): void {
  const written = said.get('engine');
  if (written?.text.includes(',') === true)
    throw refuse('one-engine', { command, where: written.where, text: written.text });
}

/**
 * Values, as text, of the options that only this workload has, by name. Words after the command, such as the jobs of `replay`, are
 * added to the value of the option that `positional` names. An option that was not given has its default.
 */
function workloadWords(
  { name: command, workload: { options, positional } }: MeasuredCommand,
  { values }: ParsedLine,
): Record<string, string> {
  const texts = Object.entries(options).map(([name, row]) => {
    const words = name === positional ? (values[behind] as string[]) : [];
    for (const word of words) parseOption(command, [name, row], `--${name}`, word);
    return [name, [...words, values[name] ?? []].flat().join(',') || row.default];
  });
  return Object.fromEntries(texts);
}

/**
 * Sets the defaults of engine and workload for the number of ranks and the transport if the user did not give them. The transport
 * stays open if several are usual. The number of ranks stays open if it depends on the hosts.
 */
function withUsual(workload: WorkloadPlanning, options: MeasuringCommandOptions): void {
  const { usual, transports } = planningEngines[options.engine];
  // With hosts the number of ranks depends on their slots and is set later.
  if (!hasNodes(options)) options.ranks ??= usual.ranks;
  if (workload.carriedBy !== undefined) options.transport ??= carriersOf(workload, transports).slice(0, 1);
  else if (usual.here.length === 1) options.transport ??= [...usual.here];
}

/** Name of the argument for the words directly after a measuring command, such as the jobs of `replay`. */
const behind = 'words';

/**
 * The option table of a measuring command. Options that have no effect in this command are marked as hidden, so that help and
 * completion do not show them.
 */
function rowsOfCommand(command: MeasuredCommand): OptionRows {
  const rows = measuringOptionRows(command.workload);
  const hidden = keysWithoutEffect(command).map((key) => [key, { ...rows[key], hidden: true }]);
  return { ...rows, ...Object.fromEntries(hidden) };
}

export const measuringSyntax = (command: MeasuredCommand): CommandSyntax => ({
  name: command.name,
  command: command.workload.positional === undefined ? command.name : `${command.name} [${behind}..]`,
  options: rowsOfCommand(command),
  isMeasuring: true,
});
