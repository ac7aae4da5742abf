// npm run bench:cpu: compares the cpu engine with the system's Open MPI, for float32 collectives between ranks of this machine.
// Exit 0: no size is slower than the limit; 1: some are; 2: a required program is missing.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare, type SizeRow, type SizeTiming, table } from './comparison.ts';
import { buildMpi, MissingProgram, type MpiProgram, measureOurs, type mpiLinks } from './sides.ts';

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
/** Whether the payload of a collective consists of one part per rank. */
const hasParts = { allreduce: false, allgather: true, reducescatter: true, alltoall: true, broadcast: false };
type BenchCollective = keyof typeof hasParts;
const float32Bytes = 4;

interface CpuBenchOptions {
  collectives: BenchCollective[];
  pairs: typeof pairs;
  ranks: number[];
  rounds: number;
  min: number;
  max: number;
  factor: number;
  budgetMs: number;
  limitS: number;
  json: string | null;
}

const help = `usage: npm run bench:cpu -- [--ranks 2] [--rounds 3] [--max 256M] [--factor 4] [--budget 100]
  --collectives LIST  ${Object.keys(hasParts).join(',')}; the first by default
  --transports LIST   ${pairs.map(({ transport }) => transport).join(',')}; all by default
  --ranks LIST        one comparison for each number of ranks, 2 or more
  --rounds N          times both sides are measured in turn, at least 1
  --min SIZE          smallest message, 8 or more
  --max SIZE          largest message: bytes, or with K, M or G (2^10, 2^20, 2^30)
  --factor N          each size is the one before times N, 2 or more
  --budget MS         Open MPI's time per size and kind of trial
  --limit SECONDS     no comparison is begun after that; those left out are named
  --json FILE         figures also there, written after each comparison`;

function readOptions(args: string[]): CpuBenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      collectives: { type: 'string', default: 'allreduce' },
      transports: { type: 'string', default: pairs.map(({ transport }) => transport).join(',') },
      ranks: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      min: { type: 'string', default: '8' },
      max: { type: 'string', default: '256M' },
      factor: { type: 'string', default: '4' },
      budget: { type: 'string', default: '100' },
      limit: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const number = (name: 'rounds' | 'factor' | 'budget' | 'min' | 'max' | 'limit', least: number) => {
    const [, digits, unit = ''] = /^(\d+)([KMG]?)$/.exec(values[name] ?? '') ?? [];
    const value = Number(digits) * 2 ** (10 * ' KMG'.indexOf(unit === '' ? ' ' : unit));
    if (digits === undefined || value < least)
      throw new RangeError(`--${name} ${values[name]}: at least ${least}`);
    return value;
  };
  const known = <T extends string>(name: 'collectives' | 'transports', words: readonly T[]): T[] => {
    const asked = values[name].split(',');
    const odd = asked.find((word) => !words.some((one) => one === word));
    if (odd !== undefined) throw new RangeError(`--${name} ${odd}: one of ${words.join(', ')}`);
    return asked as T[];
  };
  const ranks = values.ranks.split(',').map(Number);
  if (!ranks.every((count) => Number.isInteger(count) && count >= 2))
    throw new RangeError(`--ranks ${values.ranks}: whole numbers of at least 2, with commas between them`);
  const transports = known(
    'transports',
    pairs.map(({ transport }) => transport),
  );
  return {
    collectives: known('collectives', Object.keys(hasParts) as BenchCollective[]),
    pairs: pairs.filter(({ transport }) => transports.includes(transport)),
    ranks,
    rounds: number('rounds', 1),
    min: number('min', 8),
    max: number('max', 8),
    factor: number('factor', 2),
    budgetMs: number('budget', 1),
    limitS: values.limit === undefined ? Number.POSITIVE_INFINITY : number('limit', 1),
    json: values.json ?? null,
  };
}

/**
 * Sizes in bytes, ascending, rounded to whole elements per part. Sizes below one element per rank become one element per rank.
 */
function sizesOf(
  collective: BenchCollective,
  ranks: number,
  { min, max, factor }: CpuBenchOptions,
): number[] {
  const unit = float32Bytes * (hasParts[collective] ? ranks : 1);
  const asked: number[] = [];
  for (let bytes = min; bytes < max; bytes *= factor) asked.push(bytes);
  return [...new Set([...asked, max].map((bytes) => Math.max(unit, Math.floor(bytes / unit) * unit)))];
}

/** Figures of all rounds by transport: [round][size]. The order of both sides alternates. */
async function measure(
  mpi: MpiProgram,
  collective: BenchCollective,
  ranks: number,
  sizes: number[],
  options: CpuBenchOptions,
) {
  const transports = options.pairs.map(({ transport }) => transport);
  const ours = new Map<string, SizeTiming[][]>(transports.map((name) => [name, []]));
  const theirs = new Map<string, SizeTiming[][]>(transports.map((name) => [name, []]));
  const measureMpi = async () => {
    const byLink = new Map<string, SizeTiming[]>();
    for (const { transport, link } of options.pairs) {
      const timings =
        byLink.get(link) ?? (await mpi.measure(collective, link, ranks, sizes, options.budgetMs));
      byLink.set(link, timings);
      theirs.get(transport)?.push(timings);
    }
  };
  const measureCollbench = async () => {
    for (const [transport, rows] of await measureOurs(collective, transports, ranks, sizes))
      ours.get(transport)?.push(rows);
  };
  for (let round = 0; round < options.rounds; round += 1) {
    process.stderr.write(`${collective} of ${ranks} ranks, round ${round + 1} of ${options.rounds}\n`);
    const order = round % 2 === 0 ? [measureMpi, measureCollbench] : [measureCollbench, measureMpi];
    for (const side of order) await side();
  }
  return { ours, theirs };
}

interface CpuComparison {
  collective: BenchCollective;
  ranks: number;
  transport: string;
  rows: SizeRow[];
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const began = performance.now();
  const mpi = await buildMpi();
  try {
    process.stdout.write(
      `float32, sums where it reduces, out of place; ${mpi.version}; ${options.rounds} rounds in turn\n` +
        `ratio: ours / MPI, pipelined (back to back), median of rounds; isolated beside it; limit ${limit}\n`,
    );
    const comparisons: CpuComparison[] = [];
    const left: string[] = [];
    const write = () => {
      if (options.json === null) return;
      const { limitS, json, pairs: _, ...asked } = options;
      writeFileSync(json, `${JSON.stringify({ mpi: mpi.version, asked, left, comparisons }, null, 1)}\n`);
    };
    for (const collective of options.collectives)
      for (const ranks of options.ranks) {
        const name = `${collective} of ${ranks} ranks`;
        if (performance.now() - began > 1000 * options.limitS) {
          left.push(name);
          continue;
        }
        const sizes = sizesOf(collective, ranks, options);
        try {
          const { ours, theirs } = await measure(mpi, collective, ranks, sizes, options);
          for (const { transport, title } of options.pairs) {
            const rows = compare(sizes, ours.get(transport) ?? [], theirs.get(transport) ?? []);
            comparisons.push({ collective, ranks, transport, rows });
            process.stdout.write(`\n${table(`${name}: ${title}`, rows, limit).join('\n')}\n`);
          }
        } catch (error) {
          // Results of the other collectives are kept if --json stores them.
          if (options.json === null) throw error;
          left.push(`${name}: ${error instanceof Error ? error.message : error}`);
        }
        write();
      }
    write();
    const slow = comparisons.flatMap(({ collective, ranks, transport, rows }) =>
      rows
        .filter(({ ratio }) => ratio > limit)
        .map(
          ({ bytes, ratio }) =>
            `  ${collective}, ${transport} of ${ranks} ranks at ${bytes} B: ${ratio.toFixed(2)} x\n`,
        ),
    );
    const verdict = slow.length === 0 ? 'No size is slower than' : `${slow.length} sizes are slower than`;
    process.stdout.write(`\n${verdict} ${limit} x Open MPI.\n${slow.join('')}`);
    process.stdout.write(left.map((name) => `not measured: ${name}\n`).join(''));
    return slow.length === 0 && left.length === 0 ? 0 : 1;
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
  if (!(error instanceof MissingProgram) && process.env.COLLBENCH_LOG === 'debug') throw error;
}
