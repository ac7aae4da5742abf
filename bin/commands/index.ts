import { version } from '../../orchestration/build.ts';
import { printText } from '../terminal.ts';
import type { CommandDefinition, CommandGroups } from './command.ts';

type CommandImport = () => Promise<CommandDefinition>;

/** Heading in help under which the measuring commands are listed. */
const measuring = 'Measure';

/**
 * Commands that do not belong to a workload, under their headings in help. The module of a command is imported only when the
 * command is used.
 */
const ownGroups: Readonly<Record<string, Record<string, CommandImport>>> = {
  [measuring]: {
    suite: async () => (await import('./suite.ts')).suite,
    resume: async () => (await import('./resume.ts')).resume,
    record: async () => (await import('./record.ts')).record,
    aa: async () => (await import('./aa.ts')).aa,
    crosscheck: async () => (await import('./crosscheck.ts')).crosscheck,
  },
  'Look at results': {
    runs: async () => (await import('./runs.ts')).runs,
    show: async () => (await import('./show.ts')).show,
    report: async () => (await import('./report.ts')).report,
    history: async () => (await import('./history.ts')).history,
    site: async () => (await import('./site.ts')).site,
    model: async () => (await import('./model.ts')).model,
    bisect: async () => (await import('./bisect.ts')).bisect,
    explain: async () => (await import('./explain.ts')).explain,
  },
  'Keep and compare': {
    compare: async () => (await import('./compare.ts')).compare,
    baseline: async () => (await import('./baseline.ts')).baseline,
    export: async () => (await import('./export.ts')).exportRun,
    import: async () => (await import('./import.ts')).importForeign,
    bundle: async () => (await import('./bundle.ts')).bundle,
    rm: async () => (await import('./rm.ts')).rm,
    prune: async () => (await import('./rm.ts')).prune,
  },
  'Check a machine': {
    doctor: async () => (await import('./doctor.ts')).doctor,
    transports: async () => (await import('./transports.ts')).transports,
    topo: async () => (await import('./topo.ts')).topo,
    pairs: async () => (await import('./pairs.ts')).pairs,
    conformance: async () => (await import('./conformance.ts')).conformance,
    plugin: async () => (await import('./plugin.ts')).plugin,
  },
  'Set up': {
    tune: async () => (await import('./tune.ts')).tune,
    link: async () => (await import('./link.ts')).link,
    completion: async () => (await import('./completion.ts')).completion,
    help: async () =>
      (await import('./help.ts')).helpCommand(await commandNames(), await commandGroups(), load),
  },
};
const own: Readonly<Record<string, CommandImport>> = Object.assign({}, ...Object.values(ownGroups));

/** Imports the workload tables. They are most of the code that a start can load, so only commands that need them call this. */
const workloads = () => import('../../suites/workloads/index.ts');

/** Names of all commands, without commands that exist only for tests. */
async function commandNames(): Promise<string[]> {
  const { shownCommandNames } = await workloads();
  return [...shownCommandNames, ...Object.keys(own)];
}

async function load(name: string): Promise<CommandDefinition | undefined> {
  if (Object.hasOwn(own, name)) return own[name]?.();
  const command = (await workloads()).findCommand(name);
  return command && (await import('./measure.ts')).measure(command);
}

/** Headings under which help lists the commands; `names` are the commands below a heading. Commands for tests are left out. */
export async function commandGroups(): Promise<CommandGroups> {
  const { shownCommandNames } = await workloads();
  return Object.entries(ownGroups).map(([title, commands]) => ({
    title,
    names: [...(title === measuring ? shownCommandNames : []), ...Object.keys(commands)],
  }));
}

/** Imports the definitions of all commands, including commands that exist only for tests. */
export async function allCommands(): Promise<CommandDefinition[]> {
  const { plannings } = await workloads();
  const measuring = plannings.flatMap(({ commands }) => commands.map(({ name }) => name));
  const all = await Promise.all([...measuring, ...Object.keys(own)].map(load));
  return all.filter((command) => command !== undefined);
}

/** True if the words contain --help or -h. Words after `--` are not examined, because they belong to another program. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  return own.includes('--help') || own.includes('-h');
}

async function tellHelp(command: CommandDefinition): Promise<void> {
  const { commandHelp } = await import('../line/help.ts');
  printText(await commandHelp(command, false));
}

/**
 * Prints the completions that the shell scripts read. Errors in the words are ignored, because the user is still typing; running
 * the command reports them.
 * @param words words of the command line up to the cursor
 */
async function offer(words: readonly string[]): Promise<void> {
  const { complete, offerText } = await import('../line/complete.ts');
  const found = await complete(words, load, commandNames).catch(() => []);
  printText(offerText(found));
}

/**
 * Switches off the compiling of schemas by zod. Compiling saves time only with thousands of records, which only measuring commands
 * read.
 */
async function withoutCompiling(): Promise<void> {
  const { config } = await import('zod');
  config({ jitless: true });
}

/**
 * Finds the command that the first word names and runs it, which sets `process.exitCode`. Answers `--complete`, `--version` and
 * requests for help itself.
 * @param words words after the program's name
 * @throws Refusal if the words are invalid, and any error of the command
 */
export async function start(words: readonly string[]): Promise<void> {
  const [name = '--help', ...rest] = withProgram(words);
  if (name === '--complete') return offer(rest);
  if (name === '--version') return printText(`${version()}\n`);
  if (Object.hasOwn(own, name)) await withoutCompiling();
  const command = await load(name);
  if (command !== undefined) {
    if (asksForHelp(rest)) return tellHelp(command);
    const { readLine } = await import('../line/read.ts');
    const resolved = (await command.resolveRuns?.(rest)) ?? rest;
    return command.handler(readLine(command, resolved));
  }
  if (name.startsWith('-') && asksForHelp([name, ...rest])) {
    const { overviewText } = await import('./help.ts');
    return printText(await overviewText(await commandGroups(), load));
  }
  const { commandMissing, commandUnknown } = await import('../line/no-command.ts');
  const known = await commandNames();
  throw await (name.startsWith('-') ? commandMissing : commandUnknown)([name, ...rest], known, load);
}

/**
 * Translates `train -- COMMAND` or `script -- COMMAND`, which measure steps of the user's program, to the command `script`. The
 * words after `--` become the value of --command, as a JSON array. Other command lines are returned unchanged.
 */
function withProgram(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  if (at < 0 || (words[0] !== 'train' && words[0] !== 'script')) return words;
  return ['script', ...words.slice(1, at), '--command', JSON.stringify(words.slice(at + 1))];
}
