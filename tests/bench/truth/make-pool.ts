// node dist/tests/bench/truth/make-pool.js OUT.json.gz [--note TEXT] [--pairs] DIR...: makes a pool of recorded launches for npm run
// bench:truth and bench:nights (results/reference/launch-pools). DIR is a run, or a folder of runs (collbench-runs). With --pairs only
// runs count that a gate or compare --interleave launched in pairs; each pair is kept together.
import { parseArgs } from 'node:util';
import { lowTimesOf } from '../../../results/gate/low-times.ts';
import { StoreError } from '../../../results/store/errors.ts';
import { listRuns } from '../../../results/store/list.ts';
import { openRun } from '../../../results/store/read.ts';
import type { LoadedRun } from '../../../results/store/types.ts';
import { writePool } from './pool-file.ts';
import { poolOfRuns } from './pool-of-runs.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { note: { type: 'string', default: '' }, pairs: { type: 'boolean', default: false } },
});
const [out, ...dirs] = positionals;
if (out === undefined || !out.endsWith('.json.gz') || dirs.length === 0) {
  say(
    'usage: make-pool.js OUT.json.gz [--note TEXT] [--pairs] DIR...   DIR: a run, or a folder with runs in it',
  );
  process.exit(1);
}

/** Runs whose pair is complete. Turns 2k and 2k + 1 of a suite are a pair. */
function wholePairs(all: readonly LoadedRun[]): LoadedRun[] {
  const pairOf = ({ record: { suite } }: LoadedRun): string =>
    suite === undefined ? '' : `${suite.id} ${suite.entry} ${Math.floor(suite.turn / 2)}`;
  const counts = new Map<string, number>();
  for (const run of all) counts.set(pairOf(run), (counts.get(pairOf(run)) ?? 0) + 1);
  return all.filter((run) => pairOf(run) !== '' && counts.get(pairOf(run)) === 2);
}

const runs: LoadedRun[] = [];
const open = async (dir: string): Promise<void> => {
  const run = await openRun(dir);
  if (run.record.state === 'complete') runs.push(run);
  else say(`${dir}: ${run.record.state}, left out`);
};
for (const dir of dirs) {
  try {
    await open(dir);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'not-found') throw error;
    const found = await listRuns(dir);
    if (found.length === 0) throw error;
    for (const { dir: one } of found) await open(one);
  }
}
const paired = values.pairs ? wholePairs(runs) : runs;
const lowTimes = new Map<LoadedRun, ReadonlyMap<string, number>>();
if (values.pairs) for (const run of paired) lowTimes.set(run, await lowTimesOf(run));
const { pool, leftOut } = poolOfRuns(paired, values.note, values.pairs ? lowTimes : undefined);
for (const sentence of leftOut) say(`left out: ${sentence}`);
await writePool(out, pool);
for (const { title, sizesBytes, launchMediansNs } of pool.series) {
  say(`${title}: ${sizesBytes.length} sizes in ${launchMediansNs.length} launches`);
}
say(`${out}: ${pool.series.length} series of ${paired.length} runs, ${pool.machine}`);
