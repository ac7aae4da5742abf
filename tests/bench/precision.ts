// npm run bench:precision: time to precision. Compares adaptive sampling with fixed counts, alternating, on the same cells. The
// speeds of the transports differ by a factor of 100: sisci over softntb at memory speed and over a slow link model, socket in
// between, or the transports of --over. Prints the share of figures whose 95 % interval reaches the precision, and the time.
// Needs only this build. --simulate does the same on simulated samples, independent of the load of the machine.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { median } from 'simple-statistics';
import { isOk } from '../../reports/series.ts';
import { halfWidth } from '../../reports/wording.ts';
import { xValueOf } from '../../results/derive/cells/cell-group.ts';
import { allMeasuredFigures, type OkCell, type TransportPlan } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { noiseProfiles, simulateRun } from '../../suites/testing/noise.ts';
import { command } from '../e2e/harness.ts';

const help = `usage: npm run bench:precision -- [--rounds 2] [--precision 1] [--iters 20] [--launches 1] [--sizes 8,512,...] [--budget 4m]
  --rounds N       times both ways are measured in turn, at least 1
  --precision P    wanted half width, percent
  --iters N        the fixed count
  --launches N     of both; 1 = intervals within a launch
  --over WORDS     options of the runs in place of the usual ones, e.g. '--engine nccl --transport p2p,socket'; again for
                   another run of the same sizes
  --simulate       made samples: 28 sizes over 4 transports, 140 x apart; noise as in suites/testing/noise.ts`;

/** Default of --warmup. */
const usualWarmup = 5;

/** Link model with 1/100 of memory speed: 0.04 GB/s, 100 us to start a transfer. */
const slowLink = 'custom:gbps=0.04,dma-start-us=100,pio-write-us=50,pio-read-us=50';
const usualParts = ['--transport sisci,socket --link none', `--transport sisci --link ${slowLink}`];

interface PrecisionOutcome {
  figures: number;
  precise: number;
  /** Seconds of whole runs, including launches and reports. */
  runS: number;
  /** Seconds from first start to last end of the timed operations, summed over all blocks. */
  timedS: number;
  operations: number;
  medianNs: Map<string, number>;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    precision: { type: 'string', default: '1' },
    iters: { type: 'string', default: '20' },
    launches: { type: 'string', default: '1' },
    sizes: { type: 'string', default: '8,512,4K,32K,256K,1M' },
    budget: { type: 'string', default: '4m' },
    over: { type: 'string', multiple: true, default: usualParts },
    simulate: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function run(words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, [...words], { maxBuffer: 2 ** 26 }, (error, _, stderr) =>
      error === null ? resolve() : reject(new Error(`${error.message}\n${stderr}`)),
    );
  });
}

/** Measures all parts, one after the other. */
async function measure(how: readonly string[]): Promise<PrecisionOutcome> {
  const outcome: PrecisionOutcome = {
    figures: 0,
    precise: 0,
    runS: 0,
    timedS: 0,
    operations: 0,
    medianNs: new Map(),
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-precision-'));
  try {
    for (const [i, part] of values.over.entries()) {
      const out = path.join(folder, String(i));
      await run([
        ...['allreduce', ...part.split(' '), '--sizes', values.sizes, '--launches', values.launches],
        ...how,
        '--out',
        out,
      ]);
      await add(outcome, out, i);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return outcome;
}

async function add(outcome: PrecisionOutcome, folder: string, part: number): Promise<void> {
  const { cells, record } = await openRun(folder);
  outcome.runS += (Date.parse(record.endedAt ?? '') - Date.parse(record.startedAt)) / 1000;
  for (const cell of cells.filter(isOk)) {
    for (const { fromNs, toNs, operations } of cell.windows ?? []) {
      outcome.timedS += (toNs - fromNs) / 1e9;
      outcome.operations += operations;
    }
    count(outcome, cell, part);
  }
}

function count(outcome: PrecisionOutcome, cell: OkCell, part: number): void {
  for (const { interval, value } of allMeasuredFigures(cell)) {
    outcome.figures += 1;
    outcome.medianNs.set(`${part} ${cell.transport} ${xValueOf(cell)}`, value);
    if (interval !== null && halfWidth(value, interval) <= Number(values.precision) / 100) {
      outcome.precise += 1;
    }
  }
}

/** Simulated transports by start time in ns and bytes per ns; about NVLink, PCIe, shared memory, TCP. */
const paces = [
  [7_000, 200],
  [9_000, 14],
  [8_000, 6],
  [25_000, 1.4],
] as const;

/** Simulates sizes from 8 B to 1 GiB; small ones are noisy, large ones quiet. */
function simulated(way: keyof typeof ways, seed: number): PrecisionOutcome {
  const { sampling, transports } = testPlan();
  const bytes = Array.from({ length: 28 }, (_, i) => 2 ** (i + 3));
  const launches = Number(values.launches);
  const adaptive = {
    precision: Number(values.precision) / 100,
    budgetS: 240,
    slotS: 12 / launches,
    maxLaunches: launches,
  };
  const plan = testPlan({
    transports: paces.map((_, i) => ({ ...(transports[0] as TransportPlan), name: `made${i}` })),
    points: bytes.map((one) => testPoint({ count: one / 4 })),
    sampling: {
      ...sampling,
      launches,
      apart: true,
      warmup: usualWarmup,
      ...(way === 'adaptive' ? { adaptive } : { iterations: Number(values.iters) }),
    },
  });
  const { cells, elapsedS, timedS } = simulateRun(plan, {
    profile: (point) => {
      const size = bytes[point] ?? 0;
      return noiseProfiles[size <= 2 ** 15 ? 'small' : size <= 2 ** 21 ? 'mid' : 'quiet'];
    },
    betweenLaunches: 0,
    operationNs: (point, transport) => {
      const [startNs, bytesPerNs] = paces[transport] ?? paces[0];
      return startNs + (bytes[point] ?? 0) / bytesPerNs;
    },
    overheadS: 0.004,
    seed,
  });
  const outcome: PrecisionOutcome = {
    figures: 0,
    precise: 0,
    runS: elapsedS,
    timedS,
    operations: 0,
    medianNs: new Map(),
  };
  for (const cell of cells.filter(isOk)) {
    count(outcome, cell, 0);
  }
  return outcome;
}

const ways = {
  adaptive: ['--precision', `${values.precision}%`, '--budget', values.budget],
  fixed: ['--iters', values.iters],
} as const;

const largestBytes = (outcomes: readonly PrecisionOutcome[]): number =>
  Math.max(
    ...outcomes.flatMap(({ medianNs }) => [...medianNs.keys()].map((key) => Number(key.split(' ').at(-1)))),
  );

async function main(): Promise<void> {
  const rounds: Record<keyof typeof ways, PrecisionOutcome[]> = { adaptive: [], fixed: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const order = round % 2 === 0 ? (['fixed', 'adaptive'] as const) : (['adaptive', 'fixed'] as const);
    for (const way of order) {
      process.stderr.write(`round ${round + 1} of ${values.rounds}: ${way}\n`);
      rounds[way].push(await (values.simulate ? simulated(way, 100 + round) : measure(ways[way])));
    }
  }
  const of = (way: keyof typeof ways, figure: (one: PrecisionOutcome) => number) =>
    median(rounds[way].map(figure));
  const shown = (way: keyof typeof ways) =>
    [
      way === 'fixed' ? `--iters ${values.iters}` : `--precision ${values.precision}%`,
      `${of(way, (one) => one.precise)} of ${rounds[way][0]?.figures} figures within ±${values.precision} %`,
      `${of(way, (one) => one.timedS).toFixed(2)} s timed`,
      `${of(way, (one) => one.runS).toFixed(1)} s in all`,
      `${of(way, (one) => one.operations).toFixed(0)} operations`,
    ].join(' · ');
  const largest = [...(rounds.fixed[0]?.medianNs ?? [])].flatMap(([key, ns]) =>
    key.endsWith(` ${largestBytes(rounds.fixed)}`) ? [ns] : [],
  );
  const ratios = (figure: (one: PrecisionOutcome) => number) =>
    rounds.adaptive.map((one, i) => figure(one) / figure(rounds.fixed[i] as PrecisionOutcome));
  const listed = (figure: (one: PrecisionOutcome) => number) =>
    ratios(figure)
      .map((ratio) => ratio.toFixed(2))
      .join(', ');
  if (values.simulate) {
    process.stdout.write(
      `${shown('fixed')}\n${shown('adaptive')}\nadaptive / fixed by round: timed ${listed((one) => one.timedS)}; in all ${listed((one) => one.runS)}\n`,
    );
    return;
  }
  process.stdout.write(
    `allreduce, ${values.sizes}: ${values.over.join(' and ')}; ${values.launches} launch(es), ${values.rounds} rounds in turn, medians\n` +
      `largest size: the slowest takes ${(Math.max(...largest) / Math.min(...largest)).toFixed(0)} x the time of the quickest\n` +
      `${shown('fixed')}\n${shown('adaptive')}\n` +
      `adaptive / fixed by round: timed ${listed((one) => one.timedS)}; in all ${listed((one) => one.runS)}\n`,
  );
}

if (values.help) process.stdout.write(`${help}\n`);
else await main();
