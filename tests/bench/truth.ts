// npm run bench:truth [-- --quick] [-- --only intervals|launches|wander|runs|nights|pools]: how often intervals contain the true value
// and how often verdicts are wrong. Uses seeded noise, recorded samples and recorded launches. Writes docs/truth.md and
// results/reference/truth.json; exit 1 if intervals break their promise (truth/misses.ts). --quick does a tenth of the
// repetitions, writes nothing and fails only on certain errors. --only keeps the stored results of the other parts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Regime } from '../../results/derive/cells/cell-group.ts';
import { root } from '../e2e/harness.ts';
import type { FlagLimits } from './flags/table.ts';
import { simulateLaunches, simulateSingleLaunch } from './truth/coverage.ts';
import { nights, type SimulatedNight } from './truth/gate.ts';
import { simulateAddedLaunches, simulateLaunchProfiles } from './truth/launch-profiles.ts';
import { missesOf } from './truth/misses.ts';
import { readPool } from './truth/pool-file.ts';
import { entriesOf, groupsOf, poolRows } from './truth/pool-nights.ts';
import { simulateRecordedRuns } from './truth/recorded.ts';
import {
  type GateRow,
  type HistoryFigures,
  type PoolNights,
  type TruthReport,
  truthDocument,
} from './truth/report.ts';
import { type SeparateRuns, simulateSeparateRuns } from './truth/separate-runs.ts';
import { underStalls } from './truth/stalls.ts';
import { simulateStops } from './truth/stop.ts';
import { comparedLaunches, drawPool, simulateWander, type WanderCoverage } from './truth/wander.ts';

const { quick, only } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
}).values;
const parts = ['intervals', 'launches', 'wander', 'runs', 'nights', 'pools'] as const;
if (only !== undefined && !(parts as readonly string[]).includes(only)) {
  throw new RangeError(`--only ${only}: allowed are ${parts.join(', ')}`);
}
const count = (n: number): number => (quick ? Math.ceil(n / 10) : n);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const each = (r: number): Record<Regime, number> => ({ small: r, mid: r, large: r, all: r });
/** Launches per size range in the nightly suite: more for the sizes that scatter most. */
const nightly: Record<Regime, number> = { small: 8, mid: 5, large: 5, all: 5 };

function row(what: string, night: SimulatedNight, many: number, seed: number): GateRow {
  say(what);
  return { what, outcome: nights(night, count(many), seed) };
}

const alarmRows = (): GateRow[] => [
  row('8, 5, 5 launches, scatter learned', { launches: nightly, learned: 1 }, 3000, 31),
  row('3 launches, scatter learned', { launches: each(3), learned: 1 }, 400, 32),
  row('8, 5, 5 launches, nothing learned', { launches: nightly, learned: null }, 400, 33),
  row('3 launches, nothing learned', { launches: each(3), learned: null }, 400, 34),
  row('8, 5, 5 launches, learned half of the variance', { launches: nightly, learned: 0.5 }, 400, 35),
  row('8, 5, 5 launches, learned a quarter of it', { launches: nightly, learned: 0.25 }, 400, 36),
];

function powerRows(): GateRow[] {
  const rows: GateRow[] = [];
  for (const percent of [3, 5]) {
    for (const regime of ['small', 'mid', 'large'] as const) {
      const effect = { regime, log: Math.log1p(percent / 100) };
      for (const r of [3, 5, 8]) {
        const what = `+${percent} % of a ${regime} group, ${r} launches, learned`;
        rows.push(
          row(what, { launches: each(r), learned: 1, effect }, r === nightly[regime] ? 400 : 120, 40 + r),
        );
      }
      const what = `+${percent} % of a ${regime} group, ${nightly[regime]} launches, nothing learned`;
      rows.push(row(what, { launches: nightly, learned: null, effect }, 120, 50));
    }
  }
  return rows;
}

const poolFolder = path.join(root, 'results', 'reference', 'launch-pools');
const poolFiles = (): string[] =>
  existsSync(poolFolder)
    ? readdirSync(poolFolder)
        .filter((name) => name.endsWith('.json.gz'))
        .sort()
    : [];

async function poolNights(): Promise<PoolNights[]> {
  const found: PoolNights[] = [];
  for (const file of poolFiles()) {
    const pool = await readPool(path.join(poolFolder, file));
    const { machine, command, note } = pool;
    const entries = entriesOf(pool);
    found.push({
      ...{ name: path.basename(file, '.json.gz'), machine, command, note },
      groups: groupsOf(entries).length,
      cells: entries.reduce((sum, { cells }) => sum + cells.length, 0),
      launches: Math.min(...entries.map(({ recorded }) => recorded)),
      arms: [...new Set(entries.map((entry) => entry.launches))],
      rows: poolRows(pool, count(500), say),
    });
  }
  return found;
}

async function intervals(): Promise<
  Pick<TruthReport, 'within' | 'stop' | 'between' | 'recorded' | 'stalls'>
> {
  say('intervals of one launch');
  const within = simulateSingleLaunch(count(4000));
  say('sampled until precise');
  const stop = simulateStops(count(2000));
  say('intervals between launches');
  const between = simulateLaunches(count(2000));
  say('recorded samples');
  say('stalled samples');
  const stalls = underStalls(count(1500));
  return { within, stop, between, stalls, recorded: await simulateRecordedRuns(count(40)) };
}

async function wander(): Promise<WanderCoverage[]> {
  say('few and many launches in the same time');
  const rows = simulateWander(count(2000));
  for (const file of poolFiles()) {
    const pool = await readPool(path.join(poolFolder, file));
    rows.push(...drawPool(path.basename(file, '.json.gz'), pool, count(2000)));
  }
  return rows;
}

function launches(): Pick<TruthReport, 'launchProfiles' | 'addedLaunches'> {
  say('launches with the help of other sizes');
  const launchProfiles = simulateLaunchProfiles(count(4000));
  say('launches that are added');
  return { launchProfiles, addedLaunches: simulateAddedLaunches(count(150)) };
}

function separateRuns(): SeparateRuns[] {
  const kinds = (['socket', 'sisci'] as const).flatMap((transport) =>
    [0.01, 0.03, 0.05].flatMap((runSd) => [0, 10].map((earlier) => ({ transport, runSd, earlier }))),
  );
  return kinds.map((kind) => {
    say(`separate runs: ${JSON.stringify(kind)}`);
    return simulateSeparateRuns(kind, count(200));
  });
}

const json = path.join(root, 'results', 'reference', 'truth.json');
const before = only === undefined ? null : (JSON.parse(readFileSync(json, 'utf8')) as TruthReport);
const launchesOf = ({ launchProfiles, addedLaunches }: TruthReport) => ({ launchProfiles, addedLaunches });
const intervalsOf = ({ within, stop, between, recorded, stalls }: TruthReport) => ({
  ...{ within, stop, between, recorded, stalls },
});
const isDue = (part: (typeof parts)[number]): boolean => before === null || only === part;
const truth: TruthReport = {
  command: 'npm run bench:truth',
  node: process.versions.node,
  ...(isDue('intervals') ? await intervals() : intervalsOf(before as TruthReport)),
  ...(isDue('launches') ? launches() : launchesOf(before as TruthReport)),
  wander: isDue('wander') ? await wander() : (before as TruthReport).wander,
  separateRuns: isDue('runs') ? separateRuns() : (before as TruthReport).separateRuns,
  ...(isDue('nights')
    ? { alarms: alarmRows(), power: powerRows() }
    : { alarms: (before as TruthReport).alarms, power: (before as TruthReport).power }),
  pools: isDue('pools') ? await poolNights() : ((before as TruthReport).pools ?? []),
};
const flagFile = path.join(root, 'results', 'reference', 'flag-limits.json');
const limits = existsSync(flagFile) ? (JSON.parse(readFileSync(flagFile, 'utf8')) as FlagLimits[]) : [];
const historyFile = path.join(root, 'docs', 'generated', 'truth-history.json');
const { figures } = JSON.parse(readFileSync(historyFile, 'utf8')) as { figures: HistoryFigures[] };
const text = truthDocument(truth, limits, figures);
process.stdout.write(text);
if (!quick) {
  const file = path.join(root, 'docs', 'truth.md');
  const others = readFileSync(file, 'utf8')
    .split(/^(?=## )/m)
    .slice(1)
    .filter((section) => !text.includes(section.slice(0, section.indexOf('\n') + 1)));
  // Sections that other benchmarks made stay.
  writeFileSync(
    file,
    [text.trimEnd(), ...others.map((section) => section.trimEnd())].join('\n\n').concat('\n'),
  );
  writeFileSync(json, `${JSON.stringify(truth, null, 1)}\n`);
}
const { within, stop, between, launchProfiles, addedLaunches, recorded } = truth;
// Rows with as few launches as runs had earlier are shown for comparison.
const ofToday = truth.wander.filter(({ launches }) => launches === Math.max(...comparedLaunches));
const misses = missesOf(
  [within, stop, between, launchProfiles, addedLaunches, ofToday, recorded].flat(),
  truth.stalls,
  quick,
);
for (const miss of misses) say(`MISS ${miss}`);
if (misses.length > 0) process.exitCode = 1;
