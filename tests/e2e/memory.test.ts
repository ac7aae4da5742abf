import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { rankPids, start, withFolder } from './harness.ts';

const size = 256;
test('a rank needs less than 2.2 x the largest size and 100 MB, over either transport', async () => {
  await withFolder(async (folder) => {
    // A second collective keeps the ranks alive while their high-water marks are read.
    const args = [
      'allreduce',
      '--sizes',
      `${size}M`,
      '--dtype',
      'float32,int32',
      '--transport',
      'socket,sisci',
      '--launches',
      '1',
    ];
    const started = start([...args, '--iters', '2', '--json-live'], { cwd: folder });
    await started.sees(/"dtype":"\w+"[^\n]*\n[^\n]*"dtype":"\w+"/);
    const ranks = await rankPids(started.marker);
    assert.equal(ranks.length, 4, 'two ranks for each transport');
    for (const pid of ranks) {
      const status = await readFile(`/proc/${pid}/status`, 'latin1');
      const peakBytes = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
      assert.ok(peakBytes > size * 2 ** 20, 'the rank held its vectors');
      assert.ok(peakBytes < 2.2 * size * 2 ** 20 + 100e6, `rank process ${pid} reached ${peakBytes} bytes`);
    }
    assert.equal((await started.ended).code, 0);
  });
});
