// Help as text, from what commands say of themselves.
import { wrap } from '../../results/text.ts';
import type { Command } from '../commands/command.ts';
import { type LineFlag, wordsOf } from './flag.ts';

const widest = 100;
const narrowest = 60;
/** A longer name stands on a line of its own. */
const widestName = 34;

/** Columns that help may fill: those of the terminal, within what reads well. */
export const helpWidth = (): number =>
  Math.max(narrowest, Math.min(process.stdout.columns || Number(process.env.COLUMNS) || widest, widest));

interface Row {
  name: string;
  text: readonly string[];
}

/** Names to the left, what they mean beside them. */
function rowsText(rows: readonly Row[], width: number): string[] {
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

function optionRow(flag: LineFlag, isLong: boolean): Row {
  const { short, isSwitch, help, allowed, example } = flag;
  const shown = flag.shown ?? flag.fallback;
  const value = isSwitch ? '' : ` ${flag.value ?? flag.name.replace(/^.*-/, '').toUpperCase()}`;
  const isTold = shown !== undefined && shown !== 'none' && !(isSwitch && shown === 'off');
  const sentence = /[.:]$/.test(help) ? help : `${help}.`;
  return {
    name: `${short === undefined ? '   ' : `-${short},`} --${flag.name}${value}`,
    text: [
      isTold ? `${sentence} Default: ${shown}.` : sentence,
      ...(isLong && allowed !== undefined ? [`Allowed: ${allowed}.`] : []),
      ...(isLong && example !== undefined ? [`Example: ${example}`] : []),
    ],
  };
}

const ownOptions: readonly Row[] = [
  { name: '-h, --help', text: ['Show this help.'] },
  { name: '    --version', text: ['Show the version.'] },
];

function optionLines(flags: readonly LineFlag[], isLong: boolean, width: number): string[] {
  const groups = [...new Set(flags.map(({ group }) => group ?? 'Options'))];
  return groups.flatMap((group) => {
    const rows = flags
      .filter((flag) => (flag.group ?? 'Options') === group)
      .map((flag) => optionRow(flag, isLong));
    return section(group, rowsText(rows, width));
  });
}

/** Each example below what it is good for: two columns would break it. */
const exampleLines = (examples: Command['examples']): string[] =>
  section(
    'Examples',
    examples.flatMap(([line, why]) => [`  # ${why}`, `  ${line}`]),
  );

/** @param isLong says what each option allows, too */
export function commandHelp(command: Command, isLong: boolean, width = helpWidth()): string {
  const { flags, argument, describe, examples, epilogue } = command;
  const shown = argument?.shown === undefined ? '' : ` Default: ${argument.shown}.`;
  const words = wordsOf(command.command).map(({ name }) => ({
    name,
    text: [`${argument?.help ?? ''}.${shown}`],
  }));
  return [
    `collbench ${command.command}${flags.length === 0 ? '' : ' [options]'}`,
    '',
    ...wrap(describe, width),
    ...(words.length === 0 ? [] : section('Words', rowsText(words, width))),
    ...optionLines(flags, isLong, width),
    ...exampleLines(examples),
    ...(epilogue === undefined ? [] : ['', ...wrap(epilogue, width)]),
    '',
  ].join('\n');
}

/** A line of two columns: indented, with a wide gap. The second is wrapped below itself. */
function topicLines(line: string, width: number): string[] {
  if (line === '') return [''];
  const [, left = '', right = ''] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? [];
  if (left === '') return wrap(line, width);
  const [first = '', ...rest] = wrap(right, width - left.length);
  return [left + first, ...rest.map((one) => ' '.repeat(left.length) + one)];
}

export const topicText = (topic: readonly string[], width = helpWidth()): string =>
  `${topic.flatMap((line) => topicLines(line, width)).join('\n')}\n`;

/** @param topics that help explains beside the commands */
export function overview(
  commands: readonly Command[],
  topics: readonly string[],
  width = helpWidth(),
): string {
  const rows = commands.map(({ command, describe }) => ({ name: `collbench ${command}`, text: [describe] }));
  return [
    ...wrap(
      'collbench measures collective communication: verified data, honest intervals, proof of the transport.',
      width,
    ),
    '',
    'Usage: collbench COMMAND [options]',
    ...section('Commands', rowsText(rows, width)),
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
    ...wrap(`Topics: ${topics.join(', ')}. See: collbench help TOPIC`, width),
    '',
  ].join('\n');
}
