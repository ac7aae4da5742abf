import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { nativeDir } from '../../orchestration/build.ts';
import { packageRoot } from '../../results/package.ts';
import { engineNames } from '../../results/schema/index.ts';
import { planningEngines } from '../../suites/engines/index.ts';

const command = path.join(packageRoot, 'bin', 'collbench');
const call = (...words: string[]) =>
  spawnSync(command, ['transports', ...words], {
    encoding: 'utf8',
    env: { ...process.env, COLLBENCH_NATIVE_DIR: nativeDir(), COLUMNS: '60' },
  });
/** Engines without transports to list: toy only waits, script runs the user's own program. */
const unlisted = ['toy', 'script'];

test('a section per engine; each transport says where it runs, or why not and what would make it run', () => {
  const { status, stdout, stderr } = call();
  assert.equal(status, 0, stderr);
  for (const engine of engineNames)
    assert.equal(new RegExp(`^engine ${engine}: `, 'm').test(stdout), !unlisted.includes(engine), engine);
  assert.doesNotMatch(stdout, /not part of this build/);
  assert.match(stdout, /^ {2}socket +hardware +TCP over lo/m);
  // A line may exceed the terminal only if it is a path.
  const tooLong = stdout.split('\n').filter((line) => line.length > 60 && line.trim().includes(' '));
  assert.deepEqual(tooLong, []);
});

test('--json: one object per line with its engine; what cannot run has reason and remedy', () => {
  const { stdout } = call('--json');
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = (engine: string) => found.filter((one) => one.engine === engine);
  assert.ok(of('cpu').some(({ name, available }) => name === 'socket' && available === true));
  const names = of('nccl').map(({ name }) => name);
  if (names.length > 0) assert.deepEqual(names, [...planningEngines.nccl.transports]);
  for (const { available, reason, remedy } of found) {
    if (available === true) continue;
    assert.notEqual(reason, '');
    assert.notEqual(remedy, '');
  }
});
