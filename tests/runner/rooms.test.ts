// test: core
// Checks the messages of CMake about wrong names in the table of native rooms (native/rooms.txt).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { packageRoot } from '../../results/package.ts';

/** Configures a CMake project with the rooms `core` and `measure`, and a target in each of `folders`. */
async function configured(t: TestContext, table: string, folders: readonly string[]) {
  const root = await mkdtemp(path.join(tmpdir(), 'collbench-rooms-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  await copyFile(path.join(packageRoot, 'native/cmake/rooms.cmake'), path.join(root, 'rooms.cmake'));
  await writeFile(path.join(root, 'rooms.txt'), table);
  const walls = folders.map(
    (folder) => `add_subdirectory(${folder})\ncb_wall(\${CMAKE_CURRENT_SOURCE_DIR}/${folder})`,
  );
  await writeFile(
    path.join(root, 'CMakeLists.txt'),
    [
      'cmake_minimum_required(VERSION 3.16)',
      'project(rooms LANGUAGES NONE)',
      'include(rooms.cmake)',
      ...walls,
    ].join('\n'),
  );
  for (const folder of new Set(['core', 'measure', ...folders])) {
    await mkdir(path.join(root, folder));
    await writeFile(path.join(root, folder, 'CMakeLists.txt'), `add_library(${folder} INTERFACE)\n`);
  }
  const { status, stderr } = spawnSync('cmake', ['-S', root, '-B', path.join(root, 'build')], {
    encoding: 'utf8',
  });
  return { isMade: status === 0, stderr };
}

test('rooms that are there and name each other are taken', async (t) => {
  const { isMade, stderr } = await configured(t, '# a comment\ncore:\nmeasure: core\n', ['core', 'measure']);
  assert.ok(isMade, stderr);
});

for (const [what, table, said] of [
  ['a room that names one without a line', 'core:\nmeasure: coer\n', /measure names coer, which has no line/],
  ['a line of a room that is not there', 'coer:\nmeasure: coer\n', /coer is no folder or file/],
  ['a folder without a line', 'core:\n', /rooms\.txt has no line for measure/],
] as const)
  test(`${what} ends the configuration`, async (t) => {
    const { isMade, stderr } = await configured(t, table, ['measure']);
    assert.equal(isMade, false);
    assert.match(stderr, said);
  });
