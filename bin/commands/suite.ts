import { join } from 'node:path';
import type { SuiteOptions } from '../../orchestration/suites/run.ts';
import { usualPairs } from '../../results/gate/pairs.ts';
import { Refusal, type RefusalCode, refuse } from '../../results/refusals/refusal.ts';
import type { GateResult, RunPlan, SuiteRecord } from '../../results/schema/index.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type OptionRow, type OptionValues, optionName, switchOption } from '../../suites/options/option.ts';
import { keepText, ValueError } from '../../suites/options/values.ts';
import type { SuiteOptionTexts } from '../../suites/suite/types.ts';
import type { ParsedLine } from '../line/read.ts';
import { hostKeys, keyOfName, optionRows } from '../options/index.ts';
import { nearPath, printJson, printNote, printText, shapeOfStdout } from '../terminal.ts';
import { writeNamed } from '../write-file.ts';
import { defineCommand } from './command.ts';
import { shipped, suiteFiles } from './completions.ts';
import {
  baselinesOption,
  jsonOption,
  outFolder,
  pairBudgetOption,
  pairCountOption,
  rootOption,
  sharedOptions,
} from './options.ts';

/** Keys of measuring options that `collbench suite` accepts. Their values replace those of the suite file in all entries. */
const overlayKeys = [
  'launches',
  'transport',
  'interface',
  ...hostKeys,
  'timeout',
  'seed',
  'sampleInterval',
  'waitQuiet',
] as const;

/** Option-table rows of `overlayKeys`. Their values stay text, because every entry of the suite parses the text itself. */
const overlays = Object.fromEntries(
  Object.entries(sharedOptions(overlayKeys)).map(([key, { group: _, ...row }]): [string, OptionRow] => [
    key,
    {
      ...row,
      describe: `${row.describe} Applies to every entry.`,
      defaultDescription: 'as the suite says',
      coerce: keepText(row.coerce),
    },
  ]),
);
function anchorOption(text: string): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^(?:--)?([a-z-]+)=(.*)$/s.exec(text) ?? [];
  const key = keyOfName(name);
  if (key === undefined) throw new ValueError('no option of that name');
  optionRows[key].coerce(value);
  return [name, value];
}

function entryNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new ValueError('an empty name');
  return names;
}

const options = {
  list: { ...switchOption, describe: 'List the suites, or the entries of one; measure nothing' },
  only: {
    describe: 'Measure these entries alone; --list names them',
    value: 'LIST',
    allowed: 'names of entries, or of single runs, with commas between: gpu,steps',
    coerce: entryNames,
  },
  retryFlagged: { ...switchOption, describe: `${optionRows.retryFlagged.describe} Of every entry.` },
  'plan-only': {
    ...switchOption,
    synonyms: ['dry-run', 'plan'],
    describe: 'Print what would be measured; measure nothing. With --json: the complete plans',
  },
  gate: {
    ...switchOption,
    describe: 'Compare with its reference build or a baseline: exit code 4 for a regression',
  },
  anchor: {
    describe: 'Override settings of the reference build; this takes precedence over the suite file',
    defaultDescription: 'as the suite says',
    value: 'NAME=VALUE',
    allowed: 'NAME=VALUE of an option that all entries have: agent=/opt/collbench-0.1/collbench-agent',
    coerce: anchorOption,
  },
  pairs: {
    ...pairCountOption,
    describe:
      'Highest number of pairs of launches per entry with a reference build; the gate stops as soon as it is sure',
    default: usualPairs,
  },
  budget: {
    ...pairBudgetOption,
    describe:
      'Time for the pairs of each entry. Without a verdict by then, the gate says what a further pair would bring',
  },
  baseline: {
    describe:
      'Baseline to compare with if the suite has no reference build; with one, the source of the learned scatter',
    defaultDescription: 'the baseline with the name of the suite',
    value: 'NAME',
    coerce: String,
  },
  ...baselinesOption,
  out: {
    ...outFolder,
    describe: 'Folder of the suite; its runs are stored with all other runs',
    defaultDescription: 'collbench-runs/<time>-suite-<name>-<id>',
  },
  markdown: {
    describe: 'Write the verdict of the gate to a Markdown file, for a pull request',
    value: 'FILE',
    coerce: String,
  },
  all: {
    ...switchOption,
    describe: 'List every size range, also where the gate has no verdict; otherwise these are one line',
  },
  ...rootOption,
  ...jsonOption,
};
type SuiteValues = OptionValues<typeof options>;

/**
 * Runs the command `suite`. If the suite is unknown but its name is that of a stored run, suite, explanation or bisection, the
 * error says so.
 */
async function run(values: SuiteValues & { name?: string }, line: ParsedLine): Promise<void> {
  try {
    await measureOrList(values, line);
  } catch (error) {
    const isUnknown = error instanceof Refusal && unknownSuites.includes(error.code);
    const { openNamed } = await import('../../results/store/stored-record.ts');
    const stored = isUnknown ? await openNamed(values.name ?? '', values.root).catch(() => null) : null;
    throw stored === null ? error : refuse('suite-is-stored', { word: values.name ?? '', kind: stored.kind });
  }
}

const unknownSuites: readonly RefusalCode[] = ['no-such-suite', 'suite-unreadable'];

async function measureOrList(
  optionValues: SuiteValues & { name?: string },
  { words, values }: ParsedLine,
): Promise<void> {
  const { name } = optionValues;
  if (name === undefined && !optionValues.list) {
    throw refuse('which-suite');
  }
  for (const option of ['anchor', 'baseline', 'markdown', 'budget'] as const) {
    if (optionValues[option] === undefined || optionValues.gate) continue;
    const example = `suite ${name ?? 'nightly'} --gate --${option} ${option === 'budget' ? '60s' : '...'}`;
    throw refuse('option-needs-option', { option, needs: 'gate', example });
  }
  const at = { file: 'the command line', line: 1, column: 1 };
  const given = new Map(
    overlayKeys.flatMap((key) => {
      const text = values[key];
      return typeof text === 'string' ? [[optionName(key), { text, at }] as const] : [];
    }),
  );
  if (optionValues.retryFlagged) given.set('retry-flagged', { text: 'true', at });
  if (optionValues.list) return list(name, given, optionValues);
  const { anchor, baseline = null, out = null, only = null } = optionValues;
  const { pairs, budget: budgetS = null, baselines, root, gate: isGate } = optionValues;
  const request = {
    ...{ given, only, pairs, budgetS, baseline, baselines, root, out, isGate },
    anchor: new Map(anchor === undefined ? [] : [[anchor[0], { text: anchor[1], at }]]),
    command: ['collbench', 'suite', ...words],
  };
  await carryOut(name ?? '', request, optionValues);
}

async function list(name: string | undefined, given: SuiteOptionTexts, values: SuiteValues): Promise<void> {
  const { listSuites, listEntries } = await import('./suite-list.ts');
  if (name === undefined) return listSuites(values.json);
  if (values['plan-only']) throw refuse('list-or-plan');
  return listEntries(name, given, values.only ?? null, values.json);
}

async function carryOut(name: string, options: SuiteOptions, values: SuiteValues): Promise<void> {
  const { measureSuite, plansOf, prepareSuite } = await import('../../orchestration/suites/run.ts');
  const { commandOf, suiteReading } = await import('../suite-options.ts');
  const { runTools } = await import('../run-tools.ts');
  const tools = { reading: suiteReading, commandOf, run: runTools };
  const prepared = await prepareSuite(name, options, tools);
  const { record, estimateS } = prepared;
  if (values['plan-only']) {
    if (values.json) return printPlans(record, plansOf(prepared));
    const { suitePlanText } = await import('../../reports/terminal/suite-plan.ts');
    const folder = options.out ?? join(values.root, `<time>-suite-${record.name}-<id>`);
    const { columns } = shapeOfStdout(100);
    printText(suitePlanText(record, plansOf(prepared), estimateS, nearPath(folder), Math.min(columns, 100)));
    return;
  }
  const { source } = prepared;
  if (source !== null && source.baseline === null && !source.hasAnchor)
    printNote(
      `--gate: there is no reference build and no baseline, so this suite will end with NO VERDICT (exit code ${exitCode.noVerdict}) and say how to make it the baseline`,
    );
  const { suiteJson, suiteText } = await import('../screens/suite.ts');
  const { suiteFoot } = await import('../../reports/terminal/suite.ts');
  const { writeSuitePage } = await import('../../reports/html/suite.ts');
  const screenFor = () => (values.json ? suiteJson() : suiteText(record, estimateS));
  const { code, dir } = await measureSuite(prepared, options, tools, screenFor);
  const { page, answers } = await writeSuitePage(record, dir);
  printText(
    values.json
      ? `${JSON.stringify({ type: 'suite', ...record })}\n`
      : suiteFoot(record, nearPath(page), shapeOfStdout().columns, answers),
  );
  if (record.gate !== null) await tellGate(record.gate, values);
  process.exitCode = code;
}

function printPlans({ name, title, files, entries }: SuiteRecord, plans: readonly (RunPlan | null)[]): void {
  const planned = entries.map(({ cells: _, runs: __, status, ...entry }, i) => ({
    ...entry,
    canRun: status !== 'cannot-run',
    plan: plans[i] ?? null,
  }));
  printJson({ name, title, files, entries: planned }, 2);
}

async function tellGate(gate: GateResult, { json, markdown, all }: SuiteValues): Promise<void> {
  const { gateMarkdown, gateText } = await import('../../reports/gate/gate.ts');
  const width = Math.min(shapeOfStdout(100).columns, 100);
  if (!json) printText(`\n${gateText(gate, width, all)}`);
  if (markdown !== undefined) await writeNamed('--markdown', markdown, gateMarkdown(gate));
}

export const suite = defineCommand({
  command: 'suite [name]',
  describe: 'Measure a suite: smoke, sweep, nightly, thesis, more with --list, or your own.',
  argument: { help: 'A shipped suite, or a file: ./mine.yaml' },
  examples: [
    ['collbench suite smoke', 'check that it works here'],
    ['collbench suite --list', 'list all'],
    ['collbench suite nightly --gate', 'exit 0 pass, 4 regression, 5 not confirmed or no verdict'],
    ['collbench suite ./mine.yaml --plan-only', 'the plan of your own file'],
  ],
  offer: async (said) => (said.length === 0 ? [...(await shipped()), ...(await suiteFiles())] : []),
  options: { ...options, ...overlays },
  epilogue:
    'Exit codes: 0 everything was measured (--gate: and nothing is slower), 2 something did not run, 3 wrong data, 4 regression, 5 not confirmed (something looks much slower) or no verdict. More: docs/suites.md',
  handler: run,
});
