// The agent is built without any optional part of native code (docs/architecture.md).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { root } from './harness.ts';

/** CMake options of optional parts, each with what paths and libraries of that part contain. */
const parts = {
  COLLBENCH_EMULATED: /softntb|softmlx5|softcard|conformance\//,
  COLLBENCH_CONFORMANCE: /conformance\//,
  COLLBENCH_RECORDERS: /recorder/,
};

/** A target of the build as CMake describes it (cmake-file-api(7)). */
interface BuildTarget {
  name: string;
  sources?: { path: string }[];
  link?: { commandFragments?: { fragment: string }[] };
}

/** Configures the native build in a folder and returns its targets. */
function configure(folder: string, option: string): BuildTarget[] {
  const api = path.join(folder, '.cmake/api/v1');
  mkdirSync(path.join(api, 'query/codemodel-v2'), { recursive: true });
  const words = [
    '-S',
    path.join(root, 'native'),
    '-B',
    folder,
    '-DCMAKE_BUILD_TYPE=Release',
    `-D${option}=OFF`,
  ];
  const { status, stdout, stderr } = spawnSync('cmake', words, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return readdirSync(path.join(api, 'reply'))
    .filter((file) => file.startsWith('target-'))
    .map((file) => JSON.parse(readFileSync(path.join(api, 'reply', file), 'utf8')) as BuildTarget);
}

for (const [option, part] of Object.entries(parts)) {
  test(`${option}=OFF: both agents are targets, and nothing is compiled or linked from that part`, (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'collbench-parts-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const targets = configure(folder, option);
    const names = targets.map(({ name }) => name);
    assert.ok(names.includes('collbench-agent') && names.includes('collbench-agent-first'), names.join(' '));
    const used = targets.flatMap(({ sources = [], link }) => [
      ...sources.map((source) => source.path),
      ...(link?.commandFragments ?? []).map(({ fragment }) => fragment),
    ]);
    assert.deepEqual(
      used.filter((word) => part.test(word)),
      [],
    );
  });
}
