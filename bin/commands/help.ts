import { CommandError, type ExitCode, exitCode } from '../exit.ts';
import { nearest } from '../nearest.ts';
import { type Flag, flags, groups, type OptionKey, optionKeys } from '../options.ts';
import { wrap } from '../text.ts';
import { topics } from '../topics.ts';
import { type Command, commands, findCommand, isMeasuring } from './index.ts';

const width = () => Math.max(60, Math.min(process.stdout.columns || 100, 100));

/** Two columns; the right one wraps below itself. */
function columns(rows: readonly (readonly [string, string])[], left: number): string[] {
  return rows.flatMap(([name, text]) => {
    const head = `  ${name.padEnd(left)}`;
    const lines = wrap(text, width() - left - 4);
    const first = head.length > left + 2 ? [head] : [`${head}  ${lines.shift() ?? ''}`];
    return [...first, ...lines.map((line) => `${' '.repeat(left + 4)}${line}`)];
  });
}

const examples = (rows: Command['examples']): string[] =>
  rows.flatMap(([line, why]) => [`  $ ${line}`, `      ${why}`]);

function flagHead(flag: Flag<unknown>): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  return `${short}--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`;
}

/** @param long with what is allowed and an example */
function optionLines(long: boolean): string[] {
  return groups.flatMap((group) => {
    const keys = optionKeys.filter((key: OptionKey) => flags[key].group === group);
    const rows = keys.map((key): [string, string] => {
      const flag: Flag<unknown> = flags[key];
      const more = long ? ` Allowed: ${flag.allowed}. Example: ${flag.example}` : '';
      return [flagHead(flag), `${flag.help} Default: ${flag.shown}.${more}`];
    });
    return ['', `${group}:`, ...columns(rows, 26)];
  });
}

function overview(): string[] {
  const named = commands.map(({ name, summary }): [string, string] => [name, summary]);
  return [
    'collbench measures collective communication: verified data, honest intervals, proof of the transport.',
    '',
    'Usage: collbench COMMAND [options]',
    '',
    'Start here:',
    ...examples([
      ['collbench allreduce --max 1M', 'two ranks on this machine over TCP, under a minute'],
      [
        'collbench allreduce --min 8 --max 1G --transport socket,sisci',
        'two transports side by side, with a report',
      ],
      ['collbench transports', 'what can run here'],
    ]),
    '',
    'Commands:',
    ...columns(named, 14),
    '',
    `Topics: ${Object.keys(topics).join(', ')}, options. See: collbench help TOPIC`,
  ];
}

function commandHelp(command: Command): string[] {
  const { name, summary, usage } = command;
  const own = Object.entries(command.flags).map(([flag, { value, help }]): [string, string] => [
    `--${flag}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  return [
    summary,
    '',
    `Usage: collbench ${name} ${usage}`,
    '',
    'Examples:',
    ...examples(command.examples),
    ...(isMeasuring(name) ? optionLines(false) : own.length > 0 ? ['', 'Options:', ...columns(own, 16)] : []),
    ...(isMeasuring(name)
      ? ['', 'Letters mean what they mean in nccl-tests. More: collbench help options, collbench help method']
      : []),
  ];
}

/** Overview, a command, a topic, or every option at length. */
export async function help(words: readonly string[]): Promise<ExitCode> {
  const [word] = words;
  const say = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  const command = word === undefined ? undefined : findCommand(word);
  const topic = word === undefined ? undefined : topics[word];
  if (word === undefined) say(overview());
  else if (word === 'options') say(['Options of the collectives:', ...optionLines(true)]);
  else if (command !== undefined) say(commandHelp(command));
  else if (topic !== undefined) say(topic.flatMap((line) => wrap(line, width())));
  else {
    const known = [...commands.map(({ name }) => name), ...Object.keys(topics), 'options'];
    const match = nearest(word, known);
    throw new CommandError(`help ${word}: no such command or topic`, [
      match === null ? `  allowed: ${known.join(', ')}` : `  did you mean ${match}?`,
    ]);
  }
  return exitCode.ok;
}
