// npm run bench:explain [-- --times N --pairs N --healthy N --budget TIME --only KIND,KIND]: plants causes of lost time in random
// order, mixed with healthy runs, and lets `collbench explain` find them. Prints a confusion matrix and whether the shares were
// right, in Markdown. Exit 1 if fewer than 90 % of the first causes or of the shares are right, or more than 2 % of the healthy
// runs get a cause. A cause that this machine cannot have is skipped and named.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { meanNsOf, type TimeSum, timeSumOf } from '../../results/explain/back-to-back.ts';
import { randomSource, shuffle } from '../../results/random.ts';
import { type ExplanationRecord, measuredOf } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { run } from '../e2e/harness.ts';
import { healthy, type Plant, pairs, planted } from './explain/plants.ts';
import { type Answer, type CleanTime, type CleanTimes, judge, rates, tablesOf } from './explain/tally.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    pairs: { type: 'string', default: '3' },
    healthy: { type: 'string', default: '50' },
    budget: { type: 'string', default: '60s' },
    only: { type: 'string' },
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-explain-'));
let isStopped = false;
// The running command gets Ctrl-C, too. It ends, and then this program removes what it planted.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopped = true;
  });

/** Runs collbench. @returns null if it ended with a code that is not among these */
async function collbench(words: readonly string[], prefix: readonly string[], codes: readonly number[]) {
  const ended = await run([...words], { cwd: folder, prefix: [...prefix] });
  if (codes.includes(ended.code ?? -1)) return ended.stdout;
  if (!isStopped)
    console.log(`collbench ${words.join(' ')}: exit code ${ended.code}\n${ended.stderr.slice(-2000)}`);
  return null;
}

const wordsOf = (text = ''): string[] => text.split(' ').filter(Boolean);
const counts = ['--launches', '3', '--iters', '30'];

/** Lowest and highest of a time of several launches; null if there are fewer than two. */
const endsOf = (values: readonly number[]): CleanTime | null =>
  values.length < 2 ? null : { low: Math.min(...values), high: Math.max(...values) };

/** Measures the command without the planted cause. */
async function cleanTimes(plant: Plant, out: string): Promise<CleanTimes | null> {
  const words = [...wordsOf(plant.clean), ...wordsOf(plant.cleanOptions), ...counts, '--out', out];
  if ((await collbench(words, plant.cleanPrefix ?? [], [0])) === null) return null;
  const run = await openRun(path.join(folder, out));
  const figure = measuredOf(run.cells[0], 'latency');
  const sums = new Map<number, TimeSum[]>();
  for await (const block of run.blocks())
    if (block.trial === 'pipelined')
      sums.set(block.launch, [...(sums.get(block.launch) ?? []), timeSumOf(block)]);
  return {
    // Without an interval, as with late samples, the medians of the launches bound the time.
    typical: figure?.interval ?? endsOf(figure?.launchValues ?? []),
    backToBack: endsOf([...sums.values()].flatMap((some) => meanNsOf(some) ?? [])),
  };
}

/** Measures the command with the planted cause, and explains it. */
async function answerTo(plant: Plant, number: number): Promise<Answer | null> {
  const clean = plant.causes.length === 0 ? null : await cleanTimes(plant, `clean-${number}`);
  if (isStopped) return null;
  const begun = plant.begin?.();
  try {
    const prefix = begun?.prefix ?? plant.prefix ?? [];
    const name = `./planted-${number}`;
    const words = [...wordsOf(plant.clean), ...wordsOf(plant.options), ...counts, '--out', name];
    if ((await collbench(words, prefix, [0])) === null) return null;
    const explain = ['explain', name, '--budget', values.budget, '--json'];
    const text = await collbench(explain, prefix, [0, 5]);
    if (text === null) return null;
    const { series } = JSON.parse(text) as ExplanationRecord;
    return judge(plant, series.flatMap(({ sizes }) => sizes)[0] ?? null, clean);
  } finally {
    begun?.end();
  }
}

const repeat = (plants: readonly Plant[], times: number): Plant[] =>
  Array.from({ length: plants.length === 0 ? 0 : times }, (_, at) => plants[at % plants.length] as Plant);

const wanted = values.only?.split(',');
const isWanted = ({ kind }: Plant): boolean =>
  wanted === undefined || wanted.some((word) => kind.includes(word));
const obstacles = [...planted, ...pairs, ...healthy]
  .filter(isWanted)
  .map((plant) => ({ plant, reason: plant.obstacle?.() ?? null }));
const possible = obstacles.flatMap(({ plant, reason }) => (reason === null ? [plant] : []));
const skipped = obstacles.flatMap(({ plant: { kind }, reason }) =>
  reason === null ? [] : [`${kind}: ${reason}`],
);

const asked = shuffle(
  [
    ...possible
      .filter((plant) => !healthy.includes(plant))
      .flatMap((plant) => repeat([plant], Number(pairs.includes(plant) ? values.pairs : values.times))),
    ...repeat(
      possible.filter((plant) => healthy.includes(plant)),
      Number(values.healthy),
    ),
  ],
  randomSource(Date.now()),
);
const answers: Answer[] = [];
try {
  for (const [at, plant] of asked.entries()) {
    if (isStopped) break;
    const answer = await answerTo(plant, at);
    const text =
      answer === null ? 'no result' : answer.named === null ? 'no time' : answer.named.join(', ') || 'none';
    console.log(`${at + 1} of ${asked.length}: ${plant.kind} (${plant.clean}): named ${text}`);
    if (answer !== null) answers.push(answer);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`\n${tablesOf(answers)}`);
for (const one of skipped) console.log(`skipped: ${one}`);
const { right, within, alarms } = rates(answers);
const percent = (share: number) => (Number.isNaN(share) ? 'not known' : `${(100 * share).toFixed(0)} %`);
console.log(
  `right first cause: ${percent(right)}; share within its interval: ${percent(within)}; cause named in a healthy run: ${percent(alarms)}`,
);
if (isStopped) process.exitCode = 130;
else if (right < 0.9 || within < 0.9 || alarms > 0.02) process.exitCode = 1;
