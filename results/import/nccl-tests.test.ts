import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importHints } from '../testing/foreign.ts';
import { fromNcclTests } from './from-nccl-tests.ts';
import { parseNcclTests } from './nccl-tests.ts';
import { NcclTestsError, type NcclTestsRow } from './nccl-tests-result.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
/** Unchanged output of real programs on real GPUs. */
const recorded = (name: string) => readFileSync(path.join(root, 'results/import/fixtures', name), 'utf8');
/** Sections "== name" of the recording on 8 GPUs: rows and some of the comment lines. */
const sections = new Map(
  recorded('nccl-tests-2.19.6-8xH200.txt')
    .split(/^== /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
);
const section = (name: string) => parseNcclTests(sections.get(name) ?? '');

const head = `# nccl-tests version 2.19.6 nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
# nThread 2 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid    844 on         vm device  0 [0000:00:06] NVIDIA H200
#  Rank  1 Group  0 Pid    844 on         vm device  1 [0000:00:07] NVIDIA H200
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
`;
const foot = `# Out of bounds values : 0 OK
# Avg bus bandwidth    : 44.7 
#
# Collective test concluded: all_reduce_perf
`;
const row =
  '     1048576        262144     float     sum      -1    41.17   25.47   44.57       0    40.92   25.63   44.84       0\n';
/** A row without the printed words. */
const figures = (row: NcclTestsRow | undefined) => {
  if (row === undefined) return undefined;
  const plain = (half: NcclTestsRow['inPlace']) => {
    if (half === null) return null;
    const { printed: _, ...rest } = half;
    return rest;
  };
  return { ...row, outOfPlace: plain(row.outOfPlace), inPlace: plain(row.inPlace) };
};
const text = (rows: string) => parseNcclTests(head + rows + foot);

test('a recorded run of 2 GPUs: every row, in ns and GB/s', () => {
  const result = parseNcclTests(recorded('nccl-tests-2.19.6-2xH200-all_reduce.txt'));
  assert.equal(result.rows.length, 28);
  assert.equal(result.complete, true);
  assert.deepEqual(result.problems, []);
  assert.equal(result.ranks, 2);
  assert.equal(result.program, 'all_reduce_perf');
  assert.deepEqual(result.devices[1], {
    rank: 1,
    host: 'vm',
    name: 'NVIDIA H200',
    group: 0,
  });
  assert.deepEqual(figures(result.rows[0]), {
    sizeBytes: 8,
    count: 2,
    dtype: 'float32',
    op: 'sum',
    root: null,
    outOfPlace: { timeNs: 12_280, busGBps: 0, wrong: 0 },
    inPlace: { timeNs: 12_400, busGBps: 0, wrong: 0 },
  });
  assert.deepEqual(figures(result.rows.at(-1))?.outOfPlace, {
    timeNs: 3_288_350,
    busGBps: 326.53,
    wrong: 0,
  });
});

test('a recorded log with messages of NCCL between the lines', () => {
  const result = parseNcclTests(recorded('nccl-2.28.9-socket-2xH200-all_reduce.log'));
  assert.equal(result.rows.length, 26);
  assert.equal(result.rows[22]?.outOfPlace.timeNs, 10_625_600);
  assert.equal(result.complete, true);
});

test('recorded rows of eight GPUs: sizes of 0, unchecked halves, roots, per-iteration columns', () => {
  assert.equal(section('all_gather').rows.filter(({ sizeBytes }) => sizeBytes === 0).length, 2);
  const alltoall = section('alltoall').rows[9];
  assert.equal(alltoall?.outOfPlace.wrong, 0);
  assert.equal(alltoall?.inPlace?.wrong, null, 'N/A is not zero');
  assert.equal(alltoall?.op, null);
  assert.equal(section('broadcast').rows[0]?.root, 0);
  assert.equal(section('sendrecv').rows[0]?.op, 'sum');
  const each = section('per-iter small').rows[1];
  assert.equal(each?.outOfPlace.timeNs, 80_030);
  assert.equal(each?.inPlace?.timeNs, 80_980);
  assert.equal(section('graph').rows[0]?.outOfPlace.timeNs, 16_550);
});

test('output without its end is incomplete and says so', () => {
  const result = section('graph');
  assert.equal(result.complete, false);
  assert.match(result.problems.join('\n'), /closing lines are missing/);
  assert.match(result.problems.join('\n'), /names the columns is missing/);
  const cut = parseNcclTests(head + row + row.slice(0, 70));
  assert.equal(cut.rows.length, 1);
  assert.equal(cut.complete, false);
  assert.match(cut.problems.join('\n'), /a row is cut off/);
});

test('versions, and rows in whatever form', () => {
  const result = text(row);
  assert.equal(result.version, '2.19.6');
  assert.equal(result.ncclVersion, '2.28.9');
  assert.equal(result.complete, true);
  for (const [what, line, check] of [
    ['time stamp at the end', `${row.trimEnd()}  2026-07-10 02:00:01\n`, 40_920],
    ['hypercube, which prints no redop', row.replace('   sum', '      '), 40_920],
    ['figures in exponential form', row.replace('  40.92', '1.2e+08'), 1.2e11],
  ] as const) {
    const { rows, problems } = text(line);
    assert.deepEqual(problems, [], what);
    assert.equal(rows[0]?.inPlace?.timeNs, check, what);
    assert.equal(rows[0]?.sizeBytes, 1048576, what);
    assert.equal(rows[0]?.root, null, what);
  }
  assert.equal(text(row.replace('   sum', '      ')).rows[0]?.op, null);
  assert.equal(text(row.replace('      0 ', '  1e+06 ')).rows[0]?.outOfPlace.wrong, 1e6);
});

test('a message in the middle of a row does not lose it', () => {
  const begin = row.slice(0, 52);
  for (const between of [
    'vm:871:891 [0] NCCL INFO Connected all rings\n',
    '[2026-07-10 02:00:01] vm:871:891 [0] init.cc:12 NCCL WARN something\nvm:871:891 [1] NCCL INFO else\n',
    '# AlltoAllv summary\n# rank 0 sends 7\n',
  ]) {
    const { rows, problems } = text(`${begin}${between}${row.slice(52)}`);
    assert.equal(rows.length, 1, between);
    assert.deepEqual(rows[0], text(row).rows[0]);
    assert.deepEqual(problems, []);
  }
});

test('output of 2018: no root, an error figure instead of a count', () => {
  const old = `# nThread 1 nGpus 2 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 validation: 1 
#
# Using devices
#   Rank  0 Pid  12345 on       host device  0 [0x06] Tesla V100
#   Rank  1 Pid  12345 on       host device  1 [0x07] Tesla V100
#
#                                                     out-of-place                       in-place          
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       
           8             2   float     sum    28.94    0.00    0.00  0e+00    28.71    0.00    0.00  1e-07
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0.25 
#
`;
  const result = parseNcclTests(old);
  assert.equal(result.complete, true);
  assert.equal(result.devices.length, 2);
  assert.equal(result.rows[0]?.op, 'sum');
  assert.equal(result.rows[0]?.outOfPlace.wrong, 0);
  assert.equal(result.rows[0]?.inPlace?.wrong, 0, 'an error of 1e-07 is within the bounds of the program');
  const wrong = parseNcclTests(old.replace('values : 0 OK', 'values : 1 FAILED'));
  assert.equal(wrong.rows[0]?.inPlace?.wrong, null, 'an error of 1e-07 is no count of wrong elements');
  assert.match(wrong.problems.join(), /wrong data/);
  const gather = old
    .replace('   redop     time', '     time')
    .replace('float     sum    28.94', 'float    28.94');
  assert.equal(parseNcclTests(gather).rows[0]?.outOfPlace.timeNs, 28_940);
});

test('what went wrong is told', () => {
  const problems = (content: string) => parseNcclTests(content).problems.join('\n');
  assert.match(problems(head + row + foot.replace('0 OK', '3 FAILED')), /wrong data: .*3 FAILED/);
  assert.match(
    problems(`${head}vm: Test NCCL failure common.cu:961 'unhandled cuda error / '\n`),
    /NCCL failure/,
  );
  assert.match(problems(`${head}vm: Test timeout (600s) common.cu:300\n`), /timeout/);
  assert.match(problems(`${head + row + foot}# error: remote process exited\n`), /remote process exited/);
  assert.match(
    problems(`${head}# Reducing maxBytes to 42 due to memory limitation\n${row}${foot}`),
    /maxBytes to 42/,
  );
  assert.match(problems(head.replace(' time', ' cputime') + row + foot), /time is that of the calls/);
  const fallback = parseNcclTests(`invalid type bf17, defaulting to float .. \n${head}${row}${foot}`);
  assert.equal(fallback.complete, false);
});

for (const [what, content, message] of [
  ['nothing', ' \n', /empty/],
  ['another text', 'total 42\n-rw-r--r-- 1 root\n', /no output of nccl-tests/],
  [
    'the usage text',
    "invalid option 'Q'\nUSAGE: all_reduce_perf \n\t[-t,--nthreads <num threads>]\n",
    /usage text .*invalid option 'Q'/,
  ],
  [
    'every process on its own',
    head + head + row + row + foot + foot,
    /without MPI under mpirun|several runs/,
  ],
  ['other JSON', '{"a":1}', /not of nccl-tests/],
  ['broken JSON', '{{', /neither/],
  ['rccl-tests', '[{"name":"AllReduce","size":8,"inPlace":0,"time":1.5}]', /rccl-tests/],
  ['JSON of the future', '{"version":9,"nccl_version":22809}', /version 9/],
] as const) {
  test(`${what} is refused with the reason`, () => {
    assert.throws(
      () => parseNcclTests(content),
      (error) => error instanceof NcclTestsError && message.test(error.message),
    );
  });
}

const json = {
  version: 3,
  start_time: '2026-07-10 02:00:01',
  args: ['./build/all_reduce_perf', '-b', '1M'],
  env: ['HOME=/root', 'API_KEY=secret'],
  nccl_version: 23007,
  config: {
    nthreads: 2,
    ngpus: 1,
    devices: [
      {
        rank: 0,
        group: 0,
        pid: 71,
        hostname: 'n1',
        device: 0,
        device_hex: '0000:0f:00',
        device_info: 'NVIDIA H200',
      },
    ],
  },
  results: [
    {
      size: 1048576,
      count: 262144,
      type: 'float',
      redop: 'sum',
      root: '    -1',
      out_of_place: { time: 41.170123, alg_bw: 25.47, bus_bw: 44.57, nwrong: 0.0 },
      in_place: { time: 40.92, alg_bw: 25.63, bus_bw: 'nan', nwrong: null },
      actual_iterations: 20,
      experiment_name: '',
    },
  ],
  out_of_bounds: { count: 0, okay: 'true' },
  average_bus_bandwidth: { bandwidth: 44.7, okay: 'unchecked' },
  errors: [''],
  end_time: '2026-07-10 02:00:09',
};

test('JSON keeps more digits; the environment in it is left behind', () => {
  const result = parseNcclTests(JSON.stringify(json));
  assert.equal(result.ncclVersion, '2.30.7');
  assert.equal(result.program, 'all_reduce_perf');
  assert.equal(result.ranks, 2, 'only the first GPU of a process is listed');
  assert.equal(result.complete, true);
  assert.deepEqual(result.problems, []);
  assert.deepEqual(figures(result.rows[0]), {
    sizeBytes: 1048576,
    count: 262144,
    dtype: 'float32',
    op: 'sum',
    root: null,
    outOfPlace: { timeNs: 41_170.123, busGBps: 44.57, wrong: 0 },
    inPlace: { timeNs: 40_920, busGBps: null, wrong: null },
  });
  assert.doesNotMatch(JSON.stringify(result), /secret/);
});

test('JSON of version 1 with its misspelt key, infinities that are no JSON, and failures', () => {
  const { average_bus_bandwidth: average, ...others } = json;
  const first = JSON.stringify({ ...others, version: 1, average_bus_bandwidith: average }).replace(
    '25.47',
    'inf',
  );
  const result = parseNcclTests(first);
  assert.equal(result.complete, true);
  assert.equal(result.rows[0]?.outOfPlace.printed.alg_bw, undefined);
  const failed = parseNcclTests(
    JSON.stringify({ ...json, out_of_bounds: { count: 2, okay: 'false' }, errors: ['remote error'] }),
  );
  assert.deepEqual(failed.problems, [
    'wrong data: out of bounds values: 2 FAILED',
    'NCCL reported: remote error',
  ]);
});

test('JSON that was cut off anywhere is incomplete, with the rows it has', () => {
  const whole = JSON.stringify({ ...json, results: [...json.results, ...json.results] });
  const from = whole.indexOf('"nccl_version"') + 25;
  for (let length = from; length < whole.length; length += 7) {
    const result = parseNcclTests(whole.slice(0, length));
    assert.equal(result.complete, false);
    assert.match(result.problems.join('\n'), /closing keys are missing/);
    for (const { outOfPlace } of result.rows) assert.equal(outOfPlace.timeNs, 41_170.123);
  }
  const late = parseNcclTests(whole.slice(0, whole.indexOf('"out_of_bounds"')));
  assert.equal(late.rows.length, 2);
});

test('comments without "#", as web pages and quotations show them: the same result', () => {
  const bare = parseNcclTests((head + row + foot).replaceAll(/^#/gm, ''));
  const { rows, ranks, program, complete, ncclVersion } = text(row);
  assert.deepEqual([bare.rows, bare.ranks, bare.program, bare.complete], [rows, ranks, program, complete]);
  assert.equal(ncclVersion, '2.28.9');
});

test('a program built with a suffix to its name is the same program', () => {
  const log = (head + row + foot).replaceAll('all_reduce_perf', 'all_reduce_perf_mpi');
  assert.equal(fromNcclTests(parseNcclTests(log), importHints()).rows[0]?.operation, 'allreduce');
  const old = log.replaceAll(/^.*Collective test.*\n/gm, '');
  const typed = parseNcclTests(`$ srun ./all_reduce_perf_mpi -b 1M -e 1M\n${old}`);
  assert.equal(fromNcclTests(typed, importHints()).rows[0]?.operation, 'allreduce');
});
