import path from 'node:path';
import { prepareDrawing } from '../../reports/charts/drawings.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { StoredFinding } from '../../results/store/findings.ts';
import type { StoredRecord } from '../../results/store/stored-record.ts';
import type { LoadedSuite } from '../../results/store/suites.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { choiceOption, type OptionValues } from '../../suites/options/option.ts';
import { printNote, printText } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { outFolder, rootOption } from './options.ts';

/**
 * Writes the HTML page of a suite into the suite's folder, and a report into the folder of each of its runs. The page links to the
 * reports. For a run that cannot be read it prints a warning.
 */
async function writeSuiteReports(suite: LoadedSuite): Promise<void> {
  const { reportOf } = await import('../report-of.ts');
  const { writeSuitePage } = await import('../../reports/html/suite.ts');
  const { plural } = await import('../../reports/wording.ts');
  const { openRun } = await import('../../results/store/read.ts');
  const { runsOfSuite } = await import('../../results/store/suites.ts');
  const { StoreError } = await import('../../results/store/errors.ts');
  const { dir, record } = suite;
  const runs = runsOfSuite(suite);
  let written = 0;
  for (const { id, folder } of runs) {
    try {
      const run = await openRun(path.join(dir, folder));
      // suite.json is not trusted: the folder must contain the run with this id, or nothing is written there.
      if (run.record.id !== id) throw new StoreError('not-found', folder, `${folder} is not run ${id}`);
      for (const warning of run.warnings) printNote(`run ${id}: ${warning}`);
      await reportOf([run], run.dir);
      written += 1;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      printNote(`run ${id} has no report: ${error.message}`);
    }
  }
  const { page } = await writeSuitePage(record, dir);
  printText(`report: ${page}\n${written} of ${plural(runs.length, 'run')} with a report beside it\n`);
  process.exitCode = exitCode.ok;
}

async function openAll(names: readonly string[], root: string): Promise<StoredRecord[]> {
  const { openNamed } = await import('../../results/store/stored-record.ts');
  const opened: StoredRecord[] = [];
  for (const name of names) opened.push(await openNamed(name, root, names.length === 1));
  return opened;
}

const options = {
  out: { ...outFolder, describe: 'Folder to write to; for several runs: collbench-report' },
  figures: {
    describe:
      'Write figures and tables for print instead: SVG, PDF, LaTeX and CSV, into figures-thesis/ beside the report',
    value: 'SET',
    ...choiceOption(['thesis']),
  },
  theme: {
    describe: 'Style of these figures; thesis if not given',
    value: 'NAME',
    ...choiceOption(['thesis', 'default', 'talk']),
  },
  'theme-file': { describe: 'A Vega config (JSON) over the theme', value: 'FILE', coerce: String },
  ...rootOption,
};

/**
 * Returns each run once, by its id, in the order in which they were named first, and prints a note about each repetition. A user
 * may name a run twice, for example by shell completion; it would then be drawn as two series.
 */
function once<T extends { record: { id: string } }>(runs: readonly T[]): T[] {
  const found = new Map<string, T>();
  for (const run of runs) {
    if (found.has(run.record.id)) printNote(`run ${run.record.id} is named twice: drawn once`);
    found.set(run.record.id, run);
  }
  return [...found.values()];
}

/**
 * Writes figures for print (--figures) of all named runs and of all runs of a named suite, together into one folder. The folder is
 * that of --out, else the folder of the only run or suite, else collbench-report.
 * @throws StoreError if a run cannot be read, or if a name is that of an explanation or bisection
 */
async function writeFigureSets(names: readonly string[], values: ReportOptions): Promise<void> {
  const { openRun } = await import('../../results/store/read.ts');
  const { runsOfSuite } = await import('../../results/store/suites.ts');
  const { writeFigures } = await import('./report-figures.ts');
  const named = await openAll(names, values.root);
  await onlyFinding(named, names, false);
  const opened = [];
  for (const one of named) {
    if (one.kind === 'run') opened.push(one.run);
    if (one.kind === 'suite')
      for (const { folder } of runsOfSuite(one.suite))
        opened.push(await openRun(path.join(one.suite.dir, folder)));
  }
  const [only, another] = named;
  const own = only?.kind === 'suite' ? only.suite.dir : only?.kind === 'run' ? only.run.dir : undefined;
  const folder = (another === undefined ? own : undefined) ?? 'collbench-report';
  const runs = once(opened);
  for (const warning of runs.flatMap(({ warnings }) => warnings)) printNote(warning);
  await writeFigures(runs, values.out ?? folder, {
    theme: values.theme ?? 'thesis',
    themeFile: values['theme-file'],
  });
}

/**
 * Returns the explanation or bisection that the user named; null if only runs and suites are named.
 * @param names names as typed, in the order of `named`
 * @param isAllowed false if the user gave an option that only runs have
 * @throws StoreError names-explanation or names-bisection, if the explanation or bisection is not allowed or not the only name
 */
async function onlyFinding(
  named: readonly StoredRecord[],
  names: readonly string[],
  isAllowed: boolean,
): Promise<StoredFinding | null> {
  for (const [at, one] of named.entries()) {
    if (one.kind === 'run' || one.kind === 'suite') continue;
    if (isAllowed && named.length === 1) return one;
    const { namesFinding } = await import('../../results/store/findings.ts');
    throw namesFinding(names[at] ?? '', one);
  }
  return null;
}

type ReportOptions = OptionValues<typeof options>;

async function writeReports(values: ReportOptions & { run: string[] }): Promise<void> {
  const names = values.run;
  if (values.figures !== undefined) return writeFigureSets(names, values);
  for (const option of ['theme', 'theme-file'] as const) {
    if (values[option] === undefined) continue;
    const example = `report ${names.join(' ')} --figures thesis --${option} ${values[option]}`;
    throw refuse('option-needs-option', { option, needs: 'figures', example });
  }
  prepareDrawing();
  const { root, out: asked } = values;
  const named = await openAll(names, root);
  const finding = await onlyFinding(named, names, asked === undefined);
  if (finding !== null) {
    const { writeFindingPage } = await import('../finding.ts');
    return printText(`report: ${await writeFindingPage(finding)}\n`);
  }
  const suite = named.find((one) => one.kind === 'suite')?.suite;
  if (suite !== undefined && names.length === 1 && asked === undefined) return writeSuiteReports(suite);
  if (suite !== undefined)
    throw refuse('suite-told-alone', { suite: suite.record.id, isOneOfSeveral: names.length > 1 });
  const { reportOf } = await import('../report-of.ts');
  const loaded = once(named.flatMap((one) => (one.kind === 'run' ? [one.run] : [])));
  const pairs = loaded.find(({ record }) => record.plan.pairs !== undefined);
  if (pairs !== undefined && loaded.length > 1) {
    throw refuse('pairs-reported-alone', { run: pairs.record.id });
  }
  const only = loaded.length === 1 ? loaded[0] : undefined;
  for (const warning of loaded.flatMap(({ warnings }) => warnings)) printNote(warning);
  const { html, figures } = await reportOf(loaded, asked ?? only?.dir ?? 'collbench-report');
  printText(`report: ${html}\nfigures: ${figures.length} files beside it\n`);
  process.exitCode = exitCode.ok;
}

/**
 * Command that writes report.html and figures/ into the folder of the run, or into the folder of `--out`. For a suite it writes the
 * suite's page and the reports of its runs; for an explanation or bisection its page.
 */
export const report = defineCommand({
  command: 'report <run..>',
  describe: 'Write report.html and figures/ of one or several runs, or of a suite and all its runs.',
  examples: [
    ['collbench report 7f3a2c', 'again, into the folder of the run'],
    [
      'collbench report 2026-11-21T02-00-00Z-suite-nightly-1b2c3d',
      'the page of a suite, and a report of each run',
    ],
    ['collbench report monday tuesday --out compared', 'several runs in one report'],
    ['collbench report 7f3a2c --figures thesis', 'for print: PDF, SVG, LaTeX tables, captions, CSV'],
  ],
  argument: {
    help: 'Ids, labels or folders of runs, or one suite, explanation or bisection; last: the newest run or suite',
  },
  options,
  offer: runIds,
  handler: writeReports,
});
