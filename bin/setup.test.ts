import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../results/package.ts';
import { plannings } from '../suites/workloads/index.ts';
import { allCommands } from './commands/index.ts';

test('the first build says how far it is, with ninja and with make', async () => {
  const { progressIn } = (await import(pathToFileURL(path.join(packageRoot, 'bin', 'setup.mjs')).href)) as {
    progressIn: (text: string) => string;
  };
  assert.equal(
    progressIn('$ cmake --build x\n[1/458] Building a.o\n[229/458] Building b.o\nwarning: [3/4]\n'),
    '50 %',
  );
  assert.equal(progressIn('[  3%] Building CXX object a.o\n[ 12%] Linking CXX b\n'), '12 %');
  assert.equal(progressIn('[457/458] Linking agent'), '99 %', 'all is built only when it ends');
  assert.equal(progressIn('added 120 packages\n'), '', 'npm does not say');
});

const { nativeNeeds, withAll, withFirst } = createRequire(import.meta.url)(
  path.join(packageRoot, 'bin', 'current.cjs'),
) as {
  withAll: string[];
  withFirst: string[];
  nativeNeeds: (words: string[]) => { part: 'first' | 'native'; asker: string } | null;
};
const needsOf = (line: string) => nativeNeeds(line.split(' '));

test('collectives and messages of the embedded engine wait for its native code alone', () => {
  const commands = plannings
    .filter(({ row }) => ['collective', 'p2p'].includes(row.name))
    .flatMap((planning) => planning.commands.map(({ name }) => name));
  for (const command of commands) assert.equal(needsOf(command)?.part, 'first', command);
  assert.equal(needsOf('allreduce --min 8 --max 1G --transport socket,sisci')?.part, 'first');
  assert.equal(needsOf('allreduce --engine=cpu --hosts a,b')?.part, 'first');
  assert.equal(needsOf('suite smoke')?.part, 'first');
});

test('what asks for all native code is named', () => {
  assert.deepEqual(needsOf('allreduce --engine nccl'), { part: 'native', asker: '--engine nccl' });
  assert.deepEqual(needsOf('allreduce --engine=cpu,nccl'), { part: 'native', asker: '--engine cpu,nccl' });
  assert.deepEqual(needsOf('put --transport ibgda'), { part: 'native', asker: '--transport ibgda' });
  assert.deepEqual(needsOf('allreduce --config x.yaml'), { part: 'native', asker: '--config' });
  assert.deepEqual(needsOf('allreduce --in-process'), { part: 'native', asker: '--in-process' });
  assert.deepEqual(needsOf('doctor'), { part: 'native', asker: 'doctor' });
});

/** Commands that only read stored runs, files of other programs, or the command line. */
const withoutNative = new Set(
  'runs rm prune show export bundle report history site compare model link import baseline completion help'.split(
    ' ',
  ),
);

test('every other command has its native code, and no command else is listed', async () => {
  const names = (await allCommands()).map(({ name }) => name);
  for (const name of names) assert.equal(needsOf(`${name} --x y`) === null, withoutNative.has(name), name);
  assert.deepEqual(
    [...withFirst, ...withAll].filter((line) => !names.includes(line.split(' ')[0] ?? '')),
    [],
  );
});

test('help, the version, and commands that do not exist are answered without native code', () => {
  for (const line of [
    'report x',
    'suite --list',
    'suite nightly --list --only gpu',
    'record --read=records',
    'topo system.xml --svg x.svg',
    'allreduce --help',
    '--version',
    '--complete a',
    'alreduce',
    'alreduce --max 1M',
    '-x',
  ])
    assert.equal(needsOf(line), null, line);
  assert.equal(nativeNeeds([]), null);
  for (const line of ['suite nightly', 'record -- x --list --read', 'topo', 'topo a.xml --hosts=b'])
    assert.equal(needsOf(line)?.part, 'native', line);
  assert.equal(needsOf('train -- python my_train.py --help')?.part, 'native', "another program's option");
});

test('a line that is refused because words are missing builds nothing', () => {
  for (const line of [
    'plugin',
    'plugin check',
    'bisect',
    'aa',
    'record',
    'resume',
    'pairs',
    'conformance',
    'script',
  ])
    assert.equal(needsOf(line), null, line);
  assert.equal(needsOf('plugin check ./libnccl-net-x.so')?.part, 'native');
  assert.equal(needsOf('aa allreduce')?.part, 'native');
  assert.equal(needsOf('script -- ./job')?.part, 'native');
});

test('compare needs native code only to measure again', () => {
  assert.equal(needsOf('compare last~1 last'), null);
  assert.equal(needsOf('compare last~1 last --interleave')?.part, 'native');
});
