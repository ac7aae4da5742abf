import { refuse } from '../../results/refusals/refusal.ts';
import { exitCode } from '../../results/verdicts/exit-code.ts';
import { type OptionValues, switchOption } from '../../suites/options/option.ts';
import { wholeNumber } from '../../suites/options/values.ts';
import { nearPath, printSentences, printText } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { runIds } from './completions.ts';
import { rootOption } from './options.ts';

const forceOption = {
  force: {
    ...switchOption,
    describe: 'Remove runs of suites, too; the page of the suite then names them without a link',
  },
};
const options = { ...forceOption, ...rootOption };

async function remove({
  run: names,
  root,
  force,
}: OptionValues<typeof options> & { run: string[] }): Promise<void> {
  const { openRun } = await import('../../results/store/read.ts');
  const { removeRun } = await import('../../results/store/remove.ts');
  const { StoreError } = await import('../../results/store/errors.ts');
  // All runs are found and checked before the first is removed.
  const folders = new Map<string, string | null>();
  for (const name of new Set(names)) {
    const dir = await folderOf(name, root);
    const record = await openRun(dir).then(
      (run) => run.record,
      (error: unknown) => {
        // Explanations, bisections, and runs that cannot be read, can be removed, too.
        if (error instanceof StoreError) return null;
        throw error;
      },
    );
    const { suite } = record ?? {};
    if (suite !== undefined && !force) {
      throw refuse('run-of-suite', { run: name, suite: suite.name, id: suite.id });
    }
    folders.set(dir, suite?.id ?? null);
  }
  for (const dir of folders.keys()) {
    await removeRun(dir);
    printText(`removed ${nearPath(dir)}\n`);
  }
  await rewritePages([...folders.values()], root);
}

/**
 * Returns the folder of a run, an explanation or a bisection.
 * @param name id, label or path
 * @param root folder of stored runs and findings
 * @throws StoreError not-found, or names-suite if the name is that of a suite
 */
async function folderOf(name: string, root: string): Promise<string> {
  const { findRun } = await import('../../results/store/read.ts');
  const { findAnyFinding } = await import('../../results/store/findings.ts');
  const { isOfFinding } = await import('../../results/store/errors.ts');
  try {
    return await findRun(name, root);
  } catch (error) {
    const found = isOfFinding(error) ? await findAnyFinding(name, root) : null;
    if (found === null) throw error;
    return found.dir;
  }
}

/**
 * Writes the pages of suites again after runs of these suites were removed, so that the pages do not link to removed reports.
 * @param suites ids of the suites of the removed runs; null = a run without a suite
 * @param root folder of stored runs and suites
 */
async function rewritePages(suites: readonly (string | null)[], root: string): Promise<void> {
  const ids = [...new Set(suites)].filter((id) => id !== null);
  if (ids.length === 0) return;
  const { openSuite } = await import('../../results/store/suites.ts');
  const { writeSuitePage } = await import('../../reports/html/suite.ts');
  for (const id of ids) {
    const suite = await openSuite(id, root);
    // The suite was stored elsewhere (--out) or is removed.
    if (suite === null) continue;
    const { page } = await writeSuitePage(suite.record, suite.dir);
    printText(`rewrote ${nearPath(page)}: no link to what is gone\n`);
  }
}

export const rm = defineCommand({
  command: 'rm <run..>',
  describe: 'Remove stored runs with all their samples, explanations or bisections with their runs.',
  examples: [['collbench rm 7f3a2c last~1', 'two runs; baselines made from them are kept']],
  argument: { help: 'Ids, labels or folders of runs; ids or folders of explanations and bisections' },
  options,
  offer: runIds,
  handler: remove,
});

const usualKeep = 50;
const maxNames = 5;

const pruneOptions = {
  keep: {
    describe: 'How many of the newest runs to keep; required to remove any',
    value: 'N',
    allowed: 'a whole number from 0',
    example: '--keep 50',
    coerce: wholeNumber(0),
  },
  'dry-run': {
    ...switchOption,
    describe: `List the runs that would be removed; remove nothing. Default of --keep here: ${usualKeep}`,
  },
  suites: {
    ...switchOption,
    describe: 'Also remove old suites whole: all of their runs and their folder. Baselines are kept',
  },
  ...forceOption,
  ...rootOption,
};

async function pruneRuns(values: OptionValues<typeof pruneOptions>): Promise<void> {
  const { keep: said, root, force, suites: areWhole, 'dry-run': isDry } = values;
  if (said === undefined && !isDry) throw refuse('prune-keeps', { usual: usualKeep });
  const keep = said ?? usualKeep;
  const { prunable, prunableBisections, prunableExplanations, prunableSuites, removeRun } = await import(
    '../../results/store/remove.ts'
  );
  const old = await prunable(root, keep);
  const ofSuites = old.filter(({ suite }) => suite !== null);
  const whole = areWhole ? await prunableSuites(root, old) : [];
  const isWhole = (id: string) => whole.some(({ record }) => record.id === id);
  const going = force ? old : old.filter(({ suite }) => suite === null || isWhole(suite.id));
  const explanations = await prunableExplanations(root, going);
  const bisections = await prunableBisections(root, keep);
  const removals = [
    ...going.map(({ id, dir, startedAt, title, suite }) => {
      const whose = suite === null ? '' : `  (suite ${suite.name} ${suite.id})`;
      return { dir, what: `${id}  ${startedAt.slice(0, 16)}  ${title}${whose}` };
    }),
    ...whole.map(({ dir, record }) => ({ dir, what: `suite ${record.name} ${record.id}` })),
    ...explanations.map(({ dir, record }) => ({
      dir,
      what: `explanation ${record.id} of run ${record.run}`,
    })),
    ...bisections.map(({ dir, record: { id, good, bad } }) => {
      return { dir, what: `bisection ${id} of ${good} and ${bad}` };
    }),
  ];
  for (const { dir, what } of removals) {
    if (!isDry) await removeRun(dir);
    printText(`${isDry ? 'would remove' : 'removed'} ${what}\n`);
  }
  if (!isDry)
    await rewritePages(
      going.map(({ suite }) => suite?.id ?? null),
      root,
    );
  const kept = ofSuites.filter((run) => !going.includes(run));
  if (removals.length === 0) printText(`nothing to remove in ${root}: --keep ${keep}\n`);
  if (kept.length > 0) {
    const names = [...new Set(kept.map(({ suite }) => `${suite?.name} ${suite?.id}`))];
    const more = names.length > maxNames ? ', ...' : '';
    const named = `${names.slice(0, maxNames).join(', ')}${more}`;
    const remedy = areWhole ? 'their suites have newer runs' : 'remove old suites whole with --suites';
    const text = `kept ${kept.length} of suites, whose pages link to them (${named}); ${remedy}\n`;
    printSentences(text);
  }
  process.exitCode = exitCode.ok;
}

export const prune = defineCommand({
  command: 'prune',
  describe:
    'Remove old runs with their explanations, and old bisections; runs with a label or a note are kept.',
  examples: [
    ['collbench prune --keep 100 --dry-run', 'list what would be removed'],
    ['collbench prune --keep 100', 'all but the newest hundred and those with a label or note'],
    ['collbench prune --keep 400 --suites', 'old suites too, with their folders'],
  ],
  options: pruneOptions,
  handler: pruneRuns,
});
