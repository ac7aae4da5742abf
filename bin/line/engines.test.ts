import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandNamed } from '../../suites/workloads/index.ts';
import { linesOfEngines } from './engines.ts';
import { measuringSyntax } from './measuring.ts';
import { readLine } from './read.ts';

const linesOf = (...words: string[]) =>
  linesOfEngines(readLine(measuringSyntax(commandNamed('allreduce')), words)).map((line) => line.join(' '));

for (const words of [
  ['--register', 'local'],
  ['--register=local'],
  ['-R', '1'],
  ['-R1'],
  ['--local_register', '1'],
  ['--graph'],
  ['-G', '1'],
])
  test(`${words.join(' ')} reaches only the engine that has it`, () => {
    assert.deepEqual(linesOf('--engine', 'cpu,nccl', ...words, '--max', '1K'), [
      '--max 1K --engine cpu',
      `${words.join(' ')} --max 1K --engine nccl`,
    ]);
  });

test('one engine leaves the line as it was typed', () => {
  assert.deepEqual(linesOf('--engine=nccl', '-R', '1'), ['--engine=nccl -R 1']);
});
