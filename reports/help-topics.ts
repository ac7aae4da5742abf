import { exitCode, exitMeanings } from '../results/verdicts/exit-code.ts';
import { environmentVariables } from './environment.ts';

const exitNames = Object.keys(exitCode) as (keyof typeof exitCode)[];

/**
 * Texts of `collbench help TOPIC`. Each topic is a list of paragraphs; "" is a blank line. Paragraphs are wrapped when printed,
 * except lines with columns.
 */
export const helpTopics: Record<string, readonly string[]> = {
  sizes: [
    'Sizes are bytes of the message as in nccl-tests ("size"): the vector of allreduce, broadcast and reduce; all parts together of allgather and reducescatter. Units are binary: 8, 1K, 64M, 1G.',
    '',
    '  --min 8 --max 1G              8, 16, 32 ... 1G (factor 2)',
    '  --min 8 --max 1G --factor 4   8, 32, 128 ...',
    '  --min 1M --max 8M --step 1M   1M, 2M ... 8M',
    '  --sizes 8,1000,1M             these and no others; 1000 is 1000 bytes',
    '',
    'A size that gives a rank less than one element is skipped, and the table says so.',
  ],
  method: [
    'Two kinds of trial, never mixed. Isolated: all ranks start at a common instant; the figure is the end of the slowest rank minus that instant. Pipelined: operations back to back, elapsed time by their number, as nccl-tests measures.',
    '',
    'The headline, "median" everywhere, is of one launch the median over its samples. Of several launches it is the geometric mean of the launch medians, and its 95 % interval is taken between launches. With --launches 1 it does not cover the next launch, and the table says so.',
    '',
    'Each configuration is sampled until that interval is within --precision, two looks agreeing; until launches differ by more than samples could fix (with the cpu engine on one host, more launches are added first); or until its share of --budget is spent. The foot of the table counts these. --iters N and --precision off fix the number of samples.',
    '',
    'Launches, transports and trials are measured in short blocks in random order (--seed), so drift of the machine affects all equally.',
    '',
    'algbw is size divided by time. busbw is algbw times the share of the data each link must carry at best: 2(n-1)/n for allreduce, (n-1)/n for allgather and reducescatter, 1 for broadcast and reduce, (2n-1)/2n for alltoallv, whose parts are uneven and whose rank 0 keeps the shortest, half of an equal part. GB is 1e9 bytes.',
    '',
    'Data differ by rank, index and iteration, results are poisoned before and verified after the timed operation, outside the clock.',
  ],
  exit: [
    'Exit codes:',
    ...exitNames.map((name) => `  ${String(exitCode[name]).padEnd(3)}  ${exitMeanings[name]}`),
  ],
  terms: [
    'Words with one fixed meaning in tables, reports and messages:',
    '  launch          one start of all rank processes',
    '  configuration   one point of the sweep (collective, data type, size, transport ...); in JSON and code: a cell',
    '  size range      small, mid or large messages of one series, judged together',
    '  median          of one launch: over its samples; of several: geometric mean of the launch medians',
    '  latency         time of one isolated operation: end of the slowest rank minus the common start',
    '  pipe            operations back to back, elapsed time by their number: what nccl-tests prints',
    '  enqueue cost    host time to enqueue one call on the GPU',
    '  algbw, busbw    size divided by time; algbw times the share of the data that each link must carry (help method)',
    '  ±               half of the 95 % interval, relative to the median; above 50 % its low and high end as multiples of the median (x0.4-2.6), unknown if neither is within a factor of ten; the head of the table names its scope',
    '  five lines      the foot of a run: what went wrong, the main comparison, precision and flags, verification and evidence, the report. --verbose prints all sentences, such as the reason for each missing interval',
    '  verified        every checked buffer held the right data',
    '  confirmed       of a transport: byte counters agree with what had to move; contradicted: they do not; unproven: they do not show it',
    '  emulated        a software device replaces the hardware: does not show the speed of a real adapter',
    '  flagged (!)     something disturbed the figure: system load, retransmits, an unsteady start',
    '  *               measured again at the end because it was flagged (--retry-flagged)',
    '  reference build   the pinned build that suite --gate measures interleaved with the candidate',
    '  baseline        stored results that later runs are compared with',
    '  same, faster, slower  verdicts of compare; same: the 95 % interval contains no change and is within 10 %; no verdict: too noisy, too few launches, or machine busy',
    '  not confirmed   a change of 1.5x or more was measured, and the launches cannot prove it: machine busy, too few launches or too much scatter. The gate measures it again; if it stays, exit 5',
    '  [a, b], (a to b)  95 % interval, [at least a] if only this end is within a factor of ten; without one the lowest and highest launch',
    '  regression      verdict of the gate: slower, and seen again in a second measurement',
    '  beside, kept, overlap   operations while a load works (--beside): kept is the share of its own speed that the load keeps; overlap the time saved by doing both at once (docs/beside.md)',
    '  fake            a stand-in for libcuda or libnccl on host memory, for tests',
  ],
  config: [
    'A YAML file holds options by their long names. Command-line options take precedence:',
    '',
    '  transport: [socket, sisci]',
    '  min: 1K',
    '  max: 256M',
    '  launches: 8',
    '  in-place: both',
    '',
    '  $ collbench allreduce --config nightly.yaml --max 1M',
  ],
  emulated: [
    'Without a Dolphin card the transport sisci runs over softntb, a software device with the SISCI programming interface over shared memory. Every row, chart and file says EMULATED. With --link it behaves like a PCIe link; with --link none it runs at memory speed. It does not predict the speed of a real adapter.',
    '',
    'Without a ConnectX the transport ibgda of the cpu engine runs over softmlx5, a software adapter with the interfaces of libibverbs and libmlx5. --link edr-100, hdr-200 or ndr-400 paces it.',
    '',
    'A card that is present but unusable is an error, never a reason for emulation. --medium hardware refuses emulation; --medium emulated always takes it.',
  ],
  environment: [
    'Environment variables that collbench reads:',
    ...environmentVariables.flatMap(([names, meaning]) =>
      names.length > 24
        ? [`  ${names}`, `${' '.repeat(28)}${meaning}`]
        : [`  ${names.padEnd(24)}  ${meaning}`],
    ),
    '',
    'Variables of NCCL, NVSHMEM, UCX, libfabric and Open MPI reach the ranks as they are set, and are stored with the run, except secrets. Options belong into a file for --config.',
  ],
};
