import type { Argv } from 'yargs';
import { version } from '../../orchestration/build.ts';
import { topics } from '../../reports/topics.ts';
import { isMeasuring, plannings } from '../../suites/workloads/index.ts';
import { parser } from '../parser.ts';
import { type Command, withExamples } from './command.ts';

type Loader = (words: readonly string[], isLong: boolean) => Promise<Command>;

const measureAs =
  (name: string): Loader =>
  async (words, isLong) =>
    (await import('./measure.ts')).measure(name, words, isLong);

/** All commands in the order of the help, for these words behind their name. Each is loaded when it is asked for. */
const loaders: Record<string, Loader> = {
  ...Object.fromEntries(
    plannings.flatMap(({ commands }) => commands.map(({ name }) => [name, measureAs(name)])),
  ),
  transports: async () => (await import('./transports.ts')).transports,
  doctor: async (words) => (await import('./doctor.ts')).doctor(words),
  topo: async (words) => (await import('./topo.ts')).topo(words),
  pairs: async (words) => (await import('./pairs.ts')).pairs(words),
  suite: async (words) => (await import('./suite.ts')).suite(words),
  baseline: async () => (await import('./baseline.ts')).baseline,
  resume: async (words) => (await import('./resume.ts')).resume(words),
  runs: async () => (await import('./runs.ts')).runs,
  show: async () => (await import('./show.ts')).show,
  history: async () => (await import('./history.ts')).history,
  export: async () => (await import('./export.ts')).exportRun,
  model: async () => (await import('./model.ts')).model,
  import: async () => (await import('./import.ts')).importForeign,
  report: async () => (await import('./report.ts')).report,
  compare: async () => (await import('./compare.ts')).compare,
  aa: async (words) => (await import('./aa.ts')).aa(words),
  crosscheck: async (words) => (await import('./crosscheck.ts')).crosscheck(words),
  completion: async () => (await import('./completion.ts')).completion,
  help: async () => (await import('./help.ts')).helpCommand(commandNames, start),
};
export const commandNames: readonly string[] = Object.keys(loaders);

/**
 * Commands for these words behind `collbench`: the one that is named first; all where none is, since help and advice tell
 * of all.
 * @param isLong help of collectives tells what is allowed, too
 */
export async function commandsFor(words: readonly string[], isLong = false): Promise<Command[]> {
  const [name = '', ...rest] = words;
  if (name === '--version') return [];
  const named = Object.hasOwn(loaders, name) ? [name] : commandNames;
  return Promise.all(named.map((one) => (loaders[one] as Loader)(rest, isLong)));
}

/** Behind every handler yargs sets the whole help, for nobody to read: a tenth of a second on a slow machine. */
function withoutCachedHelp(line: Argv): void {
  const { getInternalMethods } = line as unknown as {
    getInternalMethods(): { getUsageInstance(): { cacheHelpMessage(): void } };
  };
  getInternalMethods.call(line).getUsageInstance().cacheHelpMessage = () => undefined;
}

/**
 * Finds the command and carries it out; its verdict is in `process.exitCode`.
 * @throws CommandError, and whatever the command throws
 */
export async function start(words: readonly string[], isLong = false): Promise<void> {
  const asked = words.length === 0 ? ['--help'] : words;
  const isCompletion = asked[0] === '--get-yargs-completions';
  const forShell = isCompletion ? await import('./completion.ts') : null;
  forShell?.speakToAsker();
  const name = asked[0] as string;
  const commands = await commandsFor(asked, isLong);
  let work: Promise<void> = Promise.resolve();
  // What becomes of the work is heard below and not by yargs, whose fail() is for words that were not understood.
  const later =
    ({ handler }: Command): Command['handler'] =>
    (found) => {
      work = Promise.resolve(handler(found));
      work.catch(() => undefined); // until yargs is through
    };
  const line = parser(asked, name, isMeasuring(name), commandNames)
    .usage(
      'collbench measures collective communication: verified data, honest intervals, proof of the transport.\n\nUsage: $0 COMMAND [options]',
    )
    .version(version())
    .command(
      commands.map((command) => ({
        ...command,
        builder: (own: Argv) => command.builder(withExamples(own, command.examples)),
        handler: later(command),
      })),
    )
    .epilogue(`Topics: ${Object.keys(topics).join(', ')}, options. See: collbench help TOPIC`);
  withExamples(line, [
    ['collbench allreduce --max 1M', 'two ranks on this machine over TCP, under a minute'],
    [
      'collbench allreduce --min 8 --max 1G --transport socket,sisci',
      'two transports side by side, with a report',
    ],
    ['collbench transports', 'what can run here'],
  ]);
  forShell?.withCompletion(line, asked.slice(1));
  withoutCachedHelp(line);
  await line.parseAsync();
  await work;
}
