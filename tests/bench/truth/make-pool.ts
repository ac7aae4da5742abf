// node dist/tests/bench/truth/make-pool.js OUT.json.gz [--note TEXT] DIR...: makes a pool of recorded launches for npm run
// bench:truth (results/reference/launch-pools). DIR is a run, or a folder of runs (collbench-runs).
import { parseArgs } from 'node:util';
import { StoreError } from '../../../results/store/errors.ts';
import { listRuns } from '../../../results/store/list.ts';
import { openRun } from '../../../results/store/read.ts';
import type { LoadedRun } from '../../../results/store/types.ts';
import { writePool } from './pool-file.ts';
import { poolOfRuns } from './pool-of-runs.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { note: { type: 'string', default: '' } },
});
const [out, ...dirs] = positionals;
if (out === undefined || !out.endsWith('.json.gz') || dirs.length === 0) {
  say('usage: make-pool.js OUT.json.gz [--note TEXT] DIR...   DIR: a run, or a folder with runs in it');
  process.exit(1);
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
const { pool, leftOut } = poolOfRuns(runs, values.note);
for (const sentence of leftOut) say(`left out: ${sentence}`);
await writePool(out, pool);
for (const { title, sizesBytes, launchMediansNs } of pool.series) {
  say(`${title}: ${sizesBytes.length} sizes in ${launchMediansNs.length} launches`);
}
say(`${out}: ${pool.series.length} series of ${runs.length} runs, ${pool.machine}`);
