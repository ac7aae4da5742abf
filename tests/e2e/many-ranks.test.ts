// test: nightly, alone, up to 400 s
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { cluster, openCluster } from '../cluster/bed.ts';
import { leftovers } from '../cluster/leftovers.ts';
import { ndjson, run, withFolder } from './harness.ts';
import { keptElsewhere } from './support/fault.ts';

// Tests runs with more than 256 ranks on four hosts. All of them share the cores of this machine, so their times mean nothing.

const ranksPerHost = 66;
const hasMpi = ['mpirun', 'mpicc'].every((name) => spawnSync(name, ['--version']).error === undefined);
const withoutMpi = hasMpi ? false : 'mpirun or mpicc is missing: apt-get install openmpi-bin libopenmpi-dev';

for (const [engine, missing] of [
  ['cpu', false],
  ['mpi', withoutMpi],
] as const)
  test(`engine ${engine}, ${4 * ranksPerHost} ranks on four hosts: every value verified, TCP proven, nothing stays`, {
    skip: cluster() || missing,
  }, async () => {
    const bed = await openCluster({ hosts: 4, rateMbit: 1000, sizeMiB: 1024 });
    try {
      await withFolder(async (folder) => {
        const hosts = bed.hosts.map(({ name }) => `${name}:${ranksPerHost}`).join(',');
        const short = ['--sizes', '8', '--launches', '1', '--iters', '2', '--precision', 'off'];
        const words = ['allreduce', '--engine', engine, '--hosts', hosts, ...short, '--timeout', '200'];
        const at = { cwd: folder, env: bed.environment, prefix: bed.prefix };
        const ended = await run([...words, '--out', 'run'], at);
        assert.equal(ended.code, 0, ended.stdout + ended.stderr);
        const record = JSON.parse(await readFile(path.join(folder, 'run/run.json'), 'utf8')) as RunRecord;
        assert.equal(record.launches[0]?.ranks.length, 4 * ranksPerHost);
        const [cell] = await ndjson<CellRecord>(path.join(folder, 'run/cells.ndjson'));
        assert.ok(cell?.status === 'ok');
        assert.ok(cell.verification.checks >= 4 * ranksPerHost);
        assert.equal(cell.verification.wrongElements, 0);
        assert.notEqual(cell.evidence.verdict, 'contradicted', cell.evidence.reason);
        for (const host of bed.hosts)
          assert.deepEqual(await leftovers(host, { expected: keptElsewhere }), [], host.name);
      });
    } finally {
      await bed.close();
    }
  });
