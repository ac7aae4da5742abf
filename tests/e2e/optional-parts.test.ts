// The agent and all else that commands start are built without the optional parts of native code (docs/architecture.md).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { root } from './harness.ts';

const parts = {
  COLLBENCH_EMULATED: /softntb|softmlx5|softcard|conformance/,
  COLLBENCH_CONFORMANCE: /conformance/,
  COLLBENCH_RECORDERS: /recorder|collbench-record|nccl-profiler/,
};

function run(words: readonly string[]): string {
  const [program = '', ...rest] = words;
  const { status, stdout, stderr } = spawnSync(program, rest, { encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.equal(status, 0, `${words.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

for (const [option, sources] of Object.entries(parts)) {
  test(`${option}=OFF: the agent is built, and nothing of that part`, (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'collbench-parts-'));
    t.after(() => rmSync(folder, { recursive: true }));
    run(['cmake', '-S', path.join(root, 'native'), '-B', folder, `-D${option}=OFF`]);
    // The build tool only prints its steps: a target that is not there, or one that needs it, makes it fail.
    const steps = run(['cmake', '--build', folder, '--target', 'product', 'product-first', '--', '-n']);
    assert.match(steps, /collbench-agent/);
    assert.doesNotMatch(steps, sources);
  });
}
