import type { BisectionRecord, ExplanationRecord } from '../../results/schema/index.ts';
import type { LoadedFolder } from '../../results/store/folder.ts';
import type { RunEntry } from '../../results/store/types.ts';
import { sanitiseLine, wrapBeside } from '../../results/text.ts';
import type { OptionValues } from '../../suites/options/option.ts';
import { printJson, printSentences, printText, shapeOfStdout } from '../terminal.ts';
import { defineCommand } from './command.ts';
import { jsonOption, rootOption } from './options.ts';

const options = {
  filter: {
    describe:
      'Only runs that match every word: in id, title, state, label, suite or entry, or as a tag NAME=VALUE',
    value: 'WORDS',
    example: '--filter "socket rack=7"',
    coerce: (text: string) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
  },
  ...rootOption,
  ...jsonOption,
};

/** A line in the list of `collbench runs`: a run, an explanation or a bisection. */
interface ListedRecord {
  id: string;
  startedAt: string;
  state: string;
  /**
   * For a run the number of measured and of expected configurations: "20/22" ("?" = unknown). For an explanation the number of
   * explained sizes. For a bisection the number of changes found and of items: "1/64".
   */
  count: string;
  about: string;
  /** Text in which --filter searches, in lower case. */
  searched: string;
  json: object;
}

/**
 * Text about the suite of a run: "suite nightly 41c2aa: small, reference build, second measurement". "" if the run belongs to no
 * suite.
 */
function suiteText(suite: RunEntry['suite']): string {
  if (suite === null) return '';
  const { id, name, entry, arm, pass } = suite;
  const parts = [
    entry,
    ...(arm === 'anchor' ? ['reference build'] : []),
    ...(pass === 'again' ? ['second measurement'] : []),
  ];
  return `suite ${name} ${id}: ${parts.join(', ')}`;
}

function ofRun(entry: RunEntry): ListedRecord {
  const { id, startedAt, state, cellsMeasured, cellsExpected, title, problem, label, tags, suite } = entry;
  const named = Object.entries(tags).map((tag) => tag.join('='));
  const marks = [
    ...(label === null ? [] : [`'${label}'`]),
    ...named,
    ...(suite === null ? [] : [suiteText(suite)]),
  ];
  return {
    ...{ id, startedAt, state },
    count: `${cellsMeasured ?? '?'}/${cellsExpected ?? '?'}`,
    about: [problem ?? title, ...marks].join(' · '),
    searched: [id, title, state, label ?? '', suiteText(suite), ...named].join(' ').toLowerCase(),
    json: entry,
  };
}

function ofExplanation({ dir, record }: LoadedFolder<ExplanationRecord>): ListedRecord {
  const { id, startedAt, run, ended, series, operation } = record;
  const sizes = series.reduce((sum, one) => sum + one.sizes.length, 0);
  const state = ended === null ? 'complete' : ended === 'budget' ? 'partial' : ended;
  const about = `explanation of run ${run}: why ${operation} is not faster`;
  return {
    ...{ id, startedAt, state, count: String(sizes), about },
    searched: `${id} ${state} ${about}`.toLowerCase(),
    json: { kind: 'explanation', dir, id, startedAt, state, run, operation, sizes },
  };
}

function ofBisection({ dir, record }: LoadedFolder<BisectionRecord>): ListedRecord {
  const { id, startedAt, good, bad, ended, stages, command, items } = record;
  const changes = stages.filter(({ end, partnerOf }) => end === 'found' && partnerOf === null).length;
  const state = ended ?? 'complete';
  const about = `bisection of ${command[0]} between ${good} and ${bad}`;
  return {
    ...{ id, startedAt, state, count: `${changes}/${items.length}`, about },
    searched: `${id} ${state} ${about}`.toLowerCase(),
    json: { kind: 'bisection', dir, id, startedAt, state, good, bad, items: items.length, changes },
  };
}

/**
 * Returns the lines of the list: the runs, oldest first, each followed by its explanations. Explanations of runs that are not in
 * the list come last.
 */
function listed(
  runs: readonly RunEntry[],
  explanations: readonly LoadedFolder<ExplanationRecord>[],
): ListedRecord[] {
  const of = (run: string) => explanations.filter(({ record }) => record.run === run).map(ofExplanation);
  const others = explanations.filter(({ record }) => runs.every(({ id }) => id !== record.run));
  return [...runs.flatMap((entry) => [ofRun(entry), ...of(entry.id)]), ...others.map(ofExplanation)];
}

async function list({ root, json, filter = [] }: OptionValues<typeof options>): Promise<void> {
  const { listRuns } = await import('../../results/store/list.ts');
  const { listFindings } = await import('../../results/store/findings.ts');
  const bisections = (await listFindings('bisection', root)).map(ofBisection);
  const all = [...listed(await listRuns(root), await listFindings('explanation', root)), ...bisections];
  const entries = all.filter(({ searched }) => filter.every((word) => searched.includes(word)));
  if (json) {
    for (const entry of entries) printJson(entry.json);
    return;
  }
  if (entries.length === 0 && all.length > 0) {
    printSentences(`none of ${all.length} runs has all of: ${filter.join(' ')}\n`);
    return;
  }
  if (entries.length === 0) {
    printSentences(`no runs in ${root}. Make one: collbench allreduce --max 1M\n`);
    return;
  }
  const widest = Math.max(...entries.map(({ state }) => state.length));
  for (const { id, startedAt, state, count, about } of entries) {
    const time = startedAt.replace('T', ' ').slice(0, 16).padEnd(16);
    const lead = `${id.padEnd(6)}  ${time}  ${state.padEnd(widest)}  ${count.padStart(9)}  `;
    const text = sanitiseLine(about);
    // A terminal would break a longer line within a word. A pipe gets exactly one line per run.
    const width = Math.max(lead.length + 24, shapeOfStdout().columns);
    const lines = process.stdout.isTTY ? wrapBeside(lead, text, width) : [lead + text];
    printText(`${lines.join('\n')}\n`);
  }
}

export const runs = defineCommand({
  command: 'runs',
  describe: 'List the stored runs, each with its explanations, and the bisections.',
  examples: [
    ['collbench runs', 'id, time (UTC), state, configurations, title, label, tags and suite of each'],
    ['collbench runs --filter "socket rack=7"', 'socket runs with that tag'],
  ],
  options,
  handler: list,
});
