// test: nightly, up to 20 min
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { glibcOf } from '../../orchestration/launchers/upload/bundle.ts';
import { packageFile } from '../../results/package.ts';

const { buildNativePackage, shippedFiles } = (await import(
  pathToFileURL(packageFile('bin/release/native-package.mjs')).href
)) as {
  buildNativePackage: (architecture: string, outputFolder: string) => Promise<string>;
  shippedFiles: Record<string, string>;
};

/** C library of the cross compiler, for programs under qemu. */
const sysroot = '/usr/aarch64-linux-gnu';
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const missing = [
  ...(process.arch === 'arm64' || isInstalled('aarch64-linux-gnu-g++') ? [] : ['g++-aarch64-linux-gnu']),
  ...(isInstalled('qemu-aarch64') && existsSync(sysroot) ? [] : ['qemu-user']),
];
const skip = missing.length > 0 && `Debian packages are not installed: ${missing.join(', ')}`;

test('the package for arm64 runs on glibc 2.28, under an emulator here', { skip }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'collbench-arm64-'));
  t.after(() => rmSync(folder, { recursive: true }));
  execFileSync('tar', ['-xzf', await buildNativePackage('arm64', folder), '-C', folder]);
  const unpacked = path.join(folder, 'package');
  for (const name of Object.keys(shippedFiles)) {
    const [major, minor] = glibcOf(readFileSync(path.join(unpacked, name))) ?? [2, 0];
    assert.ok(major === 2 && minor <= 28, `${name} asks for GLIBC_${major}.${minor}`);
  }
  const start = (...words: string[]) =>
    spawnSync('qemu-aarch64', ['-L', sysroot, ...words], { encoding: 'utf8', input: '' });
  const version = start(path.join(unpacked, 'collbench-agent'), '--version');
  assert.match(version.stdout, /^collbench-agent \d/, version.stderr);
  const hello = start(path.join(unpacked, 'collbench-agent'));
  assert.match(hello.stdout, /"type":"hello"/, hello.stderr);
});
