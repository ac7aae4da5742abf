// A history of many runs as `runs.ndjson` has it, with empty run folders: an answer needs no more of them.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { indexName } from '../../results/history/index.ts';
import { recordOf } from '../../results/history/records.ts';
import type { HistoryColumn, HistoryLine } from '../../results/schema/index.ts';
import { randomSource } from '../../suites/random.ts';

/** As in the measurements this index was chosen by. */
export const runsPerNight = 24;
const random = randomSource(1);
const series = ['allreduce', 'allgather', 'reducescatter', 'broadcast'].flatMap((collective) =>
  ['socket', 'sisci'].map(
    (over) =>
      `collective;collective=${collective};dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=${over};medium=hardware`,
  ),
);
export const groups = series.flatMap((key) => ['small', 'mid', 'large'].map((regime) => `${key}/${regime}`));

const columns = groups.flatMap((group): HistoryColumn[] =>
  ['latency', 'pipelined'].map((figure) => ({ group, figure, like: 'c0ffee00', points: 9 })),
);

function line(run: number): HistoryLine {
  const at = new Date(
    Date.UTC(2025, 0, 1 + Math.floor(run / runsPerNight), 1, run % runsPerNight),
  ).toISOString();
  const night = 0.01 * (random() - 0.5);
  const value = () => 9 + night + 0.02 * (random() - 0.5);
  const figures = columns.map(() => recordOf({ log: value(), sd: 0.01, launches: 5 })).join('');
  const id = run.toString(16).padStart(6, '0');
  const folder = `${at.replace(/\.\d+/, '').replaceAll(':', '-')}-allreduce-${id}`;
  const cells = { expected: 280, measured: 280, wrong: 0, contradicted: 0 };
  return { schemaVersion: 4, folder, id, at, state: 'complete', hosts: ['vm'], cells, set: 'all', figures };
}

/** @param first number of the first run that is written; those before it are there */
export function writeHistoryOf(root: string, runs: number, first = 0): void {
  let text = first === 0 ? `${JSON.stringify({ schemaVersion: 3, set: 'all', columns })}\n` : '';
  for (let run = first; run < runs; run += 1) {
    const one = line(run);
    mkdirSync(join(root, one.folder));
    text += `${JSON.stringify(one)}\n`;
  }
  appendFileSync(join(root, indexName), text);
}
