import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Refusal } from '../../results/refusals/refusal.ts';
import { textOf } from '../../results/refusals/words.ts';
import type { CrosscheckOptions, CrosscheckRecord } from '../../results/schema/index.ts';
import type { CrosscheckRequest } from '../../suites/crosscheck/plan.ts';
import { type CrosscheckScreen, crosscheck } from './crosscheck.ts';
import type { CrosscheckEngine } from './engine.ts';

const packageRoot = fileURLToPath(new URL('../../..', import.meta.url));
const emulated = (name: string) => path.join(packageRoot, 'dist', 'tests', 'emulated', `${name}.js`);

interface CrosscheckSetting {
  options?: Partial<CrosscheckOptions>;
  /** Value of EMULATED_NCCL_TESTS. */
  mode?: string;
  /** Time of collbench divided by the time of nccl-tests. */
  pace?: (request: CrosscheckRequest, bytes: number) => number;
  ours?: Partial<CrosscheckEngine>;
  programs?: readonly string[];
  /** Set if the programs are built with MPI: the MPI of the installed mpirun, or `none`. */
  mpi?: 'Open MPI' | 'other' | 'none';
  onProgress?: (text: string, abort: () => void) => void;
}

interface CrosscheckOutcome {
  code: number | null;
  /** Messages, details and next steps of its failures. */
  error: string;
  /** Text of the refusal; "" if there was none. */
  refused: string;
  record: CrosscheckRecord | null;
  folder: string;
  requests: CrosscheckRequest[];
  pid: number | null;
  /** Arguments and environment of the last call of nccl-tests. */
  theirs: { words: string[]; env: Record<string, string> } | null;
  /** Words that mpirun got. */
  mpirun: string[] | null;
  progress: string[];
}

/** Time that the emulated nccl-tests reports, ns (tests/emulated/nccl-tests.ts). */
const decreedNs = (bytes: number) => (12 + bytes / 300e3) * 1000;

function ourEngine(
  folder: string,
  setting: CrosscheckSetting,
  requests: CrosscheckRequest[],
): CrosscheckEngine {
  return {
    ...{ gpus: [0, 1], ranks: 2, hosts: [] },
    medium: 'emulated',
    library: { path: path.join(folder, 'lib', 'libnccl.so.2'), version: '2.28.9' },
    environment: { NCCL_P2P_LEVEL: 'SYS' },
    lackText: 'no time',
    measure: async (request) => {
      requests.push(request);
      return new Map(
        request.sizes.map((bytes) => {
          const comparedNs = decreedNs(bytes) * (setting.pace?.(request, bytes) ?? 1);
          return [bytes, { comparedNs, isolatedNs: 5000, enqueueNs: 11_500, wrongElements: 0 }];
        }),
      );
    },
    ...setting.ours,
  };
}

/** Makes a folder with programs that call the emulated one through a shell, which makes a process group of two. */
function nccltests(folder: string, programs: readonly string[], needed: string): string {
  mkdirSync(path.join(folder, 'build'));
  mkdirSync(path.join(folder, 'lib'));
  writeFileSync(path.join(folder, 'lib', 'libnccl.so.2'), '');
  for (const name of programs) {
    const file = path.join(folder, 'build', name);
    const script = `#!/bin/sh\n# needs ${needed}\nEMULATED_NAME="$0" "${process.execPath}" "${emulated('nccl-tests')}" "$@"\nstatus=$?\n[ $status -lt 128 ] || kill -SEGV $$\nexit $status\n`;
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
  return folder;
}

function mpirun(folder: string): string {
  const file = path.join(folder, 'mpirun');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${emulated('mpirun')}" "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

async function run(setting: CrosscheckSetting): Promise<CrosscheckOutcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-crosscheck-'));
  const [pidFile, argumentsFile] = [path.join(folder, 'pid'), path.join(folder, 'arguments')];
  const mpirunFile = path.join(folder, 'mpirun-arguments');
  const added = {
    EMULATED_NCCL_TESTS: setting.mode ?? '',
    EMULATED_PID: pidFile,
    EMULATED_ARGUMENTS: argumentsFile,
    EMULATED_MPIRUN: setting.mpi ?? '',
    EMULATED_MPIRUN_ARGUMENTS: mpirunFile,
    NCCL_TESTS_DEVICE: '3',
  };
  Object.assign(process.env, added);
  const outcome: CrosscheckOutcome = {
    code: null,
    error: '',
    refused: '',
    record: null,
    folder,
    requests: [],
    pid: null,
    theirs: null,
    mpirun: null,
    progress: [],
  };
  const controller = new AbortController();
  const shown: string[] = [];
  const screen: CrosscheckScreen = {
    progress: (text) => {
      outcome.progress.push(text);
      setting.onProgress?.(text, () => controller.abort());
    },
    collective: ({ collective }) => void shown.push(collective),
    end: ({ collectives, failures }) => {
      assert.deepEqual(
        shown,
        collectives.map(({ collective }) => collective),
      );
      outcome.error = failures
        .flatMap(({ message, details, next }) => [message, ...details, next ?? ''])
        .join('\n');
    },
  };
  const options: CrosscheckOptions = {
    collectives: ['allreduce'],
    ncclTests: nccltests(
      folder,
      setting.programs ?? ['all_reduce_perf', 'all_gather_perf', 'broadcast_perf'],
      setting.mpi === undefined ? 'libnccl.so.2' : 'libmpi.so.40',
    ),
    min: 8,
    max: 4 * 2 ** 20,
    factor: 8,
    rounds: 3,
    gpus: null,
    nccl: null,
    mpirun: setting.mpi === 'none' ? '/nowhere/mpirun' : mpirun(folder),
    dtype: 'float32',
    op: 'sum',
    timeoutS: 60,
    out: path.join(folder, 'out'),
    json: false,
    ...setting.options,
  };
  try {
    const open = async () => ourEngine(folder, setting, outcome.requests);
    outcome.code = await crosscheck(options, open, screen, controller.signal, '1.2.3');
    outcome.record = JSON.parse(readFileSync(path.join(folder, 'out', 'crosscheck.json'), 'utf8'));
    if (existsSync(pidFile)) outcome.pid = Number(readFileSync(pidFile, 'utf8'));
    if (existsSync(argumentsFile)) outcome.theirs = JSON.parse(readFileSync(argumentsFile, 'utf8'));
    if (existsSync(mpirunFile)) outcome.mpirun = JSON.parse(readFileSync(mpirunFile, 'utf8'));
    outcome.progress.push(
      ...(existsSync(path.join(folder, 'out', 'nccl-tests'))
        ? readdirSync(path.join(folder, 'out', 'nccl-tests'))
        : []),
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    outcome.refused = textOf(error);
  } finally {
    for (const name of Object.keys(added)) delete process.env[name];
    rmSync(folder, { recursive: true });
  }
  return outcome;
}

/** Runs a program that hangs. The deadline grows until the program has started in time, because a busy machine starts it late. */
async function hung(setting: CrosscheckSetting): Promise<CrosscheckOutcome & { timeoutS: number }> {
  for (let timeoutS = 1; ; timeoutS *= 4) {
    const outcome = await run({ ...setting, mode: 'hang', options: { timeoutS } });
    if (outcome.pid !== null || timeoutS >= 64) return { ...outcome, timeoutS };
  }
}

const noise = [0.001, -0.001, 0.0005];
const close = ({ round }: CrosscheckRequest) => 1 + (noise[round % 3] as number);

/**
 * Waits until the process has ended, for a limited time. It polls, because only a parent is notified; a zombie counts as ended.
 */
async function assertEnded(pid: number | null): Promise<void> {
  assert.ok(pid !== null);
  const isRunning = () => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  for (
    const end = Date.now() + 10_000;
    isRunning();
    await new Promise((resolve) => setTimeout(resolve, 10))
  ) {
    assert.ok(Date.now() < end, `process ${pid} is still there`);
  }
}

test('equal times agree: exit 0, every size with ratio, interval, scatter and verdict', async () => {
  const { code, error, record } = await run({ pace: close });
  assert.equal(error, '');
  assert.equal(code, 0);
  assert.equal(record?.state, 'complete');
  assert.equal(record.verdict, 'agree');
  const [result] = record.collectives;
  assert.deepEqual(
    result?.sizes.map(({ payloadBytes }) => payloadBytes),
    [8, 64, 512, 4096, 32768, 262144, 2097152],
  );
  assert.equal(result.sizes[0]?.figures.length, 3);
  assert.equal(result.sizes.at(-1)?.ratio.toFixed(3), '1.000');
  assert.equal(record.collbench, '1.2.3');
});

/** Sentences of the summary of the first collective. */
const sentences = ({ record }: CrosscheckOutcome) =>
  record?.collectives[0]?.summary?.sentences.join(' ') ?? '';

test('another time at one size differs: exit 4', async () => {
  const outcome = await run({ pace: (request, bytes) => close(request) * (bytes === 64 ? 1.05 : 1) });
  assert.equal(outcome.code, 4);
  assert.equal(outcome.record?.collectives[0]?.sizes[1]?.verdict, 'differ');
  assert.match(sentences(outcome), /7 sizes: 6 agree, 1 differ \(64 B\)\./);
});

test('faster at small sizes agrees and is said', async () => {
  const outcome = await run({ pace: (request, bytes) => close(request) * (bytes <= 64 ? 0.5 : 1) });
  assert.equal(outcome.code, 0);
  assert.equal(outcome.record?.collectives[0]?.sizes[1]?.isFaster, true);
  assert.match(sentences(outcome), /collbench is faster at 8 B, 64 B/);
});

test('scatter that hides the answer is no verdict: exit 5', async () => {
  const wild = [0.9, 1.1, 1.0];
  const { code, record } = await run({ pace: ({ round }) => wild[round] as number });
  assert.equal(code, 5);
  assert.equal(record?.verdict, 'unsure');
});

test('a size without a time of ours in one round is said, and its other rounds count', async () => {
  const { code, record } = await run({
    ours: {
      measure: async ({ sizes, round }) =>
        new Map(
          sizes
            .filter((bytes) => round !== 1 || bytes !== sizes[0])
            .map((bytes) => [
              bytes,
              { comparedNs: decreedNs(bytes), isolatedNs: 5000, enqueueNs: 11_500, wrongElements: 0 },
            ]),
        ),
    },
  });
  assert.equal(code, 0);
  const [result] = record?.collectives ?? [];
  const [first, second] = result?.sizes ?? [];
  assert.equal(first?.rounds, (second?.rounds ?? 0) - 1);
  assert.deepEqual(result?.skipped, [
    { requestedBytes: first?.payloadBytes, reason: 'round 2: collbench has no time' },
  ]);
});

test('rounds alternate who goes first; both get the same work', async () => {
  const { progress, requests, record, theirs } = await run({ pace: close });
  assert.deepEqual(
    progress.filter((text) => text.includes('round')).map((text) => text.split(': ')[1]),
    ['nccl-tests', 'collbench', 'collbench', 'nccl-tests', 'nccl-tests', 'collbench'],
  );
  assert.deepEqual(
    record?.collectives[0]?.sizes[0]?.figures.map(({ first }) => first),
    ['nccl-tests', 'collbench', 'nccl-tests'],
  );
  assert.deepEqual(
    requests.map(({ round, op, root }) => [round, op, root]),
    [0, 1, 2].map((round) => [round, 'sum', null]),
  );
  const line = theirs?.words.join(' ') ?? '';
  assert.match(
    line,
    /^-b 8 -e 4194304 -f 8 -t 2 -g 1 -n 20 -w 5 -d float -o sum -c 1 -J .*allreduce-2\.json$/,
  );
  assert.deepEqual(
    progress.filter((name) => /\.(txt|json)$/.test(name)).sort(),
    [0, 1, 2].flatMap((round) => [`allreduce-${round}.json`, `allreduce-${round}.txt`]),
  );
});

test('nccl-tests gets our GPUs, our library, our NCCL variables, and none that change what it measures', async () => {
  const { theirs, folder } = await run({ pace: close, ours: { gpus: [2, 5] } });
  assert.equal(theirs?.env.CUDA_VISIBLE_DEVICES, '2,5');
  assert.equal(theirs.env.LD_LIBRARY_PATH?.split(':')[0], path.join(folder, 'lib'));
  assert.equal(theirs.env.NCCL_P2P_LEVEL, 'SYS');
  assert.equal(theirs.env.NCCL_TESTS_DEVICE, undefined);
});

test('programs built with MPI run as one process per GPU, with the same variables', async () => {
  const { code, error, record, mpirun, theirs, folder } = await run({ mpi: 'Open MPI', pace: close });
  assert.equal(code, 0, error);
  const line = (mpirun ?? []).join(' ');
  assert.match(
    line,
    /^-np 2 (--allow-run-as-root )?--bind-to none (-x \w+ )+\/.*\/all_reduce_perf -b 8 .* -t 1 -g 1 /,
  );
  for (const name of ['LD_LIBRARY_PATH', 'CUDA_VISIBLE_DEVICES', 'NCCL_P2P_LEVEL']) {
    assert.ok(line.includes(` -x ${name} `), name);
  }
  assert.doesNotMatch(line, /NCCL_TESTS|oversubscribe/);
  assert.equal(theirs?.env.EMULATED_MPI_RANKS, '2');
  assert.equal(record?.collectives[0]?.processes, 2);
  assert.equal(record.collectives[0].commandLine[0], path.join(folder, 'mpirun'));
});

test('an mpirun that is not of Open MPI gets the number of processes alone', async () => {
  const { code, mpirun, error } = await run({ mpi: 'other', pace: close });
  assert.equal(code, 0, error);
  assert.match((mpirun ?? []).join(' '), /^-np 2 \/.*\/all_reduce_perf -b 8 /);
});

test('programs built with MPI and no mpirun: refused before anything starts', async () => {
  const { refused, requests } = await run({ mpi: 'none' });
  assert.match(refused, /--mpirun \/nowhere\/mpirun: not found\n.*all_reduce_perf was built with MPI/);
  assert.equal(requests.length, 0);
});

for (const [mode, code, message] of [
  ['segfault', 2, /mpirun all_reduce_perf was killed by SIGSEGV/],
  ['failure', 2, /mpirun all_reduce_perf.*exit code 3: an error of NCCL/],
  ['wrong', 3, /mpirun all_reduce_perf reports wrong data/],
] as const) {
  test(`nccl-tests ${mode} under mpirun: exit ${code}, with the same reason`, async () => {
    const outcome = await run({ mode, mpi: 'Open MPI', pace: close });
    assert.equal(outcome.code, code, outcome.error);
    assert.match(outcome.error, message);
  });
}

test('mpirun is killed with all its processes at the deadline', async () => {
  const { code, error, pid, timeoutS } = await hung({ mpi: 'Open MPI' });
  assert.equal(code, 2);
  assert.ok(error.includes(`mpirun all_reduce_perf did not end within ${timeoutS} s and was killed`), error);
  await assertEnded(pid);
});

test('a program that does not say which NCCL it loaded is known as such', async () => {
  const recorded = path.join(packageRoot, 'results/import/fixtures/nccl-tests-2.19.6-2xH200-all_reduce.txt');
  const version = async (mode: string) =>
    (await run({ mode, pace: close })).record?.collectives[0]?.ncclVersion;
  assert.equal(await version(`recorded:${recorded}`), null);
  assert.equal(await version(''), '2.28.9');
});

test('JSON is read where it is whole; else the text is', async () => {
  // The exact time, 12 us + 8 B / 300 GB/s, has more digits than the text.
  const us = async (mode: string) =>
    (await run({ mode, pace: close })).record?.collectives[0]?.sizes[0]?.theirsNs ?? 0;
  assert.ok(Math.abs((await us('')) - decreedNs(8)) < 1e-3);
  assert.ok(Math.abs((await us('short-json')) - 12_000) < 1e-6);
  const old = await run({ mode: 'old', pace: close });
  assert.equal(old.code, 0);
  assert.ok(!old.theirs?.words.includes('-J'));
});

test('sizes that nccl-tests rounds are compared as it measures them', async () => {
  const { code, record, error } = await run({
    options: { collectives: ['allgather'], factor: 2, max: 64 },
    pace: close,
  });
  assert.equal(code, 0, error);
  const [result] = record?.collectives ?? [];
  assert.deepEqual(
    result?.sizes.map(({ payloadBytes }) => payloadBytes),
    [32, 64],
  );
  const reason = 'nccl-tests rounds it to nothing on 2 ranks';
  assert.deepEqual(
    result.skipped,
    [8, 16].map((requestedBytes) => ({ requestedBytes, reason })),
  );
});

test('a recorded run of real GPUs is held against our figures', async () => {
  const recorded = path.join(packageRoot, 'results/import/fixtures/nccl-tests-2.19.6-2xH200-all_reduce.txt');
  const { record, code } = await run({ mode: `recorded:${recorded}`, options: { max: 2 ** 30, factor: 2 } });
  assert.equal(record?.collectives[0]?.sizes.length, 28);
  assert.equal(record.collectives[0].sizes[0]?.theirsNs.toFixed(3), '12280.000');
  assert.equal(code, 4);
});

for (const [mode, code, message] of [
  ['segfault', 2, /all_reduce_perf was killed by SIGSEGV/],
  ['failure', 2, /exit code 3: an error of NCCL[\s\S]*unhandled cuda error/],
  ['wrong', 3, /reports wrong data: 5 elements at 8 B/],
  ['cut', 2, /ended early[\s\S]*closing lines are missing/],
  ['usage', 2, /usage text of nccl-tests/],
  ['library', 2, /printed no usage[\s\S]*libnccl\.so\.2: cannot open/],
  ['other', 2, /loaded NCCL 2\.27\.3, collbench 2\.28\.9[\s\S]*RPATH/],
  ['type', 2, /invalid type float, defaulting/],
  ['memory', 2, /4 of 7 sizes were not measured by both[\s\S]*Reducing maxBytes to 1024/],
] as const) {
  test(`nccl-tests ${mode}: exit ${code}, with the reason`, async () => {
    const outcome = await run({ mode, pace: close });
    assert.equal(outcome.code, code, outcome.error);
    assert.match(outcome.error, message);
    assert.equal(outcome.record?.state, 'failed');
    assert.equal(outcome.record.verdict, null);
  });
}

test('a program that prints something else is no nccl-tests', async () => {
  const { code, error } = await run({ mode: `recorded:${path.join(packageRoot, 'results/README.md')}` });
  assert.equal(code, 2);
  assert.match(error, /no output of nccl-tests/);
});

test('nccl-tests that hangs is killed with its process group at the deadline', async () => {
  const { code, error, pid, timeoutS } = await hung({});
  assert.equal(code, 2);
  assert.ok(error.includes(`all_reduce_perf did not end within ${timeoutS} s and was killed`), error);
  await assertEnded(pid);
});

test('Ctrl-C ends nccl-tests and keeps the rounds before: exit 130', async () => {
  const { code, record } = await run({
    pace: close,
    onProgress: (text, abort) => {
      if (text.includes('round 3')) abort();
    },
  });
  assert.equal(code, 130);
  assert.equal(record?.state, 'interrupted');
  assert.equal(record.collectives[0]?.sizes[0]?.figures.length, 2);
});

test('wrong data of ours: exit 3', async () => {
  const { code, error } = await run({
    ours: {
      measure: async ({ sizes }) =>
        new Map(
          sizes.map((bytes) => [
            bytes,
            { comparedNs: 1000, isolatedNs: null, enqueueNs: null, wrongElements: 2 },
          ]),
        ),
    },
  });
  assert.equal(code, 3);
  assert.match(error, /collbench found wrong data: allreduce/);
});

test('programs that are not there are listed before anything starts', async () => {
  const { refused, requests } = await run({ options: { collectives: ['allreduce', 'reduce'] } });
  assert.match(refused, /looked for .*build\/reduce_perf\n.*looked for .*reduce_perf/);
  assert.doesNotMatch(refused, /all_reduce_perf/);
  assert.equal(requests.length, 0);
});

test('a library that nccl-tests cannot load by its name is refused', async () => {
  const { refused } = await run({ ours: { library: { path: '/nowhere/libnccl.so', version: '2.28.9' } } });
  assert.match(refused, /libnccl\.so\.2 by name/);
});
