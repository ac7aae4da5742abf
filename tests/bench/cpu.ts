// npm run bench:cpu: the cpu engine against the system's Open MPI, both moving float32 allreduces between ranks of this
// machine. Exit 0: no size slower than the limit; 1: some are; 2: something needed is missing.
import { parseArgs } from 'node:util';
import { compare, type Row, type Timing, table } from './comparison.ts';
import { buildMpi, Missing, type MpiProgram, measureOurs, type mpiLinks } from './sides.ts';

const limit = 1.5;
const pairs: { transport: string; link: keyof typeof mpiLinks; title: string }[] = [
  { transport: 'socket', link: 'tcp', title: 'socket (TCP over lo) against Open MPI btl/tcp over lo' },
  {
    transport: 'sisci',
    link: 'sharedMemory',
    title: 'sisci (softntb, link none, EMULATED) against Open MPI btl/vader',
  },
  { transport: 'shm', link: 'sharedMemory', title: 'shm against Open MPI btl/vader' },
];

interface Options {
  ranks: number[];
  rounds: number;
  max: number;
  factor: number;
  budgetMs: number;
}

const help = `usage: npm run bench:cpu -- [--ranks 2] [--rounds 3] [--max 256M] [--factor 4] [--budget 100]
  --ranks LIST  one comparison for each number of ranks, 2 or more
  --rounds N    times both sides are measured in turn, at least 1
  --max SIZE    largest message: bytes, or with K, M or G (2^10, 2^20, 2^30); the smallest is 8
  --factor N    each size is the one before times N, 2 or more
  --budget MS   Open MPI's time per size and kind of trial`;

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      ranks: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      max: { type: 'string', default: '256M' },
      factor: { type: 'string', default: '4' },
      budget: { type: 'string', default: '100' },
    },
  });
  const number = (name: 'rounds' | 'factor' | 'budget' | 'max', least: number) => {
    const [, digits, unit = ''] = /^(\d+)([KMG]?)$/.exec(values[name]) ?? [];
    const value = Number(digits) * 2 ** (10 * ' KMG'.indexOf(unit === '' ? ' ' : unit));
    if (digits === undefined || value < least)
      throw new RangeError(`--${name} ${values[name]}: at least ${least}`);
    return value;
  };
  const ranks = values.ranks.split(',').map(Number);
  if (!ranks.every((count) => Number.isInteger(count) && count >= 2))
    throw new RangeError(`--ranks ${values.ranks}: whole numbers of at least 2, with commas between them`);
  return {
    ranks,
    rounds: number('rounds', 1),
    max: number('max', 8),
    factor: number('factor', 2),
    budgetMs: number('budget', 1),
  };
}

function sizesUpTo(max: number, factor: number): number[] {
  const sizes: number[] = [];
  for (let bytes = 8; bytes <= max; bytes *= factor) sizes.push(bytes);
  if (sizes.at(-1) !== max && max % 4 === 0) sizes.push(max);
  return sizes;
}

/** Figures of all rounds by transport: [round][size]. The order of the sides turns round by round. */
async function measure(mpi: MpiProgram, ranks: number, sizes: number[], options: Options) {
  const ours = new Map<string, Timing[][]>(pairs.map((pair) => [pair.transport, []]));
  const theirs = new Map<string, Timing[][]>(pairs.map((pair) => [pair.transport, []]));
  const measureMpi = async () => {
    for (const { transport, link } of pairs)
      theirs.get(transport)?.push(await mpi.measure(link, ranks, sizes, options.budgetMs));
  };
  const measureCollbench = async () => {
    const timings = await measureOurs(
      pairs.map((pair) => pair.transport),
      ranks,
      sizes,
    );
    for (const [transport, rows] of timings) ours.get(transport)?.push(rows);
  };
  for (let round = 0; round < options.rounds; round += 1) {
    process.stderr.write(`${ranks} ranks, round ${round + 1} of ${options.rounds}\n`);
    const order = round % 2 === 0 ? [measureMpi, measureCollbench] : [measureCollbench, measureMpi];
    for (const side of order) await side();
  }
  return { ours, theirs };
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const sizes = sizesUpTo(options.max, options.factor);
  const mpi = await buildMpi();
  try {
    process.stdout.write(
      `allreduce float32 sum, out of place; ${mpi.version}; ${options.rounds} rounds in turn\n` +
        `ratio: ours / MPI, pipelined (back to back), median of rounds; isolated beside it; limit ${limit}\n`,
    );
    const slow: string[] = [];
    for (const ranks of options.ranks) {
      const { ours, theirs } = await measure(mpi, ranks, sizes, options);
      for (const { transport, title } of pairs) {
        const rows: Row[] = compare(sizes, ours.get(transport) ?? [], theirs.get(transport) ?? []);
        process.stdout.write(`\n${table(`${ranks} ranks: ${title}`, rows, limit).join('\n')}\n`);
        for (const row of rows)
          if (row.ratio > limit)
            slow.push(`${transport} of ${ranks} ranks at ${row.bytes} B: ${row.ratio.toFixed(2)} x`);
      }
    }
    const verdict = slow.length === 0 ? 'No size is slower than' : `${slow.length} sizes are slower than`;
    process.stdout.write(`\n${verdict} ${limit} x Open MPI.\n${slow.map((line) => `  ${line}\n`).join('')}`);
    return slow.length === 0 ? 0 : 1;
  } finally {
    mpi.remove();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`bench:cpu: ${error instanceof Error ? error.message : error}\n`);
  if (error instanceof RangeError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS'))
    process.stderr.write(`${help}\n`);
  process.exitCode = 2;
  if (!(error instanceof Missing) && process.env.COLLBENCH_LOG === 'debug') throw error;
}
