import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CellRecord,
  cellRecord,
  derivedOf,
  headlineOf,
  importedAxes,
  runPlan,
  workloadOf,
} from '../schema/index.ts';
import { fixtures, importHints, readFixture } from '../testing/foreign.ts';
import { type FormatName, formatNames, formats, type ImportFormat } from './formats.ts';
import { ImportError } from './imported-output.ts';
import { readForeign } from './read.ts';
import { sourceOf } from './source.ts';
import { runOf } from './to-run.ts';

const origin = {
  command: ['collbench', 'import', 'x'],
  format: 'x',
  file: { name: 'x', bytes: 1, sha256: '' },
  label: null,
};
const imported = (name: string) => {
  const fixture = fixtures[name];
  assert.ok(fixture !== undefined, name);
  const { found } = readForeign(readFixture(name), importHints(fixture.hints));
  return { found, ...runOf(found, origin) };
};

/** Id of a cell as in the table of fixtures: "allreduce/float32/sum/out/r-/8/2/nccl/nccl-tests". */
function placeText(cell: CellRecord): string {
  const { operation, dtype, op, root, inPlace, bytes } = importedAxes.parse(cell.axes);
  const place = [operation, dtype, op ?? '-', inPlace ? 'in' : 'out', `r${root ?? '-'}`, bytes];
  return [...place, cell.ranks, cell.engine, cell.transport].join('/');
}

for (const name of formatNames) {
  test(`${name}: has a fixture, and words for what it is recognised by`, () => {
    const format: ImportFormat = formats[name];
    // Formats without times are tested with their reader.
    assert.ok(format.isOrderOnly || Object.values(fixtures).some((one) => one.format === name));
    assert.match(formats[name].lookedFor, /^(?:a |JSON)/);
    assert.match(formats[name].title, /: /);
  });
}

for (const [name, fixture] of Object.entries(fixtures)) {
  test(`${name}: found to be ${fixture.format} by its content alone, ${fixture.cells} cells`, () => {
    const source = sourceOf(readFixture(name));
    const fitting = formatNames.filter((format) => formats[format].recognises(source));
    assert.deepEqual(fitting, [fixture.format]);
    const { plan, cells } = imported(name);
    assert.equal(cells.length, fixture.cells);
    assert.deepEqual(
      cells.flatMap((cell) => (cell.status === 'ok' ? [] : [`${cell.id}: ${cell.reason}`])),
      [],
    );
    assert.doesNotThrow(() => runPlan.parse(plan));
    for (const cell of cells) assert.doesNotThrow(() => cellRecord.parse(cell));
  });

  test(`${name}: every cell says what it does not know`, () => {
    for (const cell of imported(name).cells) {
      assert.ok(cell.status === 'ok' && cell.printed !== undefined);
      const figures = headlineOf(workloadOf(cell.workload), cell);
      assert.equal(figures?.interval, null);
      assert.match(figures?.intervalReason ?? '', /no (?:single )?samples/);
      assert.equal(cell.evidence.verdict, 'unproven');
    }
  });

  test(`${name}: one figure as worked out by hand`, () => {
    const { cells } = imported(name);
    const { at, timeNs, busGBps } = fixture.figure;
    const cell = cells.find((one) => placeText(one).startsWith(at));
    assert.ok(cell?.status === 'ok', `${at} is not among ${cells.map(placeText).join(' ')}`);
    const figures = headlineOf(workloadOf(cell.workload), cell);
    assert.ok(Math.abs((figures?.value ?? 0) / timeNs - 1) < 1e-9, `${figures?.value}`);
    const found = derivedOf(cell, 'busbw', figures?.name ?? '')?.value ?? 0;
    assert.ok(Math.abs(found - busGBps) <= 0.005 * busGBps + 0.005, `${found}`);
  });
}

test('N/A is not 0: an unchecked half is not verified', () => {
  const { cells } = imported('nccl-tests-2.17.9-alltoall-made.txt');
  for (const cell of cells) {
    assert.ok(cell.status === 'ok');
    assert.equal(cell.verification.enabled, !cell.axes.inPlace);
    assert.equal(cell.verification.checks, cell.axes.inPlace ? 0 : 1);
  }
});

test('rows with wrong data stay wrong', () => {
  for (const [name, wrong] of [
    ['nccl-tests-2.17.9-wrong-data-made.txt', [12, 1e6]],
    ['rccl-tests-made.csv', [3]],
    // The output says that 2 elements are wrong, but not in which row.
    ['nccl-tests-2.0-two-commands-made.txt', []],
    ['osu-7.4-allreduce-validated-2-ranks.txt', [1]],
  ] as const) {
    const { cells, failures } = imported(name);
    const found = cells.flatMap((cell) => (cell.status === 'ok' ? cell.verification.wrongElements : []));
    assert.deepEqual(
      found.filter((one) => one > 0),
      wrong,
      name,
    );
    assert.equal(failures[0]?.kind, 'wrong-data');
  }
});

test('an environment with secrets: what may be recorded is kept, the secrets are not', () => {
  for (const version of [1, 2, 3]) {
    const { found, plan, cells } = imported(`nccl-tests-json-${version}-made.json`);
    assert.deepEqual(found.environment, { NCCL_ALGO: 'Ring' });
    assert.doesNotMatch(JSON.stringify([found, plan, cells]), /hunter2|AWS_/);
  }
});

test('a token in the environment of a recorded run is nowhere in the run', () => {
  const name = 'nccl-tests-2.19.6-json-3-all_reduce.json';
  assert.match(readFixture(name), /CI_API_TOKEN=glpat/);
  const { found, plan, cells } = imported(name);
  assert.equal(found.environment.NCCL_NVLS_ENABLE, '0');
  assert.doesNotMatch(JSON.stringify([found, plan, cells]), /glpat|CI_API/);
});

for (const [what, file, message] of [
  ['more GPUs than there are', 'nccl-tests-2.19.6-json-3-too-many-gpus.json', /nothing can be imported/],
  ['times of calls on the CPU (-C 1)', 'nccl-tests-2.19.6-json-3-cputime.json', /of the calls on the CPU/],
  ['a program without MPI under mpirun', 'nccl-tests-2.13.9-not-mpi.txt', /2 device lists/],
] as const) {
  test(`nccl-tests, ${what}: refused`, () => {
    assert.throws(
      () => readForeign(readFixture(file), importHints({ collective: 'allreduce' })),
      (error) => error instanceof ImportError && message.test(error.message),
    );
  });
}

for (const [name, kinds] of [
  ['nccl-tests-2.0.0-2xH200-wrong-data.txt', ['wrong-data']],
  ['nccl-tests-2.13.9-2xH200-wrong-data.txt', ['wrong-data']],
  ['nccl-tests-2.19.6-json-3-wrong.json', ['wrong-data']],
  ['nccl-tests-2.0.0-2xH200-crash.txt', ['incomplete']],
  ['nccl-tests-2.19.6-json-3-killed.json', ['incomplete']],
] as const) {
  test(`${name}: ${kinds.join()}, as recorded`, () => {
    assert.deepEqual(
      imported(name).failures.map(({ kind }) => kind),
      kinds,
    );
  });
}

test('nccl-tests of 2.13.9 in place: alltoall and sendrecv are not checked, hypercube is', () => {
  for (const [collective, isChecked] of [
    ['alltoall', false],
    ['sendrecv', false],
    ['hypercube', true],
  ] as const) {
    const { cells } = imported(`nccl-tests-2.13.9-2xH200-${collective}.txt`);
    for (const cell of cells) {
      assert.ok(cell.status === 'ok');
      assert.equal(cell.verification.enabled, isChecked || !cell.axes.inPlace);
    }
  }
});

test('a size printed twice becomes two cells, told apart by the name of their series', () => {
  const text = readFixture('nccl-tests-2.17.9-alltoall-made.txt');
  const row = text.split('\n').find((line) => /^ +1024 /.test(line)) ?? '';
  const { found } = readForeign(text.replace(row, `${row}\n${row}`), importHints());
  const { cells, plan } = runOf(found, { ...origin, label: 'monday' });
  assert.deepEqual(
    plan.transports.map(({ name }) => name),
    ['monday', 'monday #2'],
  );
  assert.equal(new Set(cells.map(({ id }) => id)).size, cells.length);
});

test('the ranks of all nodes come to the number of ranks', () => {
  const { plan } = imported('nccl-tests-2.19.6-2xH200-all_reduce.txt');
  assert.deepEqual(plan.hosts, [{ name: 'vm', ranks: [0, 1] }]);
  const unknown = imported('osu-7.4-allreduce-4-ranks.txt').plan;
  assert.ok(unknown.imported?.unknown.includes('nodes'));
});

/** Returns why the first row without a figure has none; where no row has one, the message of the error. */
function refusalOf(text: string, hints: Parameters<typeof importHints>[0]): string {
  try {
    const { found } = readForeign(text, importHints(hints));
    const refused = found.rows.filter((row) => row.reason !== null);
    assert.ok(refused.every(({ timeNs }) => timeNs === null));
    return refused[0]?.reason ?? 'every row has a figure';
  } catch (error) {
    assert.ok(error instanceof ImportError);
    return error.message;
  }
}

for (const [what, file, from, to, reason] of [
  ['nixlbench', 'nixlbench-made.txt', '4.096000', '5.096000', /65536 bytes in 16.0 µs are not 5.096 GB/],
  [
    'ucc_perftest',
    'ucc-perftest-made.txt',
    '       9.18 ',
    '       8.18 ',
    /are not 8.18 GB.s on a link in allreduce/,
  ],
  ['ucc_perftest', 'ucc-perftest-made.txt', '190.00', '201.00', /the mean 200.00 is not between 201.00/],
  ['ucc_perftest', 'ucc-perftest-made.txt', '      65536 ', '      65537 ', /65537 elements of 4 bytes/],
  ['perftest of NVSHMEM', 'nvshmem-perftest-made.txt', '20.000000', '30.000000', /are not 3.277 GB/],
  ['DeepEP', 'deepep-made.txt', 'min_t=490.00', 'min_t=501.00', /of rank 0 is not between 501 and 520/],
  ['DeepEP', 'deepep-v2-made.txt', '400.000 us', '500.000 us', /are not 100 GB.s on rank 0/],
  ['CollectiveX', 'collectivex-kv-made.json', '"p50":20.0', '"p50":12.0', /are not 20 GB/],
  ['CollectiveX', 'collectivex-ep-made.json', '"p90":55.0', '"p90":45.0', /do not ascend/],
  ['CollectiveX', 'collectivex-ep-made.json', '1024', '1025', /128 tokens on each of 8 ranks are not 1025/],
] as const) {
  test(`${what}: a row with ${to.trim()} in place of ${from.trim()} contradicts itself and has no figure`, () => {
    const text = readFixture(file);
    assert.ok(text.includes(from));
    assert.match(refusalOf(text.replace(from, to), fixtures[file]?.hints), reason);
  });
}

test('CollectiveX: a case that failed its check is wrong data', () => {
  const text = readFixture('collectivex-ep-made.json').replace('"passed":true', '"passed":false');
  const { found } = readForeign(text, importHints());
  assert.equal(found.saysWrong, true);
  assert.ok(found.rows.every(({ wrong }) => wrong === null));
});

for (const [what, file, options, message] of [
  ['OSU without --ranks', 'osu-7.4-allreduce-4-ranks.txt', {}, /does not print how many ranks/],
  ['SuperBench without --ranks', 'superbench-made.jsonl', {}, /does not print how many ranks/],
  ['ucc_perftest without --ranks', 'ucc-perftest-made.txt', {}, /does not print how many ranks/],
  ['nixlbench of more than two', 'nixlbench-made.txt', { ranks: 4 }, /nixlbench is of two/],
  ['other ranks than DeepEP printed', 'deepep-made.txt', { ranks: 8 }, /the output says 2 ranks/],
  ['nvbandwidth without --size', 'nvbandwidth-0.8-2xH200.json', {}, /does not write how large/],
  ['nccl-tests before 2025', 'nccl-tests-2.0-2019-made.txt', {}, /does not name its collective/],
  [
    'another collective',
    'nccl-tests-json-3-made.json',
    { collective: 'reduce' },
    /output is of all_reduce_perf/,
  ],
  ['other ranks than printed', 'nccl-tests-json-3-made.json', { ranks: 3 }, /the output says 4 ranks/],
  ['ranks that IMB did not have', 'imb-2021-p2p-2-ranks.txt', { ranks: 8 }, /is of 2 processes/],
  [
    'another collective than its command says',
    'nccl-tests-2.0-two-commands-made.txt',
    { collective: 'alltoall' },
    /output is of all_gather_perf/,
  ],
  [
    'the wrong collective',
    'nccl-tests-2.0-2019-made.txt',
    { collective: 'reduce' },
    /times the share of a link/,
  ],
] as const) {
  test(`${what}: refused, with the way out`, () => {
    assert.throws(
      () => readForeign(readFixture(file), importHints(options)),
      (error) => error instanceof ImportError && message.test(error.message),
    );
  });
}

test('SuperBench: a benchmark that did not end well makes the run incomplete', () => {
  const text = readFixture('superbench-0.12.0-2xH200.jsonl');
  const { found } = readForeign(
    text.replace('twice/return_code": 0', 'twice/return_code": 33'),
    importHints({ ranks: 2 }),
  );
  assert.equal(found.complete, false);
  assert.match(found.notices.join(), /nccl-bw:twice\/return_code of node-2 is 33/);
});

test('more ranks than any machine has, as in a damaged file: refused before a plan of all of them is made', () => {
  assert.throws(
    () => readForeign(readFixture('osu-7.4-allreduce-4-ranks.txt'), importHints({ ranks: 240_000_000 })),
    (error) => error instanceof ImportError && /240000000 ranks; at most 1048576/.test(error.message),
  );
});

test('nvbandwidth: tests that were waived and latencies are told, not imported', () => {
  const { found } = imported('nvbandwidth-0.8-1xH200-waived.json');
  const about = (word: string) => found.notices.filter((notice) => notice.includes(word)).length;
  assert.equal(about('Waived'), 17);
  assert.equal(about('no bandwidth in GB/s'), 1);
  assert.deepEqual(found.hosts, ['vm']);
});

test('nvbandwidth without a GPU: its own words are the error', () => {
  assert.throws(
    () => readForeign(readFixture('nvbandwidth-0.8-no-gpu.json'), importHints()),
    /measured nothing: \[CUDA_ERROR_NO_DEVICE\]/,
  );
});

for (const [what, file, message] of [
  ['a duration (-D), which has no median', 'perftest-6.29-send-lat-duration.json', /no median \(t_typical\)/],
  ['one figure (--output), behind which a comma stands', 'perftest-6.29-write-bw-output.json', /no MsgSize/],
] as const) {
  test(`perftest with ${what}: nothing is imported, and it says why`, () => {
    assert.throws(
      () => readForeign(readFixture(file), importHints()),
      (error) => error instanceof ImportError && message.test(error.message),
    );
  });
}

for (const [what, content, message] of [
  ['nothing', ' \n', /empty/],
  ['a binary file', 'GIF89a\0\0', /no text/],
  ['another text', 'total 42\n', /of no program that can be imported/],
  ['other JSON', '{"a": 1}', /of no program that can be imported/],
  ['a usage text', "invalid option 'Q'\nUSAGE: all_reduce_perf \n", /of no program/],
  [
    'two programs in one',
    `# OSU MPI Latency Test v7.4\n# Benchmarking PingPong\n`,
    /looks like osu and like imb/,
  ],
  ['a test of OSU that is not known', '# OSU MPI Init Test v7.4\n', /'Init' is none of those/],
  ['a header alone', '# OSU MPI Latency Test v7.4\n# Size  Avg Latency(us)\n', /nothing can be imported/],
  ['a line without end', `# nThread 1 nGpus 1\n${'9'.repeat(20_000)}`, /has 20000 characters/],
] as const) {
  test(`${what} is refused with what was looked for`, () => {
    assert.throws(
      () => readForeign(content, importHints()),
      (error) => error instanceof ImportError && message.test(error.message),
    );
  });
}

test('an unknown content is told everything that was looked for', () => {
  assert.throws(
    () => readForeign('hello\n', importHints()),
    (error) =>
      error instanceof ImportError &&
      formatNames.every((name) => error.lines.some((line) => line.includes(`${name}: no `))),
  );
});

test('a format that was named is taken at its word', () => {
  const text = readFixture('osu-7.4-latency.txt');
  assert.throws(() => readForeign(text, importHints(), 'perftest'), ImportError);
  const name: FormatName = 'osu';
  assert.equal(readForeign(text, importHints(), name).format, 'osu');
});

test('nvbandwidth in text: what was waived behind the sum of a test is another one', () => {
  const text = readFixture('nvbandwidth-0.8-text-made.txt');
  const { found } = readForeign(`${text}Waived: \n`, importHints({ sizeBytes: 1024 }));
  assert.equal(found.rows.length, 2);
  assert.match(found.notices.join(), /^a test is left out: Waived/);
  const own = text.replace(/memcpy CE[\s\S]*/, 'Waived: \n');
  assert.throws(
    () => readForeign(own, importHints({ sizeBytes: 1024 })),
    /device_to_device_memcpy_read_ce is left out/,
  );
});

test('nvbandwidth since 0.9: the scatter of a test is kept with its figures; that of another test refutes the sum', () => {
  const text = readFixture('nvbandwidth-0.10-text-made.txt');
  const rowsOf = (log: string) => readForeign(log, importHints({ sizeBytes: 1024 })).found.rows;
  assert.deepEqual(
    rowsOf(text).map(({ printed }) => printed?.['coefficient of variation']),
    ['0.02', '0.02', '0.11', '0.11'],
  );
  // Lines were lost between the sum of one test and the scatter of the next.
  const cut = text.replace(/COEFF[\s\S]*?SUM device_to_host_memcpy_ce 90.00\n/, '');
  assert.throws(() => rowsOf(cut), /the matrix has no sum beside it that would confirm it/);
});

test('perftest in text: of client and server in one log the one with rows counts', () => {
  const text = readFixture('perftest-write-bw-text-made.txt');
  const title = text.slice(0, text.indexOf(' #bytes'));
  const variants = (log: string) => readForeign(log, importHints()).found.rows.map(({ variant }) => variant);
  assert.deepEqual(variants(title + text), ['']);
  assert.deepEqual(variants(text + text), ['', 'run 2']);
});

test('--collective that the sizes contradict is refused, though rows of size 0 would fit', () => {
  const text = readFixture('nccl-tests-16-ranks-repeated-made.txt').replaceAll(' none ', '  sum ');
  for (const collective of ['allreduce', 'reduce'] as const)
    assert.throws(
      () => readForeign(text, importHints({ collective })),
      (error) => error instanceof ImportError && /--collective \w+ cannot be/.test(error.message),
    );
});

test('an output that does not name its collective: the suggested one is that of its columns and formulas', () => {
  for (const [name, collective] of [
    ['nccl-tests-2.0.0-2xH200-broadcast.txt', 'broadcast'],
    ['nccl-tests-2.10.0-2xH200-alltoall.txt', 'alltoall'],
    ['nccl-tests-2.13.9-2xH200-alltoall.txt', 'alltoall'],
    ['nccl-tests-2.13.9-2xH200-hypercube.txt', 'hypercube'],
    ['nccl-tests-2.13.9-2xH200-sendrecv.txt', 'sendrecv'],
    ['nccl-tests-2.19.6-2xH200-all_reduce.txt', 'allreduce'],
  ] as const) {
    const unnamed = readFixture(name).replaceAll(/^.*(?:Collective test|_perf).*\n/gm, '');
    assert.throws(
      () => readForeign(unnamed, importHints()),
      (error) => error instanceof ImportError && error.change?.collective === collective,
      name,
    );
    const { rows } = readForeign(unnamed, importHints({ collective })).found;
    assert.ok(rows.length > 0 && rows.every(({ timeNs }) => timeNs !== null), name);
  }
});

const importErrorOf = (text: string, hints: Parameters<typeof importHints>[0] = {}): ImportError => {
  try {
    readForeign(text, importHints(hints));
  } catch (error) {
    if (error instanceof ImportError) return error;
    throw error;
  }
  assert.fail('it was imported');
};

test('nvbandwidth: the suggested size is the default of the release', () => {
  const text = readFixture('nvbandwidth-0.8-text-made.txt');
  assert.equal(importErrorOf(text).change?.size, '512M');
  assert.equal(importErrorOf(text.replace(/Version: v\S+/, 'Version: v0.6')).change?.size, '64M');
});

test('perftest in text: rows that client and server of one connection both printed count once', () => {
  const side = (local: string, remote: string, rate: string) =>
    `                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_9
 Connection type : RC\t\tUsing SRQ      : OFF
 local address: LID 0x11 QPN ${local} PSN 0x5
 remote address: LID 0x11 QPN ${remote} PSN 0x5
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 1048576    700              ${rate}            ${rate}              0.010000
`;
  const variants = (log: string) => readForeign(log, importHints()).found.rows.map(({ variant }) => variant);
  assert.deepEqual(variants(side('0x1', '0x2', '10000.00') + side('0x2', '0x1', '10000.00')), ['']);
  assert.deepEqual(variants(side('0x1', '0x2', '10000.00') + side('0x2', '0x1', '10000.01')), ['', 'run 2']);
  assert.deepEqual(variants(side('0x1', '0x2', '10000.00').repeat(2)), ['', 'run 2']);
});

test('perftest in text: a rate that is not positive is named', () => {
  const text = readFixture('perftest-write-bw-text-made.txt');
  const [row = ''] = /^ \d+ .*$/m.exec(text) ?? [];
  const negative = row.replace(/(\d\S*)(\s+)(\S+)(\s*)$/, '-$1$2-$3$4');
  const { rows } = readForeign(`${text.replace(row, negative)}${text}`, importHints()).found;
  assert.match(rows[0]?.reason ?? '', /the mean bandwidth printed is -\d/);
});

test('NVSHMEM: a number of ranks that contradicts the printed bandwidths is refused', () => {
  const text = `#alltoall_device
size(B)     count     type      scope     latency(us)       algbw(GB/s)   busbw(GB/s)
64          16        32-bit    block     40.000000         0.002         0.002
4000000     1000000   32-bit    block     400.000000        10.000        7.500
`;
  assert.match(importErrorOf(text, { ranks: 8 }).message, /^--ranks 8 cannot be: 7\.500 GB\/s bus bandwidth/);
  const { rows } = readForeign(text, importHints({ ranks: 4 })).found;
  assert.deepEqual(
    rows.map(({ timeNs }) => timeNs),
    [40_000, 400_000],
  );
});

const osuTable = (rows: string) => `# OSU MPI Allreduce Latency Test v7.5
# Datatype: MPI_INT.
# Size       Avg Latency(us)
${rows}`;

test('OSU with several data types: each table keeps its own', () => {
  const text = `${osuTable('4   2.50\n8   2.75\n')}# Datatype: MPI_FLOAT.
# Size       Avg Latency(us)
4   3.50
8   3.75
`;
  const { rows } = readForeign(text, importHints({ ranks: 4 })).found;
  assert.deepEqual(
    rows.map(({ dtype, variant, payloadBytes, timeNs }) => [dtype, variant, payloadBytes, timeNs]),
    [
      ['int32', '', 4, 2500],
      ['int32', '', 8, 2750],
      ['float32', '', 4, 3500],
      ['float32', '', 8, 3750],
    ],
  );
});

test('OSU: a line of numbers below the table is no row, because its size is not larger', () => {
  const { rows, notices } = readForeign(
    osuTable('4   2.50\n8   2.75\n\n0   1\n'),
    importHints({ ranks: 4 }),
  ).found;
  assert.deepEqual(
    rows.map(({ payloadBytes }) => payloadBytes),
    [4, 8],
  );
  assert.match(notices.join('\n'), /a line is left out, its size is not larger .*: 0 {3}1/);
});
