import { version } from '../../orchestration/build.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { withProgram } from '../line/own-program.ts';
import { printText } from '../terminal.ts';
import type { Command } from './command.ts';

type Loader = () => Promise<Command>;

/** Commands that are no workload's, in the order of the help. Each is loaded when it is asked for. */
const own: Record<string, Loader> = {
  transports: async () => (await import('./transports.ts')).transports,
  doctor: async () => (await import('./doctor.ts')).doctor,
  topo: async () => (await import('./topo.ts')).topo,
  conformance: async () => (await import('./conformance.ts')).conformance,
  plugin: async () => (await import('./plugin.ts')).plugin,
  pairs: async () => (await import('./pairs.ts')).pairs,
  suite: async () => (await import('./suite.ts')).suite,
  baseline: async () => (await import('./baseline.ts')).baseline,
  record: async () => (await import('./record.ts')).record,
  resume: async () => (await import('./resume.ts')).resume,
  runs: async () => (await import('./runs.ts')).runs,
  rm: async () => (await import('./rm.ts')).rm,
  prune: async () => (await import('./rm.ts')).prune,
  show: async () => (await import('./show.ts')).show,
  history: async () => (await import('./history.ts')).history,
  site: async () => (await import('./site.ts')).site,
  export: async () => (await import('./export.ts')).exportRun,
  model: async () => (await import('./model.ts')).model,
  link: async () => (await import('./link.ts')).link,
  bundle: async () => (await import('./bundle.ts')).bundle,
  import: async () => (await import('./import.ts')).importForeign,
  report: async () => (await import('./report.ts')).report,
  compare: async () => (await import('./compare.ts')).compare,
  aa: async () => (await import('./aa.ts')).aa,
  tune: async () => (await import('./tune.ts')).tune,
  crosscheck: async () => (await import('./crosscheck.ts')).crosscheck,
  completion: async () => (await import('./completion.ts')).completion,
  help: async () => (await import('./help.ts')).helpCommand(await commandNames(), commandsFor),
};

/** Those of the workloads. They are asked last: their tables are most of what a start loads. */
async function measuringNames(): Promise<string[]> {
  const { plannings } = await import('../../suites/workloads/index.ts');
  return plannings.flatMap(({ commands }) => commands.map(({ name }) => name));
}

const commandNames = async (): Promise<string[]> => [...(await measuringNames()), ...Object.keys(own)];

async function load(name: string): Promise<Command | undefined> {
  if (Object.hasOwn(own, name)) return own[name]?.();
  if (!(await measuringNames()).includes(name)) return undefined;
  return (await import('./measure.ts')).measure(name);
}

/** All commands, or the one that is named. */
export async function commandsFor(name = ''): Promise<Command[]> {
  const named = await load(name);
  if (named !== undefined) return [named];
  const all = await Promise.all((await commandNames()).map(load));
  return all.filter((command) => command !== undefined);
}

const asksForHelp = (words: readonly string[]): boolean => words.includes('--help') || words.includes('-h');

async function tellHelp(command: Command): Promise<void> {
  const { commandHelp } = await import('../line/help.ts');
  printText(await commandHelp(command, false));
}

/** For the scripts of `completion`: what is wrong with the line is told when it is entered, not while it is typed. */
async function offer(words: readonly string[]): Promise<void> {
  const { complete, offerText } = await import('../line/complete.ts');
  const found = await complete(words, load, commandNames).catch(() => []);
  printText(offerText(found));
}

/** To compile a schema pays after thousands of records: a run that measures reads as many, the other commands do not. */
async function withoutCompiling(): Promise<void> {
  const { config } = await import('zod');
  config({ jitless: true });
}

/**
 * Finds the command and carries it out; its verdict is in `process.exitCode`.
 * @throws Refusal, and whatever the command throws
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
  if (asksForHelp([name])) {
    const { overviewText } = await import('./help.ts');
    return printText(overviewText(await commandsFor()));
  }
  if (!name.startsWith('-')) throw refuse('command-unknown', { word: name, known: await commandNames() });
  const known = ['help', 'version'];
  const option = name.replace(/^-+/, '');
  throw refuse('option-unknown', { command: 'collbench', where: name, option, known, isMeasuring: false });
}
