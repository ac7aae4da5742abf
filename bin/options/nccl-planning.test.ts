import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rankCounts } from '../../orchestration/engines/gpu-hosts.ts';
import { environmentIn, gpusOfFacts, versionsIn } from '../../orchestration/engines/nccl/facts.ts';
import { requireFloat8Support } from '../../orchestration/engines/nccl/hosts.ts';
import { transportCapability } from '../../orchestration/testing/agent-messages.ts';
import { packageRoot } from '../../results/package.ts';
import type { CollectiveName, TransportPlan } from '../../results/schema/index.ts';
import { refusalText } from '../../results/testing/refused.ts';
import { cpuAlgorithmOptions } from '../../suites/engines/cpu/algorithms.ts';
import { planningEngines } from '../../suites/engines/index.ts';
import { gpuMemoryShortage } from '../../suites/engines/nccl/memory.ts';
import { makePlan } from '../../suites/plan.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import { readOptions } from '../line/read-options.ts';

const { settings: engineSettings, series } = planningEngines.nccl;

const h200 = (count: number, memoryBytes = 140 * 2 ** 30, capability = '9.0') =>
  Object.fromEntries([
    ['gpu.count', String(count)],
    ...Array.from({ length: count }, (_, i) => [
      [`gpu.${i}.name`, 'NVIDIA H200'],
      [`gpu.${i}.memoryBytes`, String(memoryBytes)],
      [`gpu.${i}.capability`, capability],
    ]).flat(),
  ]) as Record<string, string>;

const options = (words: string, collective: CollectiveName = 'allreduce') =>
  readOptions(collective, ['--engine', 'nccl', ...words.split(' ').filter((word) => word !== '')]);

const refuses = (act: () => unknown, pattern: RegExp) => assert.match(refusalText(act), pattern);

test('the engine gets the words that differ from its defaults, and they are those of the native part', () => {
  assert.deepEqual(engineSettings(options('')), {});
  const all = engineSettings(
    options(
      '--nccl lib --gpus 0,2 --share-gpu --cache hot --graph --aggregate 4 --register local --no-blocking --split 1 --misalign 3 --host-check',
    ),
  );
  assert.deepEqual(all, {
    nccl: path.resolve('lib'),
    gpus: '0,2',
    shareGpu: '1',
    cache: 'hot',
    graph: '1',
    aggregate: '4',
    register: 'local',
    blocking: '0',
    split: '1',
    misalign: '3',
    hostCheck: '1',
  });
  const source = readFileSync(path.join(packageRoot, 'native/engines/nccl/settings.h'), 'utf8');
  for (const word of [...Object.keys(all), 'algo', 'proto', 'attest']) {
    assert.match(source, new RegExp(`"${word}"`), word);
  }
});

test('one rank for each GPU, in the order of --gpus', () => {
  const gpus = gpusOfFacts(h200(8));
  assert.deepEqual(rankCounts(commandNamed('allreduce'), options(''), gpus).ranks, 8);
  const { ranks, gpus: used } = rankCounts(
    commandNamed('allreduce'),
    options('--gpus 5,2,7 --ranks 2'),
    gpus,
  );
  assert.deepEqual([ranks, used.map(({ number }) => number)], [2, [5, 2]]);
  assert.equal(
    rankCounts(commandNamed('allreduce'), options('--share-gpu --ranks 4'), gpusOfFacts(h200(1))).ranks,
    4,
  );
  // A single rank moves nothing, so a shared GPU gets two ranks.
  assert.equal(rankCounts(commandNamed('allreduce'), options('--share-gpu'), gpusOfFacts(h200(1))).ranks, 2);
  assert.equal(rankCounts(commandNamed('allreduce'), options('--share-gpu'), gpusOfFacts(h200(4))).ranks, 4);
});

for (const [words, pattern] of [
  [
    '--ranks 4',
    /^4 ranks need 4 GPUs; this machine has 2 GPUs \(NVIDIA H200\)[\s\S]*--share-gpu[\s\S]*with --ranks 2$/,
  ],
  ['--gpus 1 --ranks 2', /--gpus names 1 of 2 GPUs[\s\S]*with --ranks 1$/],
  ['--gpus 0,2', /there is no GPU 2, this machine has 2 GPUs[\s\S]*0 to 1/],
  ['--gpus 0,0', /GPU 0 is named twice[\s\S]*--share-gpu/],
] as const) {
  test(`refused with two GPUs: ${words}`, () => {
    refuses(() => rankCounts(commandNamed('allreduce'), options(words), gpusOfFacts(h200(2))), pattern);
  });
}

test('what needs a pair is refused on one GPU with options that work there, or with none', () => {
  const one = gpusOfFacts(h200(1));
  refuses(
    () => rankCounts(commandNamed('pingpong'), options(''), one),
    /needs an even number of ranks, not 1[\s\S]*with --ranks 2, with --share-gpu, with --transport socket$/,
  );
  refuses(
    () => rankCounts(commandNamed('controlpath'), { ...options(''), engine: 'cuda' }, one),
    /needs a pair of ranks, not 1[\s\S]*too few GPUs/,
  );
});

test('hypercube over three GPUs is refused with the number that works', () => {
  refuses(
    () => rankCounts(commandNamed('hypercube'), options('--ranks 3', 'hypercube'), gpusOfFacts(h200(4))),
    /needs a power of two of ranks, not 3[\s\S]*--ranks 4/,
  );
});

test('8-bit floats: not before NCCL 2.24, and reduced on new GPUs only', () => {
  const check = (version: string, capability: string, collective: CollectiveName = 'allreduce') => {
    const facts = { ...h200(2, 2 ** 36, capability), 'nccl.version': version };
    const command = commandNamed(collective);
    const asked = options('--dtype float8e4m3', collective);
    return () =>
      requireFloat8Support(command, asked, rankCounts(command, asked, gpusOfFacts(facts)).gpus, facts);
  };
  refuses(check('2.23.4', '9.0'), /float8e4m3 needs NCCL 2.24 or newer, and this is 2.23.4/);
  refuses(check('2.28.9', '8.0'), /capability 9.0 on, GPU 0 \(NVIDIA H200\) has 8/);
  check('2.28.9', '8.0', 'allgather')();
  check('2.28.9', '9.0')();
});

function planOf(max: number, transports = 1, launches = 3) {
  return makePlan({
    typed: [],
    command: 'allreduce',
    words: {},
    engine: 'nccl',
    algorithm: null,
    ranks: 2,
    host: 'here',
    inProcess: false,
    transports: Array.from(
      { length: transports },
      (_, i): TransportPlan => ({ name: `p2p${i}`, medium: 'hardware', detail: {}, options: {} }),
    ),
    dtypes: ['float32'],
    ops: ['sum'],
    roots: [0],
    inPlace: [false],
    sizes: { kind: 'list', sizes: [8, max] },
    sampling: { launches, warmup: 5, iterations: null, batch: 0, check: 16, timeoutS: 60, seed: 1 },
  });
}

test('GPU memory: the largest size and all launches that stay open must fit', () => {
  const allocation = (memoryBytes: number) => ({ ranks: 2, gpus: gpusOfFacts(h200(2, memoryBytes)) });
  const requireGpuMemory = (...plan: Parameters<typeof gpuMemoryShortage>): void => {
    const shortage = gpuMemoryShortage(...plan);
    if (shortage !== null) throw shortage.refusal;
  };
  requireGpuMemory(planOf(2 ** 30), allocation(80 * 2 ** 30));
  requireGpuMemory(planOf(2 ** 30), allocation(0));
  refuses(
    () => requireGpuMemory(planOf(2 ** 36), allocation(80 * 2 ** 30)),
    /largest size needs 137 GB on each GPU; NVIDIA H200 has 85.9 GB[\s\S]*Next: the same command with --max 8$/,
  );
  refuses(
    () => requireGpuMemory(planOf(2 ** 30, 28), allocation(80 * 2 ** 30)),
    /84 launches held open need about [\s\S]*fewer --launches/,
  );
});

test('versions of a run: library, driver, compiler, GPUs', () => {
  const facts = {
    ...h200(2),
    'nccl.version': '2.30.3',
    'nccl.path': '/opt/libnccl.so.2.30.3',
    'nccl.how': '--nccl',
    'driver.release': '580.82',
    'driver.version': '13.0',
    'nvrtc.missing': 'no libnvrtc.so.13',
  };
  assert.deepEqual(versionsIn(facts, gpusOfFacts(facts)), {
    nccl: '2.30.3',
    'nccl.path': '/opt/libnccl.so.2.30.3',
    'nccl.how': '--nccl',
    driver: '580.82',
    'driver.cuda': '13.0',
    nvrtc: 'no libnvrtc.so.13',
    gpus: '2 GPUs (NVIDIA H200)',
  });
});

test('the environment of a transport is in its facts', () => {
  const capability = transportCapability('shm', {
    facts: { 'env.NCCL_P2P_DISABLE': '1', 'env.NCCL_DEBUG': 'INFO', 'gpu.count': '2' },
  });
  assert.deepEqual(environmentIn(capability), [
    ['NCCL_DEBUG', 'INFO'],
    ['NCCL_P2P_DISABLE', '1'],
  ]);
});

test('algorithms that NCCL lacks for a collective are refused when nothing is left', () => {
  assert.equal(
    series(commandNamed('allreduce'), options('--algo ring,tree --proto ll,simple')).choices.length,
    4,
  );
  refuses(
    () => series(commandNamed('broadcast'), options('--algo tree', 'broadcast')),
    /NCCL cannot run broadcast[\s\S]*none for broadcast, only ring/,
  );
});

test('algorithms of the cpu engine are those of its native table', () => {
  const source = readFileSync(path.join(packageRoot, 'native/engines/cpu/algorithms/algorithms.cc'), 'utf8');
  const names = [...source.matchAll(/\.name = "([a-z-]+)"/g)].map(([, name]) => name);
  assert.deepEqual(['auto', ...names], [...cpuAlgorithmOptions]);
});
