// Help and completion, as yargs prints them of what commands say of themselves.
import yargs, { type Argv, type Options as YargsOptions } from 'yargs';
import { version } from '../../orchestration/build.ts';
import { topics } from '../../reports/topics.ts';
import type { Command } from '../commands/command.ts';
import { type LineFlag, wordsOf } from './flag.ts';

/** Examples as shell lines, each below what it is good for: two columns would break them. */
function withExamples(parser: Argv, examples: Command['examples']): Argv {
  for (const [line, why] of examples) parser.example(`# ${why}`, '').example(line, '');
  return parser;
}

function optionOf(flag: LineFlag, isLong: boolean): YargsOptions {
  const { short, isSwitch, group, help, allowed, example } = flag;
  const more = isLong && allowed !== undefined ? ` Allowed: ${allowed}. Example: ${example}` : '';
  const shown = flag.shown ?? (flag.fallback === undefined ? undefined : JSON.stringify(flag.fallback));
  return {
    type: isSwitch ? 'boolean' : 'string',
    describe: `${help}${more}`,
    ...(short === undefined ? {} : { alias: short }),
    ...(group === undefined ? {} : { group: `${group}:` }),
    ...(shown === undefined ? {} : { defaultDescription: shown }),
  };
}

function described(own: Argv, command: Command, isLong: boolean): Argv {
  const { flags, argument, examples, usage, epilogue } = command;
  withExamples(own, examples).options(
    Object.fromEntries(flags.map((flag) => [flag.name, optionOf(flag, isLong)])),
  );
  for (const { name, isMany } of wordsOf(command.command)) {
    const shown = argument?.shown === undefined ? {} : { defaultDescription: argument.shown };
    own.positional(name, { type: 'string', array: isMany, describe: argument?.help ?? '', ...shown });
  }
  if (usage !== undefined) own.usage(usage);
  return epilogue === undefined ? own : own.epilogue(epilogue);
}

/**
 * A parser that knows these commands and carries out none of them.
 * @param isLong help of options says what is allowed, too
 */
export function helpParser(words: readonly string[], commands: readonly Command[], isLong = false): Argv {
  const line = yargs([...words])
    .scriptName('collbench')
    .detectLocale(false)
    .alias('h', 'help')
    .wrap(Math.max(60, Math.min(process.stdout.columns || Number(process.env.COLUMNS) || 100, 100)))
    .exitProcess(false)
    .usage(
      'collbench measures collective communication: verified data, honest intervals, proof of the transport.\n\nUsage: $0 COMMAND [options]',
    )
    .version(version())
    .command(
      commands.map((command) => ({
        command: command.command,
        describe: command.describe,
        builder: (own: Argv) => described(own, command, isLong),
        handler: () => undefined,
      })),
    )
    .epilogue(`Topics: ${Object.keys(topics).join(', ')}, options. See: collbench help TOPIC`);
  return withExamples(line, [
    ['collbench allreduce --max 1M', 'two ranks on this machine over TCP, under a minute'],
    [
      'collbench allreduce --min 8 --max 1G --transport socket,sisci',
      'two transports side by side, with a report',
    ],
    ['collbench transports', 'what can run here'],
  ]);
}
