import { collectiveNames } from '../../results/schema/plan.ts';
import { isCollective } from '../../suites/collectives.ts';
import { version } from '../native.ts';
import { parser } from '../parser.ts';
import { topics } from '../topics.ts';
import { aa } from './aa.ts';
import { baseline } from './baseline.ts';
import { type Command, withExamples } from './command.ts';
import { compare } from './compare.ts';
import { completion, speakToAsker, withCompletion } from './completion.ts';
import { crosscheck } from './crosscheck.ts';
import { doctor } from './doctor.ts';
import { exportRun } from './export.ts';
import { helpCommand } from './help.ts';
import { history } from './history.ts';
import { importForeign } from './import.ts';
import { measure } from './measure.ts';
import { model } from './model.ts';
import { pairs } from './pairs.ts';
import { report } from './report.ts';
import { resume } from './resume.ts';
import { runs } from './runs.ts';
import { show } from './show.ts';
import { suite } from './suite.ts';
import { topo } from './topo.ts';
import { transports } from './transports.ts';

/**
 * All commands, for these words behind `collbench`.
 * @param isLong help of collectives tells what is allowed, too
 */
export function commandsFor(words: readonly string[], isLong = false): Command[] {
  const commands = [
    ...collectiveNames.map((name) => measure(name, words.slice(1), isLong)),
    transports,
    doctor(words.slice(1)),
    topo(words.slice(1)),
    pairs(words.slice(1)),
    suite(words.slice(1)),
    baseline,
    resume,
    runs,
    show,
    history,
    exportRun,
    model,
    importForeign,
    report,
    compare,
    aa(words.slice(1)),
    crosscheck,
    completion,
  ];
  const names = [...commands.map(({ name }) => name), 'help'];
  const help = helpCommand(names, start);
  return [...commands, help];
}

/**
 * Finds the command and carries it out; its verdict is in `process.exitCode`.
 * @throws CommandError, and whatever the command throws
 */
export async function start(words: readonly string[], isLong = false): Promise<void> {
  const asked = words.length === 0 ? ['--help'] : words;
  const isCompletion = asked[0] === '--get-yargs-completions';
  if (isCompletion) speakToAsker();
  const name = asked[0] as string;
  const commands = commandsFor(asked, isLong);
  let work: Promise<void> = Promise.resolve();
  // Behind a handler that gives a promise yargs sets the whole help, which takes 0.1 s, for nobody to read.
  const later =
    ({ handler }: Command): Command['handler'] =>
    (found) => {
      work = Promise.resolve(handler(found));
      work.catch(() => undefined); // heard below, when yargs is through
    };
  const line = parser(
    asked,
    name,
    isCollective(name),
    commands.map((command) => command.name),
  )
    .usage(
      'collbench measures collective communication: verified data, honest intervals, proof of the transport.\n\nUsage: $0 COMMAND [options]',
    )
    .version(version())
    .command(commands.map((command) => ({ ...command, handler: later(command) })))
    .epilogue(`Topics: ${Object.keys(topics).join(', ')}, options. See: collbench help TOPIC`);
  withExamples(line, [
    ['collbench allreduce --max 1M', 'two ranks on this machine over TCP, under a minute'],
    [
      'collbench allreduce --min 8 --max 1G --transport socket,sisci',
      'two transports side by side, with a report',
    ],
    ['collbench transports', 'what can run here'],
  ]);
  if (isCompletion) withCompletion(line, asked.slice(1));
  await line.parseAsync();
  await work;
}
