import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { cluster, openCluster } from '../cluster/bed.ts';
import type { TestHost } from '../cluster/host.ts';
import { findOnlyRun, start, withFolder } from './harness.ts';

/**
 * Gives a host its own /proc/stat, because test hosts share the counters of one kernel. A quiet host's counters do not change.
 * Those of a busy host grow by one second of work of each core every 100 ms.
 */
const ownCounters = 'cp /proc/stat /tmp/stat && mount --bind /tmp/stat /proc/stat';
/** Makes a host busy. The file is overwritten in place, in one write, because a reader keeps it open. */
const makeBusy =
  'nohup sh -c \'n=100; while [ ! -e /tmp/calm ]; do sed "s/^\\(cpu[0-9]*  *\\)[0-9]*/\\1$n/" /tmp/stat > /tmp/next; dd if=/tmp/next of=/tmp/stat bs=64K conv=notrunc status=none; n=$((n + 100)); sleep 0.1; done\' > /dev/null 2>&1 &';

test('--wait-quiet waits for the one host of two that is busy, names it, and measures once it is quiet', {
  skip: cluster(),
}, async () => {
  const bed = await openCluster({ hosts: 2, rateMbit: null });
  try {
    await withFolder(async (cwd) => {
      const [calm, busy] = bed.hosts as [TestHost, TestHost];
      for (const host of bed.hosts) await host.root(ownCounters);
      await busy.root(makeBusy);
      const words = `allreduce --hosts ${calm.name},${busy.name} --sizes 8 --launches 1 --iters 3`.split(' ');
      const options = ['--sample-interval', '50ms', '--wait-quiet', '5m'];
      const started = start([...words, ...options], { cwd, env: bed.environment, prefix: bed.prefix });
      await started.sees(/waiting for quiet machines/);
      await busy.root('touch /tmp/calm');
      const { code, stderr } = await started.ended;
      assert.equal(code, 0, stderr);
      assert.match(
        stderr,
        new RegExp(`at most 5 min: other processes use [\\d.]+ of \\d+ cores on ${busy.name}\\b`),
      );
      assert.doesNotMatch(stderr, new RegExp(`cores on ${calm.name}\\b`));
      const file = path.join(await findOnlyRun(cwd), 'run.json');
      const { waits = [], state } = JSON.parse(await readFile(file, 'utf8')) as RunRecord;
      assert.deepEqual([state, waits.length, waits[0]?.isQuiet], ['complete', 1, true]);
      assert.deepEqual(Object.keys(waits[0]?.busyCores ?? {}).sort(), [calm.name, busy.name].sort());
      assert.equal(waits[0]?.busyCores[calm.name], 0);
    });
  } finally {
    await bed.close();
  }
});
