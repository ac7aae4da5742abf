// test: nightly, alone
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { root, run, withFolder } from './harness.ts';
import { namespaceProblem, withNamespace } from './support/namespace.ts';

// Real regressions, each added to one of two builds and removed again: an agent that shrinks the socket buffers of its ranks,
// and one that has a single processor. The other build is the reference, measured interleaved with it.

const native = process.env.COLLBENCH_NATIVE_DIR || path.join(root, 'build', 'native');

/** Writes an agent script that runs the shell commands `begin` and then becomes the real agent. */
function agent(folder: string, name: string, begin: string): void {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${begin}\nexec ${path.join(native, 'collbench-agent')} "$@"\n`);
  chmodSync(file, 0o755);
}

const suite = (sizes: string, tonight: string): string => `detect: 100%
options: {launches: 4, iters: 8, sizes: [${sizes}], transport: socket, sample-interval: "off"}
anchor: {agent: ./usual}
entries: {all: {collective: allreduce, agent: ./${tonight}}}
`;

async function gate(folder: string, sizes: string, tonight: string, prefix: string[] = []) {
  writeFileSync(path.join(folder, 'mine.yaml'), suite(sizes, tonight));
  return run(['suite', './mine.yaml', '--gate'], { cwd: folder, prefix });
}

test('socket buffers shrunk to a page: red, naming series and size; as they were: green', {
  skip: namespaceProblem() ?? false,
}, async () => {
  await withNamespace([], async (inside) => {
    // The agents of both builds may run at the same time, and these settings are those of a namespace, so each agent has its own.
    const buffers = (most: number): string =>
      [
        '[ "$OWN" ] || OWN=1 exec unshare --net "$0" "$@"',
        'ip link set lo up',
        ...['wmem', 'rmem'].map((one) => `echo 4096 ${most} ${most} > /proc/sys/net/ipv4/tcp_${one}`),
      ].join('\n');
    await withFolder(async (folder) => {
      agent(folder, 'usual', buffers(1_048_576));
      agent(folder, 'shrunk', buffers(4096));
      const red = await gate(folder, '64K, 256K', 'shrunk', inside);
      assert.equal(red.code, 4, red.stdout + red.stderr);
      assert.match(red.stdout, /\nREGRESSION: up to \S+(?: %)? slower in 1 of 1 size range\./);
      assert.match(red.stdout, /all: allreduce float32 sum, cpu over socket, 2 ranks, between 32 KiB/);
      assert.match(
        red.stdout,
        /\n64 KiB - 256 KiB +(?:\+[\d.]+ %|x[\d.]+) [^\n]*\s+(?:verdict: )?slower, certain after \d+\s+pairs/,
      );
      const green = await gate(folder, '64K, 256K', 'usual', inside);
      assert.equal(green.code, 0, green.stdout + green.stderr);
    });
  });
});

// Agents of both builds run at the same time, so a load beside the ranks of one would slow down those of the other, too.
test('all ranks of one build on one processor: red; on those of the usual one: green', {
  skip: availableParallelism() < 2 && 'needs two processors',
}, async () => {
  await withFolder(async (folder) => {
    agent(folder, 'usual', '');
    agent(folder, 'confined', '[ "$OWN" ] || OWN=1 exec taskset -c 0 "$0" "$@"');
    const red = await gate(folder, '4M', 'confined');
    assert.equal(red.code, 4, red.stdout + red.stderr);
    assert.match(
      red.stdout,
      /\n4 MiB +(?:\+[\d.]+ %|x[\d.]+) [^\n]*\s+(?:verdict: )?slower, certain after \d+\s+pairs/,
    );
    const green = await gate(folder, '4M', 'usual');
    assert.equal(green.code, 0, green.stdout + green.stderr);
  });
});
