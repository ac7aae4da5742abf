import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CrosscheckOptions, CrosscheckRecord } from '../../results/schema/index.ts';
import { refusalText } from '../../results/testing/refused.ts';
import { crosscheck } from './crosscheck.ts';
import { findOsu } from './osu.ts';

const onThisMachine = { transport: 'socket', hosts: [], sshConfig: null, interface: null };
const packageRoot = fileURLToPath(new URL('../../..', import.meta.url));
const recorded = readFileSync(
  path.join(packageRoot, 'results/import/fixtures/osu-7.4-allreduce-4-ranks.txt'),
  'utf8',
);
const asFloats = recorded.replace('MPI_CHAR', 'MPI_FLOAT');

/** Writes a program that prints recorded output of OSU once per start: under mpirun only its first rank prints. */
function program(file: string, text: string, help: string, isOwnMpi: boolean): void {
  const body = isOwnMpi ? '[ "$EMULATED_MPI_RANK" = 0 ] || exit 0\n' : '';
  writeFileSync(
    file,
    `#!/bin/sh\n${body}if [ "$1" = -h ]; then echo '${help}'; exit 0; fi\necho "$OMPI_MCA_btl $*" >>${file}.words\ncat <<'END'\n${text}END\n`,
  );
  chmodSync(file, 0o755);
}

interface OsuSetting {
  text?: string;
  help?: string;
  isOwnMpi?: boolean;
  options?: Partial<CrosscheckOptions>;
}

async function run({ text = asFloats, help = '  -T TYPE', isOwnMpi = true, options = {} }: OsuSetting) {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-osu-'));
  const mpirun = path.join(folder, 'mpirun');
  const emulated = path.join(packageRoot, 'dist', 'tests', 'emulated', 'mpirun.js');
  writeFileSync(mpirun, `#!/bin/sh\nexec "${process.execPath}" "${emulated}" "$@"\n`);
  chmodSync(mpirun, 0o755);
  const programs = path.join(folder, 'osu', 'libexec', 'osu-micro-benchmarks', 'mpi', 'collective');
  mkdirSync(programs, { recursive: true });
  const file = path.join(programs, 'osu_allreduce');
  program(file, text, help, isOwnMpi);
  const sizeOptions: CrosscheckOptions = {
    collectives: ['allreduce'],
    ncclTests: '',
    osu: { ...onThisMachine, folder: path.join(folder, 'osu'), ranks: 4 },
    ...{ min: 8, max: 512, factor: 8, rounds: 3, gpus: null, nccl: null, mpirun: null },
    ...{ dtype: 'float32', op: 'sum', timeoutS: 30, out: path.join(folder, 'out'), json: false },
    ...options,
  };
  const sizes: number[][] = [];
  let record: CrosscheckRecord | null = null;
  try {
    const code = await crosscheck(
      sizeOptions,
      async () => ({
        ...{ gpus: [], ranks: 4, hosts: [] },
        medium: 'hardware',
        library: { path: mpirun, version: 'Open MPI 4.1.4, TCP over lo' },
        environment: { OMPI_MCA_btl: 'self,tcp' },
        lackText: 'no call that all ranks began in time',
        measure: async (request) => {
          sizes.push([...request.sizes]);
          return new Map(
            request.sizes.map((bytes) => [
              bytes,
              { comparedNs: 20_000, isolatedNs: 21_000, enqueueNs: null, wrongElements: 0 },
            ]),
          );
        },
      }),
      {
        progress: () => undefined,
        collective: () => undefined,
        end: (ended) => {
          record = ended;
        },
      },
      new AbortController().signal,
      '0',
    );
    const words = readFileSync(`${file}.words`, 'utf8').trim().split('\n');
    const error = (record as CrosscheckRecord | null)?.failures
      .flatMap(({ message, details }) => [message, ...details])
      .join('\n');
    const kept = readdirSync(path.join(folder, 'out', 'osu')).sort();
    return { code, record: record as CrosscheckRecord | null, words, error, kept, sizes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('OSU runs under the mpirun of our engine, with its variables, at sizes that both have', async () => {
  const { code, record, words, kept, sizes, error } = await run({});
  assert.equal(error, '');
  const [result] = record?.collectives ?? [];
  // OSU printed 63.13 and 37.50 us. Our constant 20 us is faster, which the check allows for small sizes.
  assert.deepEqual(
    result?.sizes.map(({ payloadBytes, theirsNs, oursNs, verdict }) => [
      payloadBytes,
      Math.round(theirsNs),
      Math.round(oursNs),
      verdict,
    ]),
    [
      [8, 63_130, 20_000, 'agree'],
      [64, 21_390, 20_000, 'agree'],
      [512, 37_500, 20_000, 'agree'],
    ],
  );
  assert.equal(code, 0);
  assert.equal(result.version, '7.4');
  assert.equal(result.processes, 4);
  assert.deepEqual(sizes, [
    [8, 64, 512],
    [8, 64, 512],
    [8, 64, 512],
  ]);
  assert.equal(words.length, 3);
  assert.match(words[0] ?? '', /^self,tcp -m 8:512 -M \d+ -i 100 -x 20 -T mpi_float$/);
  assert.deepEqual(kept, ['allreduce-0.txt', 'allreduce-1.txt', 'allreduce-2.txt']);
  assert.equal(record?.peer, 'OSU');
});

test('releases without -T are not told a type', async () => {
  const { code, words } = await run({ text: recorded.replace(/# Datatype.*\n/, ''), help: '  -f full' });
  assert.equal(code, 0);
  assert.match(words[0] ?? '', / -x 20$/);
});

for (const [what, setting, message] of [
  ['an mpirun of another MPI', { isOwnMpi: false }, /did not run as one program of 4 ranks[\s\S]*--mpirun/],
  ['another data type', { text: recorded }, /measured int8 where float32 was asked for/],
  ['no output', { text: 'none of it\n' }, /did not run as one program[\s\S]*none of it/],
] as const) {
  test(`${what} is a failure with the reason: exit 2`, async () => {
    const { code, error } = await run(setting);
    assert.equal(code, 2);
    assert.match(error ?? '', message);
  });
}

test('programs that are not there and factors that OSU lacks are refused', () => {
  const options = { collectives: ['allreduce', 'broadcast'], factor: 2 } as unknown as CrosscheckOptions;
  const asked = { ...onThisMachine, folder: '/nowhere', ranks: 2 };
  assert.match(
    refusalText(() => findOsu(options, asked)),
    /--osu \/nowhere: no such folder/,
  );
  assert.match(
    refusalText(() => findOsu({ ...options, factor: 6 }, asked)),
    /--factor 6: OSU doubles/,
  );
});
