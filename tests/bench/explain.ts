// npm run bench:explain [-- --times N --healthy N --budget TIME]: plants causes of lost time in random order, mixed with healthy
// runs, and lets `collbench explain` find them. Prints which cause it named first for each planted one. Exit 1 if fewer than
// 90 % of the planted causes or more than 2 % of the healthy runs get a wrong answer.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { randomSource, shuffle } from '../../results/random.ts';
import type { ExplanationRecord } from '../../results/schema/index.ts';
import { command } from '../e2e/harness.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    healthy: { type: 'string', default: '50' },
    budget: { type: 'string', default: '20s' },
  },
});

/** A planted cause: its id, or `none` for healthy runs, and the command that has it. */
interface Plant {
  cause: string;
  words: string;
}
const planted: readonly Plant[] = [
  { cause: 'algorithm', words: 'allreduce --sizes 2K --algo ring' },
  { cause: 'algorithm', words: 'allgather --sizes 64K --transport sisci --algo bruck' },
  { cause: 'link', words: 'allreduce --sizes 64K --transport sisci --link custom:gbps=0.5' },
  { cause: 'threads', words: 'allreduce --sizes 256K --transport shm --channels 8' },
];
const healthy: readonly Plant[] = [
  { cause: 'none', words: 'allreduce --sizes 2K' },
  { cause: 'none', words: 'allreduce --sizes 64 --transport shm' },
  { cause: 'none', words: 'allgather --sizes 64K --transport sisci' },
  { cause: 'none', words: 'broadcast --sizes 256K' },
];

const repeat = (plants: readonly Plant[], times: number): Plant[] =>
  Array.from({ length: times }, (_, at) => plants[at % plants.length] as Plant);

const folder = mkdtempSync(path.join(tmpdir(), 'collbench-bench-explain-'));

function run(words: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0 && status !== 5)
    throw new Error(`collbench ${words.join(' ')}: exit code ${status}\n${stderr}`);
  return stdout;
}

/** Measures a command and explains it. @returns id of the cause with the largest share; null if no size was explained */
function firstCause({ words }: Plant): string | null {
  run([...words.split(' '), '--launches', '3', '--iters', '50', '--label', 'planted']);
  const text = run(['explain', 'last', '--budget', values.budget, '--json']);
  const { series } = JSON.parse(text) as ExplanationRecord;
  const [size] = series.flatMap(({ sizes }) => sizes);
  if (size === undefined) return null;
  const causes = size.shares.filter(({ kind }) => kind === 'cause').sort((a, b) => b.ns - a.ns);
  return causes[0]?.id ?? 'none';
}

try {
  const asked = shuffle(
    [
      ...planted.flatMap((plant) => repeat([plant], Number(values.times))),
      ...repeat(healthy, Number(values.healthy)),
    ],
    randomSource(Date.now()),
  );
  const found = new Map<string, Map<string, number>>();
  for (const [at, plant] of asked.entries()) {
    const named = firstCause(plant) ?? 'no time';
    const row = found.get(plant.words) ?? new Map<string, number>();
    row.set(named, (row.get(named) ?? 0) + 1);
    found.set(plant.words, row);
    console.log(`${at + 1} of ${asked.length}: ${plant.words}: planted ${plant.cause}, named ${named}`);
  }
  let [right, of, alarms, quiet] = [0, 0, 0, 0];
  for (const { cause, words } of [...planted, ...healthy]) {
    const row = found.get(words) ?? new Map<string, number>();
    const text = [...row].map(([named, times]) => `${named} ${times}`).join(', ');
    console.log(`${cause.padEnd(10)} ${words}: ${text}`);
    for (const [named, times] of row) {
      if (cause === 'none')
        [alarms, quiet] = [alarms + (named === 'none' || named === 'no time' ? 0 : times), quiet + times];
      else [right, of] = [right + (named === cause ? times : 0), of + times];
    }
  }
  console.log(
    `planted causes named first: ${right} of ${of}; causes named in healthy runs: ${alarms} of ${quiet}`,
  );
  if (right < 0.9 * of || alarms > 0.02 * quiet) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
