/**
 * EMULATED nccl-tests: accepts its arguments, prints its format (2.19), measures nothing. Times are computed: 12 us plus
 * size over 300 GB/s. EMULATED_NCCL_TESTS selects a fault:
 * - `segfault`: kills itself; `failure`: an error of NCCL; `wrong`: wrong elements; `cut`: ends without its closing lines
 * - `usage`: rejects an option, and ends with 0; `hang`: does not end after the header
 * - `library`: a library is missing; `other`: another NCCL; `type`: another data type; `memory`: a lower maximum
 * - `old`: no JSON, does not print its version; `short-json`: JSON that is cut off
 * - `recorded:FILE`: prints that file
 * Under the emulated mpirun, only rank 0 prints.
 * EMULATED_PID names a file that gets the process id, EMULATED_ARGUMENTS a file that gets arguments and environment.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const [mode = '', file = ''] = (process.env.EMULATED_NCCL_TESTS ?? '').split(':');
const words = process.argv.slice(2);
const argument = (letter: string): string => words[words.indexOf(`-${letter}`) + 1] ?? '';
const say = (text: string) => void process.stdout.write(`${text}\n`);

const { EMULATED_MPI_RANK: rank = '0', EMULATED_MPI_RANKS: processes = '1' } = process.env;
const ranks = Number(processes) * Number(argument('t'));

/** NCCL_VERSION_CODE that is printed as that of the loaded library. */
const library = mode === 'other' ? 22703 : 22809;
const wrong = mode === 'wrong' ? 5 : 0;

const usage = (isNew: boolean) =>
  `USAGE: all_reduce_perf \n\t[-t,--nthreads <num threads>] \n\t[-b,--minbytes <min size in bytes>] \n\t${isNew ? '[-J,--output_file <file>] \n\t' : ''}[-h,--help]`;

interface NcclTestsLine {
  bytes: number;
  count: number;
  us: number;
}

const timeUs = (bytes: number): number => 12 + bytes / 300e3;
const elementBytes = { half: 2, float: 4, double: 8, int8: 1, bfloat16: 2 }[argument('d')] ?? 4;
/** True for collectives with one part per rank. The bytes of each part are rounded down to a multiple of 16. */
const isParted = !/all_reduce|broadcast|\/reduce_perf|sendrecv/.test(process.env.EMULATED_NAME ?? '');

function rows(): NcclTestsLine[] {
  const [min, max, factor] = ['b', 'e', 'f'].map((letter) => Number(argument(letter)));
  const found: NcclTestsLine[] = [];
  const most = mode === 'memory' ? 1024 : (max as number);
  for (let size = min as number; size <= most; size *= factor as number) {
    const part = Math.floor(size / ranks / 16) * 16;
    const bytes = isParted ? part * ranks : size;
    const count = (isParted ? part : size) / elementBytes;
    found.push({ bytes, count, us: timeUs(bytes) });
  }
  return found;
}

function head(): void {
  if (mode === 'type') say(`invalid type ${argument('d')}, defaulting to float .. `);
  if (mode === 'old') say('NCCL version 2.28.9+cuda12.9');
  else say(`# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=${library}`);
  if (mode !== 'old') say('# Collective test starting: all_reduce_perf');
  say('# Using devices');
  for (let rank = 0; rank < ranks; rank += 1) {
    say(
      `#  Rank ${rank} Group  0 Pid ${process.pid} on emulated device ${rank} [0000:0${rank}:00] EMULATED GPU`,
    );
  }
  if (mode === 'memory') say('# Reducing maxBytes to 1024 due to memory limitation');
  say(
    '#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong',
  );
}

function measure(): void {
  const json = words.includes('-J') ? argument('J') : null;
  if (json !== null) say(`# Writing JSON output to ${json}`);
  head();
  if (mode === 'hang') {
    setInterval(() => undefined, 1 << 30);
    return;
  }
  if (mode === 'segfault') process.kill(process.pid, 'SIGSEGV');
  if (mode === 'failure') {
    say("emulated: Test NCCL failure all_reduce.cu:52 'unhandled cuda error / '");
    process.exit(3);
  }
  const type = mode === 'type' ? 'double' : argument('d');
  const all = rows();
  for (const { bytes, count, us } of all) {
    const half = `${us.toFixed(2)} 0.00 0.00 ${wrong}`;
    say(`${bytes} ${count} ${type} none -1 ${half} ${half}`);
  }
  if (mode === 'cut') process.exit(0);
  say(`# Out of bounds values : ${wrong * all.length} ${wrong === 0 ? 'OK' : 'FAILED'}`);
  say('# Avg bus bandwidth    : 42 ');
  if (mode !== 'old') say('# Collective test concluded: all_reduce_perf');
  if (json !== null) writeJson(json, all);
  process.exitCode = wrong === 0 ? 0 : 7;
}

function writeJson(path: string, all: readonly NcclTestsLine[]): void {
  const results = all.map(({ bytes, count, us }) => {
    const half = { time: us, alg_bw: 0, bus_bw: 0, nwrong: wrong };
    return {
      size: bytes,
      count,
      type: argument('d'),
      redop: 'none',
      root: '    -1',
      out_of_place: half,
      in_place: half,
    };
  });
  const config = { nthreads: Number(argument('t')), ngpus: 1, devices: [{ rank: 0 }] };
  const end = { average_bus_bandwidth: { bandwidth: 42, okay: 'unchecked' }, errors: [''], end_time: '' };
  const text = JSON.stringify({ version: 3, args: words, nccl_version: library, config, results, ...end });
  writeFileSync(path, mode === 'short-json' ? text.slice(0, -80) : text);
}

const { EMULATED_PID: pidFile, EMULATED_ARGUMENTS: argumentsFile } = process.env;
if (mode === 'library') {
  process.stderr.write(
    'error while loading shared libraries: libnccl.so.2: cannot open shared object file\n',
  );
  process.exit(127);
}
if (words.includes('-h')) {
  say(usage(mode !== 'old'));
} else if (rank !== '0') {
  if (mode === 'hang') setInterval(() => undefined, 1 << 30);
} else {
  if (pidFile !== undefined) writeFileSync(pidFile, String(process.pid));
  if (argumentsFile !== undefined) writeFileSync(argumentsFile, JSON.stringify({ words, env: process.env }));
  if (mode === 'usage') say(`invalid option '?'\n${usage(true)}`);
  else if (mode === 'recorded') process.stdout.write(readFileSync(file, 'utf8'));
  else measure();
}
