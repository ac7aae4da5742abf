import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { root, skipUnless } from './harness.ts';

// Runs the example programs of rdma-core, built for the real libibverbs, on the software adapter.

const lookalikes = path.join(root, 'build', 'native', 'softmlx5', 'lookalikes');
const skip = skipUnless(
  existsSync('/usr/bin/ibv_rc_pingpong') && existsSync(lookalikes),
  'no ibv_rc_pingpong: apt-get install ibverbs-utils',
);
const start = promisify(execFile);
const options = { env: { ...process.env, LD_LIBRARY_PATH: lookalikes }, timeout: 60_000 };

/** Runs a client and returns its stdout. Tries up to 200 more times, because a client fails until the server listens. */
async function connects(program: string, words: string[]): Promise<string> {
  for (let left = 200; ; --left) {
    try {
      return (await start(program, [...words, 'localhost'], options)).stdout;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

test('ibv_devices lists the one device', { skip }, async () => {
  assert.match((await start('ibv_devices', [], options)).stdout, /^\s+mlx5_0\s+[0-9a-f]{16}$/m);
});

for (const [program, words] of [
  ['ibv_rc_pingpong', ['-c']], // -c: the program compares every received byte
  ['ibv_srq_pingpong', []],
] as const)
  test(`${program} ends well between two processes`, { skip }, async () => {
    const port = String(20_000 + (process.pid % 20_000) + (program === 'ibv_rc_pingpong' ? 0 : 1));
    const all = ['-g', '0', '-n', '100', '-p', port, ...words];
    const [server, client] = await Promise.all([start(program, all, options), connects(program, all)]);
    for (const printed of [server.stdout, client]) {
      assert.match(printed, /^100 iters in /m);
      assert.doesNotMatch(printed, /invalid data/);
    }
  });
