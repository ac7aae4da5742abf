// npm run bench:explain [-- --times N --pairs N --healthy N --budget TIME --only KIND,KIND --without KIND,KIND]: plants causes of lost
// time in random order, mixed with healthy runs, and lets `collbench explain` find them. Prints a confusion matrix and whether the
// shares were right, in Markdown. Exit 1 if fewer than 90 % of the first causes or of the shares are right, or more than 2 % of the
// healthy runs get a cause. A cause that this machine cannot have is skipped and named; one that does not make the command slower is
// counted apart. Several processes share a campaign, each on CPUs of its own:
//   taskset -c 0-15 npm run bench:explain -- --seed 7 --part 1/4 --out 1.ndjson --without NCCL
//   npm run bench:explain -- --merge 1.ndjson 2.ndjson 3.ndjson 4.ndjson             tables over all files
// A file gets a line for each experiment. The same command again continues it.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { minLaunches } from '../../orchestration/explain/point-launches.ts';
import { meanNsOf, type TimeSum, timeSumOf } from '../../results/explain/back-to-back.ts';
import { randomSource, shuffle } from '../../results/random.ts';
import { type ExplanationRecord, measuredOf } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { duration } from '../../suites/options/values.ts';
import { openCluster } from '../cluster/bed.ts';
import type { TestHost } from '../cluster/host.ts';
import { run } from '../e2e/harness.ts';
import { healthy, hostRateMbit, type Plant, pairs, planted } from './explain/plants.ts';
import {
  type Answer,
  type CommandTimes,
  isVisible,
  judge,
  rates,
  type TimeEnds,
  tablesOf,
} from './explain/tally.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '10' },
    pairs: { type: 'string', default: '3' },
    healthy: { type: 'string', default: '50' },
    budget: { type: 'string', default: '60s' },
    only: { type: 'string' },
    without: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    part: { type: 'string', default: '1/1' },
    out: { type: 'string' },
    merge: { type: 'boolean', default: false },
  },
});

/** An answer with its number in the campaign and what it was made from; one line of a file. */
interface Experiment extends Answer {
  seed: string;
  number: number;
  command: string;
  /** Time in s that the experiment took. */
  tookS: number;
  withCause: CommandTimes;
  withoutCause: CommandTimes | null;
  series: ExplanationRecord['series'];
}

const experimentsIn = (file: string): Experiment[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Experiment]));

/** Judges an experiment again, from its times and shares, so that files of an earlier tally count by the same rules. */
function judgedAgain(one: Experiment): Experiment {
  const plant = [...planted, ...pairs, ...healthy].find(({ kind }) => kind === one.kind);
  const size = one.series.flatMap(({ sizes }) => sizes)[0] ?? null;
  return plant === undefined ? one : { ...one, ...judge(plant, size, one.withoutCause) };
}

/** Number of launches for which the budget of an explanation suffices, also where they take long, as with NCCL. */
const launchesInBudget = minLaunches + 4;

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-explain-'));
let isStopped = false;
// The running command gets Ctrl-C, too. It ends, and then this program removes what it planted.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopped = true;
  });

/** The test hosts between which the command of an experiment runs, and what it needs to reach them; without hosts, this machine. */
interface CommandHosts {
  hosts: readonly TestHost[];
  environment: Readonly<Record<string, string>>;
  prefix: readonly string[];
  /** Options that name the hosts. */
  words: readonly string[];
}
const thisMachine: CommandHosts = { hosts: [], environment: {}, prefix: [], words: [] };

/** Runs collbench. @returns null if it ended with a code that is not among these */
async function collbench(
  words: readonly string[],
  { environment, prefix: outer }: CommandHosts,
  prefix: readonly string[],
  codes: readonly number[],
) {
  const ended = await run([...words], { cwd: folder, env: environment, prefix: [...outer, ...prefix] });
  if (codes.includes(ended.code ?? -1)) return ended.stdout;
  if (!isStopped)
    console.log(`collbench ${words.join(' ')}: exit code ${ended.code}\n${ended.stderr.slice(-2000)}`);
  return null;
}

const launches = 3;
const wordsOf = (text = ''): string[] => text.split(' ').filter(Boolean);
const countsOf = ({ iterations = 30 }: Plant): string[] => [
  ...['--launches', String(launches)],
  ...['--iters', String(iterations)],
];

/** Lowest and highest of a time of several launches; null if there are fewer than two. */
const endsOf = (values: readonly number[]): TimeEnds | null =>
  values.length < 2 ? null : { low: Math.min(...values), high: Math.max(...values) };

/** Times of the command that a run in this folder measured. */
async function timesIn(out: string): Promise<CommandTimes> {
  const measured = await openRun(path.join(folder, out));
  const figure = measuredOf(measured.cells[0], 'latency');
  const sums = new Map<number, TimeSum[]>();
  for await (const block of measured.blocks())
    if (block.trial === 'pipelined')
      sums.set(block.launch, [...(sums.get(block.launch) ?? []), timeSumOf(block)]);
  return {
    // Without an interval, as with late samples, the medians of the launches bound the time.
    typical: figure?.interval ?? endsOf(figure?.launchValues ?? []),
    backToBack: endsOf([...sums.values()].flatMap((some) => meanNsOf(some) ?? [])),
  };
}

/** Interval that contains both; the other one if one is null. */
const unionOf = (a: TimeEnds | null, b: TimeEnds | null): TimeEnds | null =>
  a === null || b === null ? (a ?? b) : { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };

/** Measures the command without the planted cause. */
async function cleanTimes(plant: Plant, place: CommandHosts, out: string): Promise<CommandTimes | null> {
  const words = [...wordsOf(plant.clean), ...wordsOf(plant.cleanOptions), ...countsOf(plant), ...place.words];
  const text = await collbench([...words, '--out', out], place, plant.cleanPrefix ?? [], [0]);
  if (text === null) return null;
  const times = await timesIn(out);
  return plant.isInherent === true ? { ...times, backToBack: times.typical } : times;
}

/** Runs a function where the command of a plant runs. */
async function onHostsOf<T>(
  { hosts, prepare }: Plant,
  body: (place: CommandHosts) => Promise<T>,
): Promise<T> {
  if (hosts === undefined) return body(thisMachine);
  const bed = await openCluster({ hosts, rateMbit: hostRateMbit });
  try {
    await prepare?.(bed.hosts);
    const words = ['--hosts', bed.hosts.map(({ name }) => name).join(',')];
    return await body({ hosts: bed.hosts, environment: bed.environment, prefix: bed.prefix, words });
  } finally {
    await bed.close();
  }
}

/**
 * Measures the command with the planted cause, and explains it. Measures it without the cause before and after, because the machine
 * may get faster or slower meanwhile. @returns null if a command failed
 */
async function experiment(plant: Plant, place: CommandHosts, number: number): Promise<Experiment | null> {
  const beganMs = performance.now();
  const tookS = () => (performance.now() - beganMs) / 1000;
  const clean = async (when: string) =>
    plant.causes.length === 0 ? null : await cleanTimes(plant, place, `clean-${when}-${number}`);
  const before = await clean('before');
  if (isStopped) return null;
  const answer = await explained(plant, place, number, tookS);
  if (answer === null) return null;
  const { withCause, size, series, command } = answer;
  const after = await clean('after');
  const without: CommandTimes | null =
    before === null || after === null
      ? (before ?? after)
      : {
          typical: unionOf(before.typical, after.typical),
          backToBack: unionOf(before.backToBack, after.backToBack),
        };
  return {
    ...{ seed: values.seed, number, ...judge(plant, size, without) },
    isVisible: without === null ? null : isVisible(withCause, without),
    ...{ command, tookS: tookS(), withCause, withoutCause: without, series },
  };
}

/**
 * Measures the command with the planted cause, explains it, and removes the cause. @returns null if a command failed
 * @param tookS returns the time in s since the experiment began
 */
async function explained(plant: Plant, place: CommandHosts, number: number, tookS: () => number) {
  const begun = await plant.begin?.(place.hosts);
  try {
    const prefix = begun?.prefix ?? plant.prefix ?? [];
    const name = `./planted-${number}`;
    const words = [...wordsOf(plant.clean), ...wordsOf(plant.options), ...countsOf(plant), ...place.words];
    const beforeS = tookS();
    if ((await collbench([...words, '--out', name], place, prefix, [0])) === null) return null;
    const launchS = (tookS() - beforeS) / launches;
    const budgetS = Math.ceil(Math.max(duration(values.budget), launchesInBudget * launchS));
    const text = await collbench(
      ['explain', name, '--budget', `${budgetS}s`, '--json'],
      ...([place, prefix, [0, 5]] as const),
    );
    if (text === null) return null;
    const { series } = JSON.parse(text) as ExplanationRecord;
    const size = series.flatMap(({ sizes }) => sizes)[0] ?? null;
    const measured = await timesIn(name);
    // An explanation measures the command more often than the run.
    const withCause: CommandTimes = {
      typical: size?.time ?? measured.typical,
      backToBack: size?.backToBack?.time ?? measured.backToBack,
    };
    return { withCause, size, series, command: [...words, '--out', name].join(' ') };
  } finally {
    await begun?.end();
  }
}

const repeat = (plants: readonly Plant[], times: number): Plant[] =>
  Array.from({ length: plants.length === 0 ? 0 : times }, (_, at) => plants[at % plants.length] as Plant);

const isNamed = ({ kind }: Plant, list: string | undefined): boolean | undefined =>
  list?.split(',').some((word) => kind.includes(word));

/** Plants all causes that this part of the campaign has, and prints each answer. */
async function campaign(): Promise<Experiment[]> {
  const obstacles = [...planted, ...pairs, ...healthy]
    .filter((plant) => isNamed(plant, values.only) !== false && isNamed(plant, values.without) !== true)
    .map((plant) => ({ plant, reason: plant.obstacle?.() ?? null }));
  for (const { plant, reason } of obstacles)
    if (reason !== null) console.log(`skipped: ${plant.kind}: ${reason}`);
  const possible = obstacles.flatMap(({ plant, reason }) => (reason === null ? [plant] : []));
  const all = shuffle(
    [
      ...possible
        .filter((plant) => !healthy.includes(plant))
        .flatMap((plant) => repeat([plant], Number(pairs.includes(plant) ? values.pairs : values.times))),
      ...repeat(
        possible.filter((plant) => healthy.includes(plant)),
        Number(values.healthy),
      ),
    ],
    randomSource(Number(values.seed)),
  );
  const [part = 1, parts = 1] = values.part.split('/').map(Number);
  const { out } = values;
  const done = out === undefined || !existsSync(out) ? [] : experimentsIn(out);
  const experiments = done.filter(({ seed }) => seed === values.seed);
  for (const [at, plant] of all.entries()) {
    const number = at + 1;
    if (isStopped) break;
    if (at % parts !== part - 1 || experiments.some((one) => one.number === number)) continue;
    const found = await onHostsOf(plant, (place) => experiment(plant, place, number));
    const named = found === null ? 'no result' : (found.named?.join(', ') ?? 'no time');
    const isHidden = found?.isVisible === false ? '; the cause is not visible' : '';
    console.log(
      `${number} of ${all.length}: ${plant.kind} (${plant.clean}): named ${named || 'none'}${isHidden}`,
    );
    if (found === null) continue;
    experiments.push(found);
    if (out !== undefined) appendFileSync(out, `${JSON.stringify(found)}\n`);
  }
  return experiments;
}

const answers = await (async () => {
  try {
    return values.merge ? positionals.flatMap(experimentsIn).map(judgedAgain) : await campaign();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
})();
console.log(`\n${tablesOf(answers)}`);
const { right, within, alarms } = rates(answers);
const percent = (share: number) => (Number.isNaN(share) ? 'not known' : `${(100 * share).toFixed(0)} %`);
console.log(
  `${answers.length} experiments; right first cause: ${percent(right)}; share within its interval: ${percent(within)}; cause named in a healthy run: ${percent(alarms)}`,
);
if (isStopped) process.exitCode = 130;
else if (right < 0.9 || within < 0.9 || alarms > 0.02) process.exitCode = 1;
