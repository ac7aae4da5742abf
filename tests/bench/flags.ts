// npm run bench:flags [-- --ranks 2 --rounds 8 --busy 0.1,0.2,0.5,1,2 --pauses 5,20,100 --losses 0.01,0.1,1 --write]: measures
// how far disturbances of known size move a figure, in short runs that alternate with undisturbed ones. The limits of the flags
// `cpu-busy`, `late` and `retransmits` are derived from the result (docs/truth.md). --write stores the table in
// results/reference/flag-limits.json, from which the page is made.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { mean, median, sampleStandardDeviation } from 'simple-statistics';
import { measuredOf, type OkCell } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { root } from '../e2e/harness.ts';
import {
  busyCores,
  type Disturbance,
  lostSegments,
  noDisturbance,
  pausedRanks,
} from './flags/disturbances.ts';
import { type FlagLimits, flagTable } from './flags/table.ts';

const { values } = parseArgs({
  options: {
    ranks: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '8' },
    sizes: { type: 'string', default: '8,64K,1M' },
    busy: { type: 'string', default: '0.1,0.2,0.5,1,2' },
    pauses: { type: 'string', default: '5,20,100' },
    losses: { type: 'string', default: '0.01,0.1,1' },
    write: { type: 'boolean', default: false },
  },
});
const listed = (text: string): number[] => text.split(',').filter(Boolean).map(Number);
const disturbances: Disturbance[] = [
  noDisturbance,
  ...listed(values.busy).map(busyCores),
  ...listed(values.pauses).map(pausedRanks),
  ...listed(values.losses).map(lostSegments),
];
const program = path.join(root, 'dist', 'bin', 'collbench.js');
const folder = mkdtempSync(path.join(tmpdir(), 'flags-'));

/** Measures one launch with fixed counts, disturbed from start to end. */
async function measure(disturbance: Disturbance, out: string): Promise<OkCell[]> {
  const words = `allreduce --sizes ${values.sizes} --ranks ${values.ranks} --iters 200 --launches 1 --sample-interval 20ms`;
  const ended = new Promise<void>((resolve, reject) => {
    const whole = [
      ...(disturbance.prefix ?? []),
      process.execPath,
      program,
      ...words.split(' '),
      '--out',
      out,
    ];
    const [first = '', ...rest] = whole;
    const run = execFile(first, rest, (error, _, stderr) => {
      end();
      // The exit code is ignored, because flags and late starts are expected; the figures are read anyway.
      if (error === null) resolve();
      else reject(new Error(stderr));
    });
    const end = disturbance.begin(run.pid ?? 0);
  });
  await ended;
  return (await openRun(out)).cells.filter((cell): cell is OkCell => cell.status === 'ok');
}

/** Retransmitted segments per operation, from the reason of the flag; 0 without the flag. */
const againIn = (cell: OkCell | undefined): number => {
  const reason = cell?.flags.find(({ name }) => name === 'retransmits')?.reason ?? '';
  const [, count = '0', operations = '1'] = /^(\d+) .* in (\d+) operations/.exec(reason) ?? [];
  return Number(count) / Number(operations);
};

const seenIn = (cell: OkCell, { flag }: Disturbance): number =>
  flag === 'late'
    ? (measuredOf(cell, 'latency')?.lateShare ?? 0)
    : flag === 'retransmits'
      ? againIn(cell)
      : Math.max(0, ...(cell.load?.hosts ?? []).map(({ competingCores }) => competingCores ?? 0));

const logOf = (cell: OkCell | undefined, name = 'latency'): number =>
  Math.log((cell === undefined ? null : measuredOf(cell, name))?.value ?? Number.NaN);

/** Cells by disturbance, round and size: [disturbance][round][size]. */
const found: OkCell[][][] = disturbances.map(() => []);
try {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // The order is reversed in every second round, so that drift of the machine affects all disturbances equally.
    const order = disturbances.map((_, i) => (round % 2 === 0 ? i : disturbances.length - 1 - i));
    for (const i of order) {
      const out = path.join(folder, `${round}-${i}`);
      found[i]?.push(await measure(disturbances[i] ?? noDisturbance, out));
    }
    process.stderr.write(`round ${round + 1} of ${values.rounds}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const quiet = found[0] ?? [];
const sizes = values.sizes.split(',');
/**
 * Half width of the usual interval by size: mean of three launches with the help of other sizes (t with 6 degrees of freedom).
 */
const usualHalf = sizes.map(
  (_, s) => (2.447 * sampleStandardDeviation(quiet.map((cells) => logOf(cells[s])))) / Math.sqrt(3),
);
const movedBy = (rounds: readonly OkCell[][], name: string): number[] =>
  sizes.map((_, s) => median(rounds.map((cells, r) => logOf(cells[s], name) - logOf(quiet[r]?.[s], name))));

const limits: FlagLimits = {
  machine: `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  ...{ ranks: Number(values.ranks), rounds: Number(values.rounds), sizes, usualHalf },
  rows: disturbances.map((one, i) => {
    const rounds = found[i] ?? [];
    const all = rounds.flat();
    return {
      what: one.what,
      flag: one.flag,
      seen: all.length === 0 ? 0 : mean(all.map((cell) => seenIn(cell, one))),
      flagged:
        all.filter((cell) => cell.flags.some(({ name }) => name === one.flag)).length /
        Math.max(1, all.length),
      moved: movedBy(rounds, 'latency'),
      ...(one.flag === 'retransmits'
        ? {
            bySize: {
              seen: sizes.map((_, s) => mean(rounds.map((cells) => againIn(cells[s])))),
              movedPipelined: movedBy(rounds, 'pipelined'),
            },
          }
        : {}),
    };
  }),
};
process.stdout.write(flagTable(limits));
if (values.write) {
  const file = path.join(root, 'results', 'reference', 'flag-limits.json');
  const there = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as FlagLimits[]) : [];
  const others = there.filter(({ machine, ranks }) => machine !== limits.machine || ranks !== limits.ranks);
  writeFileSync(file, `${JSON.stringify([...others, limits], null, 1)}\n`);
}
