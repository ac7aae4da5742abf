import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { run, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

/** Starts a server that answers like the RAS service of NCCL, which the fake lacks. @param status answer to STATUS */
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
  skip: withoutFakes,
}, async () => {
  const ras = await fakeRas('Communicators\n  Group 0: 2 ranks, 1 behind in AllReduce\n');
  try {
    await withFolder(async (folder) => {
      const ended = await run(
        [
          ...['allreduce', '--engine', 'nccl', '--nccl', fake('nccl'), '--ranks', '2', '--launches', '1'],
          ...['--iters', '3', '--sizes', '64K', '--transport', 'socket', '--no-attest', '--timeout', '4'],
        ],
        {
          cwd: folder,
          env: {
            ...fakeGpus(2),
            NCCL_FAKE_FAULT: 'hang:1:5',
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
