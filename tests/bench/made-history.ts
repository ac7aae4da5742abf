// Generates many runs with their index `runs.ndjson`. Each has a run.json but no cells, because `collbench history` does not
// read cells.
import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomSource } from '../../results/random.ts';
import type { HistoryColumn, HistoryLine, RunRecord } from '../../results/schema/index.ts';
import { files } from '../../results/store/paths.ts';
import { pointText, recordOf } from '../../results/store/run-index/figures.ts';
import { indexName } from '../../results/store/run-index/lines.ts';
import { syntheticRecord } from '../../results/testing/run.ts';

/** Runs per night, as in the measurements on which the design of the index is based. */
export const runsPerNight = 24;
const random = randomSource(1);
const series = ['allreduce', 'allgather', 'reducescatter', 'broadcast'].flatMap((collective) =>
  ['socket', 'sisci'].map(
    (over) =>
      `collective;collective=${collective};dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=${over};medium=hardware`,
  ),
);
export const groups = series.flatMap((key) => ['small', 'mid', 'large'].map((regime) => `${key}/${regime}`));

const xs = Array.from({ length: 9 }, (_, i) => 8 * 2 ** i);
const columns = groups.flatMap((group): HistoryColumn[] =>
  ['latency', 'pipelined'].map((figure) => ({ group, figure, like: 'c0ffee00', xs })),
);
const cells = { expected: 280, measured: 280, wrong: 0, contradicted: 0 };
const example = syntheticRecord().record;

function recordOfRun(run: number): RunRecord {
  const startedAt = new Date(
    Date.UTC(2025, 0, 1 + Math.floor(run / runsPerNight), 1, run % runsPerNight),
  ).toISOString();
  const summary = {
    cellsMeasured: 280,
    cellsExpected: 280,
    checks: 0,
    wrongElements: 0,
    flagged: 0,
    sentences: [],
  };
  const id = run.toString(16).padStart(6, '0');
  return { ...example, id, startedAt, endedAt: startedAt, state: 'complete', exitCode: 0, summary };
}

function lineOfRun(record: RunRecord, folder: string, stamp: HistoryLine['record']): HistoryLine {
  const { id, title, startedAt } = record;
  const night = 0.01 * (random() - 0.5);
  const value = () => 9 + night + 0.02 * (random() - 0.5);
  const figures = columns.map(() => recordOf({ log: value(), sd: 0.01, launches: 5 })).join('');
  const points = columns.flatMap(() => xs.map(() => pointText(value()))).join('');
  return {
    ...{ schemaVersion: 5, folder, record: stamp, id, title, startedAt, at: startedAt },
    ...{ state: 'complete', hosts: ['vm'], cells, set: 'all', figures, points },
  };
}

/**
 * Writes runs and the index.
 * @param first number of the first run to write; runs before it already exist
 */
export function writeHistoryOf(root: string, runs: number, first = 0): void {
  let text = first === 0 ? `${JSON.stringify({ schemaVersion: 5, set: 'all', columns })}\n` : '';
  for (let run = first; run < runs; run += 1) {
    const record = recordOfRun(run);
    const folder = `${record.startedAt.replace(/\.\d+/, '').replaceAll(':', '-')}-allreduce-${record.id}`;
    mkdirSync(join(root, folder));
    const path = join(root, folder, files.record);
    writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`);
    const { size, mtimeMs } = statSync(path);
    text += `${JSON.stringify(lineOfRun(record, folder, { bytes: size, mtimeMs }))}\n`;
  }
  appendFileSync(join(root, indexName), text);
}
