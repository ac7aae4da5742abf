import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { collectivesOf } from '../../suites/engines/index.ts';
import { readConfig } from '../config.ts';
import { readOptions } from '../line/read-options.ts';
import { runRefusal } from '../testing/run-refusal.ts';
import { withDefaults } from './index.ts';

const nccl = (...words: string[]) => readOptions('allreduce', ['--engine', 'nccl', ...words]);

test("ranks and transport are the engine's to choose: 2 over socket on the cpu, what the GPUs say with nccl", () => {
  const cpu = readOptions('allreduce', []);
  assert.deepEqual([cpu.ranks, cpu.transport], [2, ['socket']]);
  assert.deepEqual([nccl().ranks, nccl().transport], [null, null]);
  assert.equal(withDefaults().transport, null, 'and the defaults stay untouched');
});

test('a command of nccl-tests means the same with its GPU letters', () => {
  const options = nccl(...'-b 8 -e 1G -f 2 -G 20 -R 2 -u 1 -d fp8_e4m3'.split(' '));
  assert.deepEqual([options.graph, options.register, options.misalign], [true, 'symmetric', 1]);
  assert.deepEqual(options.dtype, ['float8e4m3']);
  for (const [words, graph] of [
    [['-G', '0'], false],
    [['-G5'], true],
    [['-G=0'], false],
    [['-G'], true],
    [['--graph'], true],
  ] as const) {
    assert.equal(nccl(...words).graph, graph, words.join(' '));
  }
});

test('algorithms and protocols in any case, as NCCL spells them', () => {
  assert.deepEqual(nccl('--algo', 'Ring,TREE,auto').algo, ['ring', 'tree', 'auto']);
  assert.deepEqual(nccl('--proto', 'll,LL128,simple').proto, ['LL', 'LL128', 'Simple']);
});

test('--algorithm is another name of --algo, on the command line and in files', () => {
  assert.deepEqual(nccl('--algorithm', 'tree').algo, ['tree']);
  assert.deepEqual(readOptions('allreduce', ['--algorithm=ring,direct']).algo, ['ring', 'direct']);
  const { text } = runRefusal(() => readOptions('allreduce', ['--algorithm', 'hexagon']));
  assert.match(text, /^--algorithm hexagon: /);
});

test('"all" is all that the engine has', () => {
  const types = (...words: string[]) => readOptions('allreduce', [...words, '--dtype', 'all', '--op', 'all']);
  assert.deepEqual([types().dtype.length, types().op.length], [10, 5]);
  assert.deepEqual([types('--engine', 'nccl').dtype.length, types('--engine', 'nccl').op.length], [12, 6]);
});

test('options of batches in a file for several commands: kept for collectives, left out for the others', () => {
  const config = path.join(mkdtempSync(path.join(tmpdir(), 'collbench-nccl-')), 'gpu.yaml');
  writeFileSync(config, 'engine: nccl\ngraph: true\naggregate: 4\n');
  const asked = (command: 'allreduce' | 'put') => {
    const { graph, aggregate } = readOptions(command, ['--config', config], readConfig(config));
    return [graph, aggregate];
  };
  assert.deepEqual(
    [asked('allreduce'), asked('put')],
    [
      [true, 4],
      [false, 1],
    ],
  );
});

const refusedCases: [string, string, string, RegExp][] = [
  [
    'a collective of others',
    'gather',
    '--engine cuda',
    /the cuda engine has no gather\n.*allowed with --engine cpu, nccl/,
  ],
  ['an 8-bit float', 'allreduce', '-d float8e5m2', /^-d float8e5m2: the cpu engine[\s\S]*--engine nccl/],
  [
    'premulsum',
    'allreduce',
    '--op sum,premulsum',
    /^--op premulsum: .*\n.*sum, prod, min, max, avg; .*--engine nccl/,
  ],
  [
    'a switch of the other engine',
    'allreduce',
    '--no-attest',
    /^--no-attest has no effect with --engine cpu/,
  ],
  ['a letter of the other engine', 'allreduce', '-R 1', /^-R has no effect with --engine cpu/],
  [
    'a graph of what is not queued in batches',
    'stencil',
    '--engine nccl --graph',
    /^--graph has no effect with stencil\n.*leave it out/,
  ],
  ['a graph of messages', 'put', '--engine nccl -G 1', /^-G has no effect with put/],
  [
    'calls in one group',
    'pingpong',
    '--engine nccl --aggregate 4',
    /^--aggregate has no effect with pingpong/,
  ],
  [
    'an interface for what goes over none',
    'allreduce',
    '--engine nccl --transport p2p,shm --interface eth0',
    /^--interface has no effect with --transport p2p,shm\n.*socket, ucx, ib, ibgda and plugins: leave it out/,
  ],
  [
    'threads for GPUs',
    'allreduce',
    '--engine nccl --in-process',
    /--in-process has no effect with --engine nccl/,
  ],
  [
    'in place where there is none',
    'alltoall',
    '--engine nccl --in-place both',
    /alltoall has no form in place/,
  ],
  [
    'groups of ranks',
    'allreduce',
    '--engine nccl --split 2',
    /^--split 2: groups of some ranks are not measured/,
  ],
  ['an unknown algorithm', 'allreduce', '--engine nccl --algo hexagon', /^--algo hexagon: [\s\S]*nvlstree/],
  ['an unknown registration', 'allreduce', '--engine nccl -R 3', /^-R 3: [\s\S]*symmetric/],
  ['a GPU that is no number', 'allreduce', '--engine nccl --gpus a', /^--gpus a: not a whole number/],
  [
    'a GPU of several that is no number',
    'allreduce',
    '--engine nccl --gpus 0,a',
    /^--gpus 0,a: not a whole number \('a'\)/,
  ],
  ['an unknown engine', 'allreduce', '--engine gpu', /^--engine gpu: no such value[\s\S]*cpu or nccl/],
];
for (const [name, command, words, pattern] of refusedCases) {
  test(`refused: ${name} (${command} ${words})`, () => {
    const { text, code } = runRefusal(() =>
      readOptions(
        command as 'allreduce',
        words.split(' ').filter((word) => word !== ''),
      ),
    );
    assert.match(text, pattern);
    assert.equal(code, 1);
    assert.ok(text.includes('\n'), 'says what is allowed or what to do');
  });
}

test('every collective of an engine is read with it', () => {
  for (const name of collectivesOf('nccl')) readOptions(name, ['--engine', 'nccl']);
  for (const name of collectivesOf('cpu')) readOptions(name, []);
});
