import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { inFolder, root, run, skipUnless } from './harness.ts';

const double = (name: string) =>
  path.join(...[root, 'build', 'native-tests', 'engines', 'nccl', 'double', 'lib'], `lib${name}-double.so`);
const skip = skipUnless(existsSync(double('nccl')), 'no test double: node tests/all.mjs native builds it');

/** Stands for the RAS service of NCCL, which the test double does not have: answers each line as that does. */
async function fakeRas(status: string) {
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => undefined);
    socket.on('data', (text: string) => {
      for (const line of text.split('\n').filter(Boolean)) {
        if (line.startsWith('CLIENT PROTOCOL')) socket.write('SERVER PROTOCOL 2\n');
        else if (line.startsWith('TIMEOUT')) socket.write('OK\n');
        else if (line === 'STATUS') socket.end(status);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

test('a hang of NCCL tells what RAS says, the end of each log and what the interfaces moved', {
  skip,
}, async () => {
  const ras = await fakeRas('Communicators\n  Group 0: 2 ranks, 1 behind in AllReduce\n');
  try {
    await inFolder(async (folder) => {
      const ended = await run(
        [
          ...['allreduce', '--engine', 'nccl', '--nccl', double('nccl'), '--ranks', '2', '--launches', '1'],
          ...['--iters', '3', '--sizes', '64K', '--transport', 'socket', '--no-attest', '--timeout', '4'],
        ],
        {
          cwd: folder,
          env: {
            COLLBENCH_CUDA_LIBRARY: double('cuda'),
            COLLBENCH_NVRTC_LIBRARY: double('nvrtc'),
            CUDA_DOUBLE_DEVICES: '2',
            NCCL_DOUBLE_FAULT: 'hang:1:5',
            NCCL_RAS_ADDR: ras.address,
          },
        },
      );
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /NCCL RAS on \S+: +Group 0: 2 ranks, 1 behind in AllReduce/);
      assert.match(ended.stderr, /rank \d log of its engine: .*NCCL INFO/);
    });
  } finally {
    ras.close();
  }
});
