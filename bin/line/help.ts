// Help texts, made from the definitions of commands.
import yargs from 'yargs';
import { wrap, wrapBeside } from '../../results/text.ts';
import {
  defaultText,
  isSwitch,
  letterOf,
  type OptionRow,
  optionName,
  shownRows,
} from '../../suites/options/option.ts';
import type { CommandDefinition, CommandGroups } from '../commands/command.ts';
import { argumentsOf } from './syntax.ts';

const widest = 100;
const narrowest = 60;
/** Maximum width in characters of the first column, which has the names of options or commands. A longer name gets its own line. */
const widestName = 34;

/** Width of help texts in characters: the width of the terminal, else COLUMNS, else 100; but never below 60 or above 100. */
const helpWidth = (): number =>
  Math.max(narrowest, Math.min(process.stdout.columns || Number(process.env.COLUMNS) || widest, widest));

interface HelpRow {
  name: string;
  text: readonly string[];
}

/**
 * Text in two columns, as lines of at most `width` characters: names, and next to them explanations that are wrapped in their
 * column.
 */
function rowsText(rows: readonly HelpRow[], width: number): string[] {
  const column = Math.min(widestName, Math.max(...rows.map(({ name }) => name.length))) + 4;
  return rows.flatMap(({ name, text }) => {
    const lines = text.flatMap((one) => wrap(one, width - column));
    const beside = name.length + 4 <= column ? (lines.shift() ?? '') : '';
    const first = `  ${name.padEnd(column - 2)}${beside}`.trimEnd();
    return [first, ...lines.map((line) => ' '.repeat(column) + line)];
  });
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines];

/** Name of an option without the leading `--`, and the placeholder of its value: "min SIZE". A switch has no placeholder. */
const shownName = (key: string, { value }: OptionRow): string =>
  [optionName(key), value].filter((word) => word !== undefined).join(' ');

function explanation(row: OptionRow, isLong: boolean): string {
  const { describe, allowed, example } = row;
  const shown = defaultText(row);
  const isShown = shown !== undefined && shown !== 'none' && !(isSwitch(row) && shown === 'off');
  const sentence = /[.:]$/.test(describe) ? describe : `${describe}.`;
  return [
    isShown ? `${sentence} Default: ${shown}.` : sentence,
    ...(isLong && allowed !== undefined ? [`Allowed: ${allowed}.`] : []),
    ...(isLong && example !== undefined ? [`Example: ${example}`] : []),
  ].join('\n');
}

const ownOptions: readonly HelpRow[] = [
  { name: '-h, --help', text: ['Show this help.'] },
  { name: '    --version', text: ['Show the version.'] },
];

/** Lines of the examples, each command line below its purpose. In two columns the command lines would be broken. */
const exampleLines = (examples: CommandDefinition['examples']): string[] =>
  section(
    'Examples',
    examples.flatMap(([line, why]) => [`  # ${why}`, `  ${line}`]),
  );

/**
 * Breaks a long command line with backslashes into lines of one text, so that users can paste it into a shell. Quoted words are not
 * broken.
 */
function pasteableLines(command: string, width: number): string {
  if (command.length <= width) return command;
  const lines: string[] = [];
  let line = '';
  for (const word of command.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []) {
    if (line !== '' && line.length + word.length + ' \\'.length >= width) {
      lines.push(`${line} \\`);
      line = `  ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}

/**
 * Help text of a command, formatted by yargs, with a line break at its end.
 * @param isLong true = include the allowed values and an example of each option
 * @param width maximum length of a line in characters
 */
export async function commandHelp(
  command: CommandDefinition,
  isLong: boolean,
  width = helpWidth(),
): Promise<string> {
  const { argument, describe, examples, epilogue } = command;
  const options = Object.entries(shownRows(command.options));
  const shown = argument?.shown === undefined ? '' : ` Default: ${argument.shown}.`;
  const parser = yargs([command.name])
    .scriptName('collbench')
    .detectLocale(false)
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .wrap(width)
    .version(false)
    .help(false)
    // An argument with several values would get its type and "[default: []]" from yargs.
    .command(command.command.replaceAll('..', ''), describe, (shownCommand) => {
      shownCommand.usage(`$0 ${command.command}${options.length === 0 ? '' : ' [options]'}\n\n${describe}`);
      for (const { name } of argumentsOf(command.command))
        shownCommand.positional(name, { describe: `${argument?.help ?? ''}.${shown}` });
      for (const [key, row] of options)
        shownCommand.option(shownName(key, row), {
          alias: letterOf(row) ?? [],
          group: `${row.group ?? 'Options'}:`,
          describe: explanation(row, isLong),
        });
      shownCommand.option('help', { alias: 'h', describe: 'Show this help.' });
      // Examples are below their purposes; in two columns the lines would be broken.
      for (const [line, why] of examples)
        shownCommand.example(`# ${why}\n${pasteableLines(line, width - 4)}`, '');
      if (epilogue !== undefined) shownCommand.epilogue(epilogue);
      return shownCommand;
    });
  return `${await parser.getHelp()}\n`;
}

/**
 * Wraps one line of a help topic. If the line has two columns (indented, with a wide gap between them), the second column is
 * wrapped on its own.
 */
function topicLines(line: string, width: number): string[] {
  if (line === '') return [''];
  const [, left = '', right = ''] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? [];
  if (left === '') return wrap(line, width);
  return wrapBeside(left, right, width);
}

export const topicText = (topic: readonly string[]): string =>
  `${topic.flatMap((line) => topicLines(line, helpWidth())).join('\n')}\n`;

/**
 * Lines of help: an empty line, a heading, and below it one command per row with its description; [] without commands. Lines have
 * at most `width` characters.
 */
export const commandSection = (
  title: string,
  commands: readonly CommandDefinition[],
  width = helpWidth(),
): string[] =>
  section(
    title,
    rowsText(
      commands.map(({ command, describe }) => ({ name: command, text: [describe] })),
      width,
    ),
  );

/**
 * Text of `collbench help`: usage, the most important commands, the names of all commands, examples.
 * @param first commands that are listed with their descriptions
 * @param groups all commands, by name under headings
 * @param topics topics that `help` explains besides commands
 */
export function overview(
  first: readonly CommandDefinition[],
  groups: CommandGroups,
  topics: readonly string[],
  width = helpWidth(),
): string {
  const rows = groups.map(({ title, names }) => ({ name: title, text: [names.join(', ')] }));
  return [
    ...wrap(
      'collbench measures collective communication: checks the data, reports confidence intervals, proves which transport was used.',
      width,
    ),
    '',
    'Usage: collbench COMMAND [options]',
    ...commandSection('Start with', first, width),
    ...section('All commands', rowsText(rows, width)),
    ...section('Options', rowsText(ownOptions, width)),
    ...exampleLines([
      ['collbench allreduce --max 1M', 'two ranks on this machine over TCP, under a minute'],
      [
        'collbench allreduce --min 8 --max 1G --transport socket,sisci',
        'two transports side by side, with a report',
      ],
      ['collbench transports', 'what can run here'],
    ]),
    '',
    ...wrap('Each command explains itself: collbench COMMAND --help', width),
    ...wrap(`Topics: ${topics.join(', ')}. See: collbench help TOPIC`, width),
    '',
  ].join('\n');
}
