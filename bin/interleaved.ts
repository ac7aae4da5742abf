// `collbench compare A B --interleave`: launches the commands of two stored runs again, in pairs, until the verdict is certain.
import type { InterleavedSide } from '../orchestration/suites/run.ts';
import { refuse } from '../results/refusals/refusal.ts';
import type { LoadedRun } from '../results/store/types.ts';
import type { ExitCode } from '../results/verdicts/exit-code.ts';
import { wordsOf } from '../suites/explain/variants.ts';
import { findCommand } from '../suites/workloads/index.ts';
import { measuringSyntax } from './line/measuring.ts';
import { readLine } from './line/read.ts';
import { readOptions } from './line/read-options.ts';
import { type OptionKey, optionRows } from './options/index.ts';
import { runTools } from './run-tools.ts';
import { suiteJson, suiteText } from './screens/suite.ts';
import { nearPath, printText, shapeOfStdout } from './terminal.ts';

export interface InterleaveOptions {
  /** Relative change of the time up to which the two commands count as equal: 0.05 = 5 %. */
  margin: number;
  /** Maximum number of pairs of launches. A pair is one launch of each of the two commands. */
  pairs: number;
  /** Seconds that all pairs together may take; null = no limit. */
  budgetS: number | null;
  /** Folder that contains the folders of all stored runs. */
  root: string;
  /** True to print the verdict as JSON. */
  json: boolean;
  /** True to print the verdict as Markdown. */
  markdown: boolean;
}

/** True for options that the launches of a pair do not take over from the run: options about output, and about several launches. */
const isOfRun = (key: OptionKey): boolean =>
  optionRows[key].group === 'Output' || ['launches', 'budget', 'retryFlagged'].includes(key);

/**
 * Keys of the options that say how long a launch is sampled. If the run's command has none of them, its launches get
 * --precision=off: each takes only its first samples.
 */
const samplingKeys: readonly string[] = ['precision', 'iters'];

/**
 * Returns the command of a stored run, to be launched again.
 * @throws Refusal if the run was imported, or collbench has no such command
 */
function sideOf({ record: { id, plan, environment } }: LoadedRun): InterleavedSide {
  const [, name = '', ...typed] = plan.command;
  const command = plan.imported === undefined ? findCommand(name) : undefined;
  if (command === undefined) throw refuse('interleave-run', { run: id, command: plan.command.join(' ') });
  const { said } = readLine(measuringSyntax(command), typed);
  const kept = [...said.values()].filter(({ key }) => !isOfRun(key as OptionKey));
  const isSampled = kept.some(({ key }) => samplingKeys.includes(key));
  const words = [
    ...wordsOf(Object.fromEntries(kept.map(({ key, text }) => [key, text]))),
    ...(isSampled || !('precision' in optionRows) ? [] : ['--precision=off']),
  ];
  const options = readOptions(name, words);
  // Ranks that are threads of this process share its environment.
  return { command, words, options, environment: options.inProcess ? {} : environment };
}

/**
 * Launches the commands of two stored runs alternately, in pairs, and prints whether the second is slower than the first. The
 * launches are stored as a suite.
 * @param words arguments of `collbench compare` as typed, stored with the result
 * @returns exit code: 0 = the second is as fast or faster, 4 = slower, 5 = no verdict; other codes if a run failed or was
 * interrupted
 * @throws Refusal if a run cannot be launched again, or if the runs have different commands or no configuration in common
 */
export async function compareInterleaved(
  [base, other]: readonly [LoadedRun, LoadedRun],
  { margin, pairs, budgetS, root, json, markdown }: InterleaveOptions,
  words: readonly string[],
): Promise<ExitCode> {
  const [reference, candidate] = [sideOf(base), sideOf(other)];
  if (reference.command.name !== candidate.command.name) {
    const commands = [reference.command.name, candidate.command.name];
    throw refuse('interleave-commands', { base: base.record.id, other: other.record.id, commands });
  }
  const { pairCells } = await import('../results/compare/pairing.ts');
  if (pairCells(base.cells, other.cells).pairs.length === 0)
    throw refuse('interleave-unlike', { base: base.record.id, other: other.record.id });
  const { prepareInterleaved, measureSuite } = await import('../orchestration/suites/run.ts');
  const { gateText, gateMarkdown } = await import('../reports/gate/gate.ts');
  const { writeSuitePage } = await import('../reports/html/suite.ts');
  const title = `${other.record.title}: ${other.record.label ?? other.record.id} against ${base.record.label ?? base.record.id}`;
  const prepared = await prepareInterleaved([reference, candidate], {
    ...{ title, margin, pairs, budgetS },
    command: ['collbench', 'compare', ...words],
  });
  const { record, estimateS } = prepared;
  const isForPeople = !json && !markdown;
  const screenFor = () =>
    isForPeople ? suiteText(record, estimateS) : { ...suiteJson(), end: () => undefined };
  const { code, dir } = await measureSuite(prepared, { root, out: null }, { run: runTools }, screenFor);
  const { page } = await writeSuitePage(record, dir);
  const { gate } = record;
  if (json) printText(`${JSON.stringify(gate)}\n`);
  else if (gate === null) printText('interrupted: no verdict\n');
  else if (markdown) printText(gateMarkdown(gate));
  else printText(`${gateText(gate, Math.min(shapeOfStdout(100).columns, 100))}report: ${nearPath(page)}\n`);
  return code as ExitCode;
}
