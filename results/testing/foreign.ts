/** Every importable file of fixtures/ with its expected contents, for tests. README.md there says where each file is from. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FormatName } from '../import/formats.ts';
import type { ImportHints } from '../import/imported-output.ts';

export interface ImportFixture {
  format: FormatName;
  hints?: Partial<ImportHints>;
  cells: number;
  /**
   * Expected result for one cell: beginning of its id, time in ns, and bus bandwidth. The two numbers are as the foreign program
   * printed them in the fixture, or computed from these by hand.
   */
  figure: { at: string; timeNs: number; busGBps: number };
}

const folder = fileURLToPath(new URL('../../../results/import/fixtures/', import.meta.url));
export const readFixture = (name: string): string => readFileSync(`${folder}${name}`, 'utf8');

export const importHints = (parts: Partial<ImportHints> = {}): ImportHints => ({
  ranks: null,
  collective: null,
  sizeBytes: null,
  ...parts,
});

const nccl = (
  cells: number,
  figure: ImportFixture['figure'],
  parts: Partial<ImportHints> = {},
): ImportFixture => ({
  format: 'nccl-tests',
  hints: parts,
  cells,
  figure,
});
const made = { at: 'allreduce/float32/sum/out/r-/65536/4/nccl', timeNs: 31_440, busGBps: 3.13 };
const rccl = { at: 'allreduce/float32/sum/out/r-/65536/8/rccl', timeNs: 31_440, busGBps: 3.648 };
const osu = (cells: number, figure: ImportFixture['figure'], ranks: number | null = null): ImportFixture => ({
  format: 'osu',
  hints: { ranks },
  cells,
  figure,
});

const perftest = (operation: string, bytes: number, timeNs: number, busGBps: number): ImportFixture => ({
  format: 'perftest',
  cells: 1,
  figure: { at: `${operation}/uint8/-/out/r-/${bytes}/2/verbs`, timeNs, busGBps },
});

const nvbandwidth = (cells: number, mebibytes: number, variant: string, gigabytes: number): ImportFixture => {
  const bytes = mebibytes * 2 ** 20;
  return {
    format: 'nvbandwidth',
    hints: { sizeBytes: bytes },
    cells,
    figure: {
      at: `copy/uint8/-/out/r-/${bytes}/1/cuda-copies/nvbandwidth ${variant}`,
      timeNs: bytes / gigabytes,
      busGBps: gigabytes,
    },
  };
};

/** The row that every log with prefixes contains: 1 MiB over two ranks. */
const prefixed = (): ImportFixture =>
  nccl(
    2,
    { at: 'allreduce/float32/sum/in/r-/1048576/2/nccl/nccl-tests', timeNs: 51_000, busGBps: 20.56 },
    { collective: 'allreduce' },
  );

/** Expected contents by file name. Readers do not see the file name. */
export const fixtures: Record<string, ImportFixture> = {
  'nccl-tests-2.19.6-2xH200-all_reduce.txt': nccl(56, {
    at: 'allreduce/float32/sum/in/r-/1048576/2/nccl',
    timeNs: 15_630,
    busGBps: 67.09,
  }),
  'nccl-2.28.9-socket-2xH200-all_reduce.log': nccl(
    52,
    { at: 'allreduce/float32/sum/out/r-/1048576/2/nccl', timeNs: 438_160, busGBps: 2.39 },
    { ranks: 2, collective: 'allreduce' },
  ),
  'nccl-tests-2.0-2019-made.txt': nccl(12, made, { collective: 'allreduce' }),
  'nccl-tests-2.17.9-alltoall-made.txt': nccl(14, {
    at: 'alltoall/float32/-/out/r-/65536/4/nccl',
    timeNs: 31_440,
    busGBps: 1.56,
  }),
  // The size column counts one rank's part, the bandwidths do not: 65536 bytes in the file are 49152 in collbench.
  'nccl-tests-2.17.9-hypercube-made.txt': nccl(12, {
    at: 'hypercube/float32/-/out/r-/49152/4/nccl',
    timeNs: 31_440,
    busGBps: 1.56,
  }),
  'nccl-tests-2.17.9-wrong-data-made.txt': nccl(12, made),
  // Milliseconds with three decimals: 83 us make 202.1 GB/s, but 203.36 are printed.
  'nccl-tests-1.0.0-2xH200-all_gather.txt': nccl(
    16,
    { at: 'allgather/float32/-/out/r-/16777216/2/nccl', timeNs: 55000, busGBps: 152.52 },
    { collective: 'allgather' },
  ),
  'nccl-tests-1.0.0-2xH200-all_reduce.txt': nccl(
    16,
    { at: 'allreduce/float32/sum/out/r-/16777216/2/nccl', timeNs: 83000, busGBps: 202.135 },
    { collective: 'allreduce' },
  ),
  'nccl-tests-2.0.0-2xH200-all_gather.txt': nccl(
    16,
    { at: 'allgather/float32/-/out/r-/16777216/2/nccl', timeNs: 54540, busGBps: 153.807 },
    { collective: 'allgather' },
  ),
  'nccl-tests-2.0.0-2xH200-broadcast.txt': nccl(
    16,
    { at: 'broadcast/float32/-/out/r0/16777216/2/nccl', timeNs: 62720, busGBps: 267.5 },
    { collective: 'broadcast' },
  ),
  'nccl-tests-2.0.0-2xH200-crash.txt': nccl(
    14,
    { at: 'allreduce/float32/sum/out/r-/2097152/2/nccl', timeNs: 32770, busGBps: 63.99 },
    { collective: 'allreduce' },
  ),
  'nccl-tests-2.0.0-2xH200-wrong-data.txt': nccl(
    6,
    { at: 'allreduce/float32/sum/out/r-/32768/2/nccl', timeNs: 1328800, busGBps: 0.02 },
    { collective: 'allreduce' },
  ),
  'nccl-tests-2.10.0-2xH200-alltoall.txt': nccl(
    16,
    { at: 'alltoall/float32/-/out/r-/16777216/2/nccl', timeNs: 327800, busGBps: 25.59 },
    { collective: 'alltoall' },
  ),
  'nccl-tests-2.10.0-2xH200-hypercube.txt': nccl(
    16,
    { at: 'hypercube/float32/-/out/r-/8388608/2/nccl', timeNs: 55680, busGBps: 150.64 },
    { collective: 'hypercube' },
  ),
  'nccl-tests-2.13.9-2xH200-alltoall.txt': nccl(
    16,
    { at: 'alltoall/float32/-/out/r-/16777216/2/nccl', timeNs: 54350, busGBps: 154.34 },
    { collective: 'alltoall' },
  ),
  'nccl-tests-2.13.9-2xH200-hypercube.txt': nccl(
    16,
    { at: 'hypercube/float32/-/out/r-/8388608/2/nccl', timeNs: 656300, busGBps: 12.78 },
    { collective: 'hypercube' },
  ),
  'nccl-tests-2.13.9-2xH200-sendrecv.txt': nccl(
    16,
    { at: 'sendrecv/float32/-/out/r-/16777216/2/nccl', timeNs: 86700, busGBps: 193.51 },
    { collective: 'sendrecv' },
  ),
  'nccl-tests-2.13.9-2xH200-wrong-data.txt': nccl(
    6,
    { at: 'allreduce/float32/sum/out/r-/32768/2/nccl', timeNs: 713700, busGBps: 0.05 },
    { collective: 'allreduce' },
  ),
  'nccl-tests-2.19.6-2xH200-cycles.txt': nccl(12, {
    at: 'allreduce/float32/sum/out/r-/512/2/nccl/nccl-tests #2',
    timeNs: 11050,
    busGBps: 0.05,
  }),
  'nccl-tests-2.19.6-2xH200-per-iteration.txt': nccl(4, {
    at: 'allreduce/float32/sum/out/r-/4096/2/nccl',
    timeNs: 1302740,
    busGBps: 0,
  }),
  'nccl-tests-prefix-docker-compose-made.txt': prefixed(),
  'nccl-tests-prefix-kubectl-timestamps-made.txt': prefixed(),
  'nccl-tests-prefix-mpich-l-made.txt': prefixed(),
  'nccl-tests-prefix-ompi-timestamp-output-made.txt': prefixed(),
  'nccl-tests-prefix-pdsh-made.txt': prefixed(),
  // A tag in the middle of the row: the digit before it is the number of wrong elements, five.
  'nccl-tests-glued-tags-made.txt': nccl(
    4,
    { at: 'allreduce/float32/sum/out/r-/1048576/8/nccl', timeNs: 50_000, busGBps: 36.7 },
    { collective: 'allreduce' },
  ),
  // Messages of NCCL between the columns of a row.
  'nccl-tests-row-in-parts-made.txt': nccl(
    2,
    { at: 'allreduce/float32/sum/in/r-/1048576/8/nccl', timeNs: 51_000, busGBps: 35.98 },
    { collective: 'allreduce' },
  ),
  'nccl-tests-in-place-blank-made.txt': nccl(
    2,
    { at: 'allreduce/float32/sum/out/r-/16384/2/nccl', timeNs: 39_020, busGBps: 0.42 },
    { collective: 'allreduce' },
  ),
  // Two groups of two ranks, each with a ring of its own.
  'nccl-tests-split-groups-made.txt': nccl(
    4,
    { at: 'broadcast/float32/-/out/r0/1048576/2/nccl/nccl-tests 2 groups', timeNs: 50_000, busGBps: 20.97 },
    { collective: 'broadcast' },
  ),
  'nccl-tests-cut-device-list-made.txt': nccl(
    4,
    { at: 'allreduce/float32/sum/out/r-/536870912/72/nccl', timeNs: 1_806_700, busGBps: 586.06 },
    { collective: 'allreduce', ranks: 72 },
  ),
  'nccl-tests-16-ranks-repeated-made.txt': nccl(
    10,
    { at: 'allgather/float32/-/out/r-/0/16/nccl/nccl-tests #3', timeNs: 12_300, busGBps: 0 },
    { collective: 'allgather' },
  ),
  // The commands before the outputs name the programs.
  'nccl-tests-2.0-two-commands-made.txt': nccl(4, {
    at: 'broadcast/float32/-/in/r0/1048576/2/nccl/nccl-tests',
    timeNs: 40_000,
    busGBps: 26.21,
  }),
  'rccl-tests-two-programs-made.txt': nccl(4, {
    at: 'sendrecv/float32/-/in/r-/1048576/2/rccl/rccl-tests',
    timeNs: 194_000,
    busGBps: 5.4,
  }),
  'nccl-tests-2.19.6-2xH200-tagged.txt': nccl(6, {
    at: 'allreduce/float32/sum/out/r-/32768/2/nccl',
    timeNs: 11800,
    busGBps: 2.78,
  }),
  'nccl-tests-2.17.4-json-1-all_reduce.json': {
    format: 'nccl-tests-json',
    cells: 16,
    figure: { at: 'allreduce/float32/sum/out/r-/16777216/2/nccl', timeNs: 80196.1, busGBps: 209.202 },
  },
  'nccl-tests-2.17.9-json-1-alltoall.json': {
    format: 'nccl-tests-json',
    cells: 16,
    figure: { at: 'alltoall/float32/-/out/r-/16777216/2/nccl', timeNs: 50334.1, busGBps: 166.659 },
  },
  'nccl-tests-2.19.2-json-2-per-iteration.json': {
    format: 'nccl-tests-json',
    cells: 4,
    figure: { at: 'allreduce/float32/sum/out/r-/4096/2/nccl', timeNs: 11130.5, busGBps: 0.367998 },
  },
  'nccl-tests-2.19.6-json-3-all_reduce.json': {
    format: 'nccl-tests-json',
    cells: 16,
    figure: { at: 'allreduce/float32/sum/out/r-/16777216/2/nccl', timeNs: 1846190.9, busGBps: 9.08748 },
  },
  'nccl-tests-2.19.6-json-3-broadcast-roots.json': {
    format: 'nccl-tests-json',
    cells: 4,
    figure: { at: 'broadcast/float16/-/out/r1/1048576/2/nccl', timeNs: 16515.833, busGBps: 63.4891 },
  },
  'nccl-tests-2.19.6-json-3-hypercube.json': {
    format: 'nccl-tests-json',
    cells: 16,
    figure: { at: 'hypercube/float32/-/out/r-/8388608/2/nccl', timeNs: 55565.5, busGBps: 150.968 },
  },
  'nccl-tests-2.19.6-json-3-killed.json': {
    format: 'nccl-tests-json',
    cells: 6,
    figure: { at: 'allreduce/float32/sum/out/r-/16/2/nccl', timeNs: 9370.965, busGBps: 0.001707 },
  },
  'nccl-tests-2.19.6-json-3-two-gpus.json': {
    format: 'nccl-tests-json',
    cells: 6,
    figure: { at: 'allreduce/float32/sum/out/r-/16777216/2/nccl', timeNs: 85194, busGBps: 196.93 },
  },
  'nccl-tests-2.19.6-json-3-types-ops.json': {
    format: 'nccl-tests-json',
    cells: 144,
    figure: { at: 'allreduce/float16/prod/out/r-/1048576/2/nccl', timeNs: 19824.667, busGBps: 52.8925 },
  },
  'nccl-tests-2.19.6-json-3-unchecked.json': {
    format: 'nccl-tests-json',
    cells: 6,
    figure: { at: 'allreduce/float32/sum/out/r-/16777216/2/nccl', timeNs: 3379169.5, busGBps: 4.96489 },
  },
  'nccl-tests-2.19.6-json-3-wrong.json': {
    format: 'nccl-tests-json',
    cells: 6,
    figure: { at: 'allreduce/float32/sum/out/r-/32768/2/nccl', timeNs: 12515, busGBps: 2.6183 },
  },
  'inspector-2.28.9-2xH200-reduce_scatter.jsonl': {
    format: 'inspector',
    cells: 11,
    figure: { at: 'reducescatter/unknown/-/out/r-/8388608/2/nccl', timeNs: 28000, busGBps: 149.797 },
  },
  'inspector-2.28.9-2xH200-verbose.jsonl': {
    format: 'inspector',
    cells: 8,
    figure: { at: 'allreduce/unknown/-/out/r-/1048576/2/nccl', timeNs: 89000, busGBps: 11.7818 },
  },
  'inspector-2.30.7-2xH200-all_reduce.jsonl': {
    format: 'inspector',
    cells: 11,
    figure: { at: 'allreduce/unknown/-/out/r-/8388608/2/nccl', timeNs: 42000, busGBps: 199.729 },
  },
  'kineto-torch-2.11-2xH200-p2p-resnet50.json': {
    format: 'kineto',
    cells: 7,
    figure: {
      at: 'allreduce/float32/-/out/r-/31502336/2/nccl/rank 0 RING_LL',
      timeNs: 134_174,
      busGBps: 234.788,
    },
  },
  'kineto-torch-2.11-2xH200-socket-resnet50.json': {
    format: 'kineto',
    cells: 7,
    figure: {
      at: 'allreduce/float32/-/out/r-/31502336/2/nccl/rank 0 RING_LL',
      timeNs: 11_496_488,
      busGBps: 2.74017,
    },
  },
  'kineto-fp8-made.json': {
    format: 'kineto',
    cells: 2,
    // 1024 elements of one byte from each of 8 ranks in 100 us.
    figure: { at: 'allgather/float8e4m3/-/out/r-/8192/8/nccl', timeNs: 100_000, busGBps: 0.0717 },
  },
  // The size is recorded at the host's range: 394241 elements of 4 bytes.
  'kineto-sizes-in-ranges-made.json': {
    format: 'kineto',
    cells: 1,
    figure: { at: 'allreduce/float32/-/out/r-/1576964/8/nccl', timeNs: 246_000, busGBps: 11.22 },
  },
  'kineto-torch-2.15-gloo-mobilenet_v3_large.json': {
    format: 'kineto',
    cells: 4,
    figure: {
      at: 'allreduce/float32/-/out/r-/16808128/2/gloo/rank 0',
      timeNs: 38_691_478,
      busGBps: 0.434414,
    },
  },
  // The other rank of the same steps, which waits for rank 0.
  'kineto-torch-2.15-gloo-mobilenet_v3_large-rank1.json': {
    format: 'kineto',
    cells: 4,
    figure: {
      at: 'allreduce/float32/-/out/r-/16808128/2/gloo/rank 1',
      timeNs: 58_922_211,
      busGBps: 0.28526,
    },
  },
  // The format of nccl-tests; -O 0 leaves out the out-of-place half.
  'rccl-tests-2.20-text-made.txt': nccl(
    2,
    { at: 'allreduce/float32/sum/in/r-/1048576/4/rccl/rccl-tests', timeNs: 41_170, busGBps: 38.2 },
    { collective: 'allreduce' },
  ),
  'nccl-tests-json-1-made.json': { format: 'nccl-tests-json', cells: 12, figure: made },
  'nccl-tests-json-2-made.json': { format: 'nccl-tests-json', cells: 12, figure: made },
  'nccl-tests-json-3-made.json': { format: 'nccl-tests-json', cells: 12, figure: made },
  'rccl-tests-list-made.json': { format: 'rccl-tests-json', cells: 12, figure: rccl },
  'rccl-tests-fragments-made.jsonl': { format: 'rccl-tests-json', cells: 12, figure: rccl },
  'rccl-tests-made.csv': { format: 'rccl-tests-csv', cells: 12, figure: rccl },
  'rccl-tests-short-header-made.csv': { format: 'rccl-tests-csv', cells: 12, figure: rccl },
  'osu-7.4-allreduce-4-ranks.txt': osu(
    15,
    { at: 'allreduce/int8/sum/out/r-/1024/4/mpi', timeNs: 43_740, busGBps: 0.035 },
    4,
  ),
  'osu-7.4-allreduce-validated-2-ranks.txt': osu(
    3,
    { at: 'allreduce/int8/sum/out/r-/8/2/mpi', timeNs: 460, busGBps: 0.0174 },
    2,
  ),
  // 1024 bytes of each rank are 4096 bytes that every rank receives.
  'osu-7.4-allgather-full-4-ranks.txt': osu(
    15,
    { at: 'allgather/int8/-/out/r-/4096/4/mpi', timeNs: 53_090, busGBps: 0.058 },
    4,
  ),
  'osu-7.4-alltoall-4-ranks.txt': osu(
    9,
    { at: 'alltoall/int8/-/out/r-/4096/4/mpi', timeNs: 6630, busGBps: 0.463 },
    4,
  ),
  'osu-7.4-reduce_scatter-4-ranks.txt': osu(
    9,
    { at: 'reducescatter/int8/sum/out/r-/1024/4/mpi', timeNs: 160_630, busGBps: 0.005 },
    4,
  ),
  'osu-7.4-bcast-full.txt': osu(
    11,
    { at: 'broadcast/int8/-/out/r-/1024/2/mpi', timeNs: 710, busGBps: 1.4423 },
    2,
  ),
  'osu-7.4-barrier-4-ranks.txt': osu(
    1,
    { at: 'barrier/unknown/-/out/r-/0/4/mpi', timeNs: 5730, busGBps: 0 },
    4,
  ),
  'osu-7.4-latency.txt': osu(17, {
    at: 'pingpong/int8/-/out/r-/1024/2/mpi',
    timeNs: 690,
    busGBps: 1.484,
  }),
  'osu-7.4-bw.txt': osu(21, {
    at: 'send/int8/-/out/r-/1024/2/mpi',
    timeNs: 1_024_000 / 3082.27,
    busGBps: 3.08227,
  }),
  // Total of both directions; each direction has half of the bandwidth.
  'osu-7.4-bibw.txt': osu(17, {
    at: 'exchange/int8/-/out/r-/1024/2/mpi',
    timeNs: 2_048_000 / 3084.85,
    busGBps: 3.08485 / 2,
  }),
  // Two pairs: each has half of the 302.82 MB/s.
  'osu-7.4-mbw_mr-4-ranks.txt': osu(17, {
    at: 'send/int8/-/out/r-/1024/4/mpi/osu 2 pairs',
    timeNs: 2_048_000 / 302.82,
    busGBps: 0.15141,
  }),
  'osu-5.9-mbw_mr-2-pairs-made.txt': osu(1, {
    at: 'send/unknown/-/out/r-/100000/4/mpi/osu 2 pairs',
    timeNs: 10_000,
    busGBps: 10,
  }),
  'osu-5.9-bibw-made.txt': osu(1, {
    at: 'exchange/unknown/-/out/r-/100000/2/mpi/osu',
    timeNs: 10_000,
    busGBps: 10,
  }),
  // The second table has 24 ranks, as the command before it says.
  'osu-5.3-two-rank-counts-made.txt': osu(
    2,
    { at: 'allgather/unknown/-/out/r-/16/16/mpi/osu', timeNs: 216_500, busGBps: 0 },
    16,
  ),
  'osu-5.7-memory-kinds-made.txt': osu(4, {
    at: 'send/unknown/-/out/r-/1048576/2/mpi/osu D D',
    timeNs: 1_048_576_000 / 73_675.19,
    busGBps: 73.675,
  }),
  'osu-7.2-tagged-made.txt': osu(4, {
    at: 'send/int8/-/out/r-/65536/2/mpi/osu D D',
    timeNs: 65_536_000 / 15_294.18,
    busGBps: 15.294,
  }),
  'osu-5.6-unknown-test-made.txt': osu(2, {
    at: 'pingpong/unknown/-/out/r-/8/2/mpi/osu',
    timeNs: 1800,
    busGBps: 0.0044,
  }),
  'osu-7.4-put_bw.txt': osu(17, {
    at: 'put/int8/-/out/r-/1024/2/mpi',
    timeNs: 1_024_000 / 15895.22,
    busGBps: 15.89522,
  }),
  'osu-7.4-put_latency.txt': osu(13, {
    at: 'put/int8/-/out/r-/1024/2/mpi',
    timeNs: 100,
    busGBps: 10.24,
  }),
  'imb-2021-collectives-4-ranks.txt': {
    format: 'imb',
    cells: 77,
    figure: { at: 'allgather/uint8/-/out/r-/4096/4/mpi', timeNs: 234_800, busGBps: 0.013 },
  },
  'imb-2021-p2p-2-ranks.txt': {
    format: 'imb',
    cells: 80,
    // 1024 bytes to each of two neighbours.
    figure: { at: 'exchange/uint8/-/out/r-/2048/2/mpi/imb Exchange', timeNs: 2050, busGBps: 0.999 },
  },
  // Two pairs move 200,000 messages a second: each pair sends one message in 10 us.
  'imb-uniband-4-ranks-made.txt': {
    format: 'imb',
    cells: 1,
    figure: { at: 'send/unknown/-/out/r-/100000/4/mpi/imb Uniband 2 pairs', timeNs: 10_000, busGBps: 10 },
  },
  // The two cells have 10 GB/s in each direction.
  'imb-exchange-made.txt': {
    format: 'imb',
    cells: 2,
    figure: { at: 'exchange/uint8/-/out/r-/200000/2/mpi/imb Exchange', timeNs: 20_000, busGBps: 10 },
  },
  'perftest-write-bw-text-made.txt': perftest('put', 65536, (65536 * 1e9) / (6922.84 * 2 ** 20), 7.26),
  'perftest-2023-unquoted-made.json': perftest('put', 128, 2420, 0.0529),
  'perftest-write-bw-made.json': perftest('put', 65536, (65536 * 1e9) / (23480.11 * 2 ** 20), 24.62),
  'perftest-6.29-write-bw.json': perftest('put', 65536, (65536 * 1e9) / (23078.85 * 2 ** 20), 24.2),
  // A message rate of five digits, a bandwidth of seven.
  'perftest-6.29-write-bw-qos.json': perftest('put', 1048576, 1e9 / 23078.82, 24.2),
  'perftest-6.29-write-bw-4-qps-gbits.json': perftest('put', 65536, 1000 / 0.372314, 195.2 / 8),
  'perftest-6.29-read-bw-2-bytes-gbits.json': perftest('get', 2, 1000 / 7.142785, 0.0143),
  'perftest-6.29-send-bw-bidirectional.json': perftest(
    'exchange',
    65536,
    (2 * 65536 * 1e9) / (44279.77 * 2 ** 20),
    46.43 / 2,
  ),
  'perftest-6.29-send-lat.json': perftest('pingpong', 2, 1140, 0.00175),
  'nvbandwidth-0.8-text-made.txt': nvbandwidth(2, 512, 'device_to_device_memcpy_read_ce 0-1', 26.34),
  // Two square matrices of copies in both directions at once, one below the other, followed by their total.
  'nvbandwidth-0.8-2xH200.json': nvbandwidth(
    82,
    32,
    'device_to_device_bidirectional_memcpy_read_ce 1-0 second',
    339.792,
  ),
  'nvbandwidth-0.5-2xH200.json': nvbandwidth(60, 32, 'device_to_device_memcpy_read_ce 0-1', 350.667),
  'nvbandwidth-0.8-1xH200-waived.json': nvbandwidth(17, 16, 'device_to_host_memcpy_ce 0-0', 54.9004),
  'nvbandwidth-0.8-verbose.json': nvbandwidth(4, 16, 'device_local_copy 0-1', 2396.75),
  'inspector-fractions-made.jsonl': {
    format: 'inspector',
    cells: 1,
    figure: { at: 'allreduce/unknown/-/out/r-/4194304/8/nccl', timeNs: 150_300, busGBps: 48.836 },
  },
  // 33554432 bytes of each of 8 ranks in 420 us.
  'inspector-4.0-made.jsonl': {
    format: 'inspector',
    cells: 7,
    figure: { at: 'reducescatter/unknown/-/out/r-/268435456/8/nccl', timeNs: 420_000, busGBps: 559.24 },
  },
  'nixlbench-made.txt': {
    format: 'nixlbench',
    cells: 3,
    // Blocks of 64 KiB, four at once: 16 us for each.
    figure: { at: 'put/uint8/-/out/r-/65536/2/nixl/nixlbench batch 4', timeNs: 16_000, busGBps: 4.096 },
  },
  // The latency is that of one thread, the bandwidth that of all four.
  'nixlbench-4-threads-made.txt': {
    format: 'nixlbench',
    cells: 1,
    figure: { at: 'get/uint8/-/out/r-/65536/2/nixl/nixlbench 4 threads', timeNs: 10_000, busGBps: 6.5536 },
  },
  'ucc-perftest-made.txt': {
    format: 'ucc-perftest',
    hints: { ranks: 8 },
    cells: 2,
    // The size is that of one rank's part: 262144 bytes x 8.
    figure: { at: 'alltoall/float32/-/out/r-/2097152/8/ucc', timeNs: 80_000, busGBps: 22.94 },
  },
  'nvshmem-perftest-made.txt': {
    format: 'nvshmem-perftest',
    hints: { ranks: 2 },
    cells: 3,
    figure: { at: 'alltoall/unknown/-/out/r-/65536/2/nvshmem', timeNs: 20_000, busGBps: 1.638 },
  },
  'deepep-made.txt': {
    format: 'deepep',
    cells: 3,
    // 20 MB and 22 MB; rank 1 is the slowest.
    figure: { at: 'dispatch-combine/unknown/-/out/r-/21000000/2/deepep', timeNs: 550_000, busGBps: 38.18 },
  },
  'deepep-v2-made.txt': {
    format: 'deepep',
    cells: 1,
    figure: {
      at: 'dispatch/unknown/-/out/r-/40090000/2/deepep/deepep expanded',
      timeNs: 410_000,
      busGBps: 97.78,
    },
  },
  'collectivex-ep-made.json': {
    format: 'collectivex',
    cells: 4,
    // 8 MB of all ranks are 1 MB of each.
    figure: { at: 'dispatch/unknown/-/out/r-/1000000/8/collectivex', timeNs: 50_000, busGBps: 20 },
  },
  'collectivex-kv-made.json': {
    format: 'collectivex',
    cells: 2,
    figure: {
      at: 'get/unknown/-/out/r-/400000000/2/collectivex/collectivex gqa one',
      timeNs: 1e7,
      busGBps: 40,
    },
  },
  'superbench-0.12.0-2xH200.jsonl': {
    format: 'superbench',
    hints: { ranks: 2 },
    cells: 36,
    figure: {
      at: 'allreduce/unknown/-/out/r-/8192/2/nccl/superbench node-1 in-place',
      timeNs: 14_630,
      busGBps: 0.56,
    },
  },
  'superbench-made.jsonl': {
    format: 'superbench',
    hints: { ranks: 8 },
    cells: 12,
    figure: {
      at: 'allreduce/unknown/-/out/r-/65536/8/nccl/superbench node-2',
      timeNs: 31_570,
      busGBps: 3.63,
    },
  },
  'nvbandwidth-0.10-text-made.txt': nvbandwidth(4, 512, 'device_to_host_memcpy_ce 0-1', 40),
};
