import type { GateRule } from '../../results/compare/index.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { Comparison } from '../../results/schema/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import type { ParsedLine } from '../line/read.ts';
import { compareFlags } from '../options/compare.ts';
import { nearPath, printError, printJson, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { writeNamed } from '../write-file.ts';
import type { CommandDefinition } from './command.ts';
import { runIds } from './completions.ts';
import { chartFlags, pngFlag, printPlots } from './options/charts.ts';
import { type CommandFlagValues, jsonFlag, optionTable, rootFlag } from './options/own-options.ts';
import { texts } from './parsed-values.ts';

const { threshold, cellThreshold, allow, excludeFlagged, all, markdown, html, failOn, visible } =
  compareFlags;
const flags = {
  ...{ threshold, 'cell-threshold': cellThreshold, allow, 'exclude-flagged': excludeFlagged },
  ...{ all, markdown, html, 'fail-on': failOn, visible },
  ...chartFlags,
  ...pngFlag,
  ...jsonFlag,
  ...rootFlag,
};
const table = optionTable(flags);
type CompareFlags = CommandFlagValues<typeof flags>;

async function run({ found }: ParsedLine): Promise<void> {
  const [names, said] = [texts(found, 'run'), table.read(found)];
  const gate = gateRule(said);
  if (said.json && said.markdown) {
    throw refuse('two-formats', { command: 'compare', one: 'json', other: 'markdown' });
  }
  if (names.length < 2) {
    throw refuse('compare-needs-two', { runs: names.length });
  }
  const [{ compareRuns, separateRuns, usualOptions }, { calibrationFor }, { runsLike }, runs] =
    await Promise.all([
      import('../../results/compare/index.ts'),
      import('../../results/store/index.ts'),
      import('../../results/history/index.ts'),
      runsNamed(names, said.root),
    ]);
  const records = runs.map(({ record }) => record);
  const learned = await calibrationFor(said.root, records);
  const comparison = compareRuns(runs, {
    groupThreshold: said.threshold ?? usualOptions.groupThreshold,
    cellThreshold: said['cell-threshold'] ?? usualOptions.cellThreshold,
    allow: said.allow ?? [],
    excludeFlagged: said['exclude-flagged'],
    ...separateRuns(learned, records, await runsLike(said.root, runs)),
  });
  await tell(comparison, said);
  process.exitCode = gate === null ? exitCode.ok : await gateCode(comparison, gate);
}

async function runsNamed(names: readonly string[], root: string) {
  const { openRun } = await import('../../results/store/index.ts');
  const runs = [];
  for (const name of names) {
    const loaded = await openRun(name, root);
    const { id, plan } = loaded.record;
    for (const warning of loaded.warnings) printNote(`${id}: ${warning}`);
    if (plan.pairs !== undefined) throw refuse('pairs-not-compared', { run: id });
    runs.push(loaded);
  }
  return runs;
}

function gateRule({ visible: seen, 'fail-on': fails }: CompareFlags): GateRule | null {
  if (fails === undefined && seen !== undefined) {
    const example = 'compare last~1 last --fail-on slower --visible 5%';
    throw refuse('option-needs-option', { option: 'visible', needs: 'fail-on', example, keep: ['root'] });
  }
  return fails === undefined ? null : { failOn: fails, visible: seen ?? 0.1 };
}

async function tell(comparison: Comparison, said: CompareFlags): Promise<void> {
  const { comparisonMarkdown, comparisonPage, comparisonText } = await import(
    '../../reports/comparison/index.ts'
  );
  const page = said.html;
  if (page !== undefined) await writeNamed('--html', page, await comparisonPage(comparison));
  if (said.png !== undefined) await writePicture(comparison, said.png);
  if (said.json) printJson(comparison);
  else if (said.markdown) printText(comparisonMarkdown(comparison));
  else {
    printText(comparisonText(comparison, { ...shapeOfStdout(), all: said.all }));
    if (said.chart) {
      const { comparisonPlots } = await import('../../reports/plots/comparison.ts');
      await printPlots(comparisonPlots(comparison), said.ascii);
    }
    if (page !== undefined) printText(`page: ${nearPath(page)}\n`);
  }
}

async function writePicture(comparison: Comparison, file: string): Promise<void> {
  const { comparisonPicture } = await import('../../reports/picture/index.ts');
  await writeNamed('--png', file, await comparisonPicture(comparison));
  printError(`picture: ${nearPath(file)}\n`);
}

const outcomes = {
  pass: ['PASS', exitCode.ok],
  regression: ['REGRESSION', exitCode.regression],
  'wrong-data': ['WRONG DATA', exitCode.wrongData],
  unconfirmed: ['NOT CONFIRMED', exitCode.noVerdict],
  'no-verdict': ['NO VERDICT', exitCode.noVerdict],
} as const;

/**
 * Prints the gate's outcome (regression, wrong data, no verdict ...) on stderr, because stdout may be read by another program.
 * @returns the exit code of the gate
 */
async function gateCode(comparison: Comparison, rule: GateRule): Promise<ExitCode> {
  const { gateOf } = await import('../../results/compare/index.ts');
  const { outcome, reasons } = gateOf(comparison, rule);
  const [word, code] = outcomes[outcome];
  printError(`${word} (${reasons.join('; ')})\n`);
  return code;
}

export const compare: CommandDefinition = {
  name: 'compare',
  command: 'compare <run..>',
  describe: 'Compare runs with a base run: what is slower, faster or the same.',
  examples: [
    ['collbench compare last~1 last', 'the two newest runs'],
    ['collbench compare monday tuesday wednesday', 'each compared with the first'],
    ['collbench compare main branch --markdown > comment.md', 'for a pull request'],
    ['collbench compare base last --fail-on slower', 'exit 4 where something is slower'],
    ['collbench compare base last --chart', 'with a chart of characters'],
    ['collbench compare base last --png change.png', 'with a picture of the changes, for a chat'],
  ],
  argument: { help: 'Ids or folders of runs, the base first; last, last~1: the newest, the one before' },
  flags: table.flags,
  epilogue:
    'Exit codes: 0 compared; with --fail-on also 3 wrong data, 4 something is slower, 5 not confirmed (something looks much slower) or no verdict (configurations missing, or too noisy)',
  offer: runIds,
  handler: run,
};
