import type { GateRule } from '../../results/compare/gate.ts';
import { usualPairs } from '../../results/gate/pairs.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { type AllowedDifference, allowanceNames, type Comparison } from '../../results/schema/index.ts';
import { type ExitCode, exitCode } from '../../results/verdicts/exit-code.ts';
import { type OptionValues, optionName, switchOption } from '../../suites/options/option.ts';
import { listOf, ValueError } from '../../suites/options/values.ts';
import type { ParsedLine } from '../line/read.ts';
import { nearPath, printError, printJson, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { writeNamed, writePicture } from '../write-file.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import {
  chartOptions,
  jsonOption,
  pairBudgetOption,
  pairCountOption,
  pngOption,
  printPlots,
  rootOption,
  shareOption,
} from './options.ts';

/**
 * Option table of the command `compare`: thresholds, allowed differences, output formats, the exit code, and measuring again
 * (--interleave).
 */
export const compareOptions = {
  threshold: {
    ...shareOption,
    defaultDescription: '2%',
    describe: 'Changes of a size range below this threshold never count as slower or faster.',
    example: '--threshold 1%',
  },
  cellThreshold: {
    ...shareOption,
    defaultDescription: '4%',
    describe: 'The same for a single size.',
    example: '--cell-threshold 10%',
  },
  allow: {
    value: 'WHAT,..',
    defaultDescription: 'nothing',
    allowed: `all, or names out of ${allowanceNames.join(', ')}`,
    describe: 'Differences that do not prevent a comparison.',
    example: '--allow medium',
    choices: ['all', ...allowanceNames],
    coerce: listOf<AllowedDifference>(allowanceNames),
  },
  excludeFlagged: {
    ...switchOption,
    describe: 'Leave out configurations with a flag (busy machine, late starts, ...) in either run.',
    example: '--exclude-flagged',
  },
  all: {
    ...switchOption,
    defaultDescription: 'off: those that changed',
    describe: 'Print every size.',
    example: '--all',
  },
  markdown: {
    ...switchOption,
    describe: 'Print Markdown for a pull request.',
    example: '--markdown',
  },
  html: {
    value: 'FILE',
    defaultDescription: 'none',
    allowed: 'a file in a folder that can be written',
    describe: 'Also write one self-contained HTML page.',
    example: '--html compared.html',
    coerce: (text: string): string => text,
  },
  failOn: {
    value: 'WHAT',
    defaultDescription: 'nothing: the exit code is 0',
    allowed: 'slower, changed',
    describe:
      'Exit 4 if a size range or size is slower (changed: or faster), 5 if one looks much slower but is not confirmed, or if there is no verdict.',
    example: '--fail-on slower',
    coerce: (text: string): 'slower' | 'changed' => {
      if (text !== 'slower' && text !== 'changed') throw new ValueError('neither');
      return text;
    },
  },
  interleave: {
    ...switchOption,
    describe:
      'Launch the commands of the two runs again, in pairs, until the verdict is certain: exit code 0 the same or faster, 4 slower, 5 no verdict',
    example: '--interleave',
  },
  margin: {
    ...shareOption,
    defaultDescription: '5%',
    describe: 'With --interleave: up to this change the two are the same.',
    example: '--margin 10%',
  },
  pairs: {
    ...pairCountOption,
    defaultDescription: `${usualPairs}`,
    describe: 'With --interleave: highest number of pairs of launches.',
    example: '--pairs 60',
  },
  budget: {
    ...pairBudgetOption,
    describe:
      'With --interleave: time for the pairs. Without a verdict by then, it says what a further pair would bring.',
    example: '--budget 60s',
  },
  visible: {
    ...shareOption,
    defaultDescription: '10%',
    describe: 'With --fail-on: a size range too noisy to detect this change gives no verdict (exit 5).',
    example: '--visible 5%',
  },
};

const options = { ...compareOptions, ...chartOptions, ...pngOption, ...jsonOption, ...rootOption };
type CompareOptions = OptionValues<typeof options>;

/**
 * Maximum number of pairs of launches if the user gave --budget but not --pairs. It is so high that only the time ends the pairs.
 */
const pairsInBudget = 1000;

const interleaveExamples = { margin: '10%', pairs: '60', budget: '60s' };

async function run(values: CompareOptions & { run: string[] }, { words }: ParsedLine): Promise<void> {
  const names = values.run;
  const gate = gateRule(values);
  if (values.json && values.markdown) {
    throw refuse('two-formats', { command: 'compare', one: 'json', other: 'markdown' });
  }
  if (names.length < 2) {
    const { listRuns } = await import('../../results/store/list.ts');
    throw refuse('compare-needs-two', {
      runs: names.length,
      stored: (await listRuns(values.root)).length,
    });
  }
  if (values.interleave) {
    process.exitCode = await interleaved(values, words);
    return;
  }
  for (const option of ['margin', 'pairs', 'budget'] as const) {
    if (values[option] === undefined) continue;
    const example = `compare ${names.join(' ')} --interleave --${option} ${interleaveExamples[option]}`;
    throw refuse('option-needs-option', { option, needs: 'interleave', example, keep: ['root'] });
  }
  const [{ compareRuns }, { separateRuns }, { usualOptions }, { calibrationFor }, { runsLike }, runs] =
    await Promise.all([
      import('../../results/compare/compare-runs.ts'),
      import('../../results/compare/calibrate.ts'),
      import('../../results/compare/options.ts'),
      import('../../results/store/calibration.ts'),
      import('../../results/history/last-like.ts'),
      runsNamed(names, values.root),
    ]);
  const records = runs.map(({ record }) => record);
  const learned = await calibrationFor(values.root, records);
  const comparison = compareRuns(runs, {
    groupThreshold: values.threshold ?? usualOptions.groupThreshold,
    cellThreshold: values.cellThreshold ?? usualOptions.cellThreshold,
    allow: values.allow ?? [],
    excludeFlagged: values.excludeFlagged,
    ...separateRuns(learned, records, await runsLike(values.root, runs)),
  });
  await tell(comparison, values);
  process.exitCode = gate === null ? exitCode.ok : await gateCode(comparison, gate);
}

/** Keys of the options about stored figures. They are rejected with --interleave, which compares new launches. */
const ofStored = ['threshold', 'cellThreshold', 'allow', 'failOn', 'visible', 'html', 'png'] as const;

async function interleaved(values: CompareOptions & { run: string[] }, words: readonly string[]) {
  const [base, other, ...more] = await runsNamed(values.run, values.root);
  if (base === undefined || other === undefined || more.length > 0)
    throw refuse('interleave-two', { runs: values.run });
  const unused = ofStored.find((key) => values[key] !== undefined);
  if (unused !== undefined) throw refuse('interleave-option', { option: optionName(unused) });
  const { compareInterleaved } = await import('../interleaved.ts');
  const {
    margin = 0.05,
    budget = null,
    pairs = budget === null ? usualPairs : pairsInBudget,
    root,
    json,
    markdown,
  } = values;
  return compareInterleaved([base, other], { margin, pairs, budgetS: budget, root, json, markdown }, words);
}

async function runsNamed(names: readonly string[], root: string) {
  const { openRun } = await import('../../results/store/read.ts');
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

function gateRule({ visible: seen, failOn: fails }: CompareOptions): GateRule | null {
  if (fails === undefined && seen !== undefined) {
    const example = 'compare last~1 last --fail-on slower --visible 5%';
    throw refuse('option-needs-option', { option: 'visible', needs: 'fail-on', example, keep: ['root'] });
  }
  return fails === undefined ? null : { failOn: fails, visible: seen ?? 0.1 };
}

async function tell(comparison: Comparison, values: CompareOptions): Promise<void> {
  const { comparisonMarkdown, comparisonPage, comparisonText } = await import(
    '../../reports/comparison/document.ts'
  );
  const page = values.html;
  if (page !== undefined) await writeNamed('--html', page, await comparisonPage(comparison));
  if (values.png !== undefined) {
    const { comparisonPicture } = await import('../../reports/picture/index.ts');
    await writePicture(values.png, await comparisonPicture(comparison));
  }
  if (values.json) printJson(comparison);
  else if (values.markdown) printText(comparisonMarkdown(comparison));
  else {
    printText(comparisonText(comparison, { ...shapeOfStdout(), all: values.all }));
    if (comparison.pairs.every(({ cells }) => cells.length === 0))
      printText(`Next: ${likeBase(comparison)}\n`);
    if (values.chart) {
      const { comparisonPlots } = await import('../../reports/plots/comparison.ts');
      await printPlots(comparisonPlots(comparison), values.ascii);
    }
    if (page !== undefined) printText(`page: ${nearPath(page)}\n`);
  }
}

/** Returns a command line, to be printed as advice, that lists the stored runs of the operation that the base run measured. */
const likeBase = ({ base }: Comparison): string => `collbench runs --filter ${base.title.split(/[ ,]/)[0]}`;

const outcomes = {
  pass: ['PASS', exitCode.ok],
  regression: ['REGRESSION', exitCode.regression],
  'wrong-data': ['WRONG DATA', exitCode.wrongData],
  unconfirmed: ['NOT CONFIRMED', exitCode.noVerdict],
  'no-verdict': ['NO VERDICT', exitCode.noVerdict],
} as const;

/**
 * Applies the pass/fail rule of --fail-on and prints its outcome on stderr, because another program may read stdout.
 * @returns exit code: 0 = pass, 4 = regression, 3 = wrong data, 5 = not confirmed or no verdict
 */
async function gateCode(comparison: Comparison, rule: GateRule): Promise<ExitCode> {
  const { gateOf } = await import('../../results/compare/gate.ts');
  const { outcome, reasons } = gateOf(comparison, rule);
  const [word, code] = outcomes[outcome];
  printError(`${word} (${reasons.join('; ')})\n`);
  return code;
}

export const compare = defineCommand({
  command: 'compare [run..]',
  describe: 'Compare runs with a base run: what is slower, faster or the same.',
  examples: [
    ['collbench compare last~1 last', 'the two newest runs'],
    ['collbench compare monday tuesday wednesday', 'each compared with the first'],
    ['collbench compare main branch --markdown > comment.md', 'for a pull request'],
    ['collbench compare base last --fail-on slower', 'exit 4 where something is slower'],
    ['collbench compare base last --interleave', 'measure both again, in pairs, until it is certain'],
    ['collbench compare base last --chart', 'with a chart of characters'],
    ['collbench compare base last --png change.png', 'with a picture of the changes, for a chat'],
  ],
  argument: { help: 'Ids or folders of runs, the base first; last, last~1: the newest, the one before' },
  options,
  epilogue:
    'Exit codes: 0 compared; with --fail-on also 3 wrong data, 4 something is slower, 5 not confirmed (something looks much slower) or no verdict (configurations missing, or too noisy)',
  offer: runIds,
  handler: run,
});
