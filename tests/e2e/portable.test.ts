import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { nativeDir } from '../../orchestration/build.ts';
import { glibcOf } from '../../orchestration/launchers/upload/bundle.ts';
import { packageFile } from '../../results/package.ts';

const { shippedFiles } = (await import(
  pathToFileURL(packageFile('bin/release/native-package.mjs')).href
)) as { shippedFiles: Record<string, string> };

for (const [name, built] of Object.entries(shippedFiles)) {
  test(`${name} runs on glibc 2.28 and needs no libstdc++`, () => {
    const content = readFileSync(path.join(nativeDir(), built));
    const [major, minor] = glibcOf(content) ?? [2, 0];
    assert.ok(major === 2 && minor <= 28, `it asks for GLIBC_${major}.${minor}`);
    assert.doesNotMatch(content.toString('latin1'), /\0GLIBCXX_\d/);
  });
}
