// test: alone
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CellRecord, measuredOf, type OkCell } from '../../results/schema/index.ts';
import { run, withFolder } from './harness.ts';
import { namespaceProblem, withNamespace } from './support/namespace.ts';

/** Arguments of tc that limit loopback to 1 Gbit/s, which both directions share. */
const gigabit = ['root', 'tbf', 'rate', '1gbit', 'burst', '256kb', 'latency', '20ms'];

test('PCIe model beside 1 Gbit/s Ethernet: alike for small vectors, an order of magnitude apart for large ones', {
  skip: namespaceProblem() ?? false,
}, async () => {
  await withNamespace(gigabit, async (prefix) => {
    await withFolder(async (folder) => {
      const ended = await run(
        [
          'allreduce',
          '--sizes',
          '4K,1M',
          '--transport',
          'socket,sisci',
          '--link',
          'pcie-gen3-x8',
          '--launches',
          '1',
          '--precision',
          'off',
          '--json',
        ], // prettier-ignore
        { cwd: folder, prefix },
      );
      assert.equal(ended.code, 0, ended.stderr);
      const cells = ended.stdout
        .trim()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as CellRecord) as OkCell[];
      // Ratio of the fastest samples: other processes can delay most samples of a block, but hardly all.
      const ratio = (bytes: number) => {
        const of = (transport: string) =>
          measuredOf(
            cells.find((cell) => cell.transport === transport && cell.axes.bytes === bytes),
            'latency',
          )?.min ?? Number.NaN;
        return of('socket') / of('sisci');
      };
      // Two directions share 125 MB/s with socket; each has 7.9 GB/s with sisci.
      assert.ok(ratio(2 ** 20) > 8, `1 MiB: socket takes ${ratio(2 ** 20)} x the time of sisci`);
      assert.ok(
        ratio(2 ** 20) > 2 * ratio(4096),
        `socket takes ${ratio(4096)} x the time of sisci at 4 KiB, ${ratio(2 ** 20)} x at 1 MiB`,
      );
      assert.ok(
        cells
          .filter((cell) => cell.transport === 'sisci')
          .every((cell) => cell.detail.link === 'pcie-gen3-x8'),
      );
    });
  });
});
