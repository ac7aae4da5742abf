import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { findOnlyRun, run, signalRank, start, survivors, withFolder } from './harness.ts';
import { fake, fakeGpus, withoutFakes } from './support/fakes.ts';

// Checks that log files written on the hosts are copied into the run. Two agents on this machine act as two hosts.
const words = [
  ...['allreduce', '--launches', '1', '--interface', 'lo'],
  ...['--hosts', '127.0.0.1:2,127.0.0.2:1'],
];
const chatty = 'command:sh -c "echo from {host} >&2; TEST_HOST={host} exec {agent}"';

async function runIn(folder: string) {
  const directory = await findOnlyRun(folder);
  const record = JSON.parse(await readFile(path.join(directory, 'run.json'), 'utf8')) as RunRecord;
  return { directory, record, text: (file: string) => readFile(path.join(directory, file), 'utf8') };
}

test('stderr of every agent lies in a file of its host, named in run.json and linked from the report', async () => {
  await withFolder(async (folder) => {
    const ended = await run([...words, '--sizes', '8,1K', '--iters', '3', '--launcher', chatty], {
      cwd: folder,
    });
    assert.equal(ended.code, 0, ended.stderr);
    const { record, text } = await runIn(folder);
    assert.deepEqual(
      record.logs,
      ['127.0.0.1', '127.0.0.2'].map((host) => ({ host, rank: null, file: `logs/${host}.log` })),
    );
    for (const { host, file } of record.logs ?? []) {
      assert.match(await text(file), new RegExp(` ${host} agent: from ${host}$`, 'm'));
      assert.match(await text('report.html'), new RegExp(`<a href="${file}">`));
    }
  });
});

test('when a rank dies the logs of all hosts are kept, and the end of the command says where', async () => {
  await withFolder(async (folder) => {
    // The larger size takes seconds, in which a rank is found even on a busy machine; more iterations would also delay the first
    // row.
    const long = ['--sizes', '8,16M', '--iters', '400'];
    const started = start([...words, ...long, '--launcher', chatty], {
      cwd: folder,
      env: { COLLBENCH_LOG: 'debug' },
    });
    await started.sees(/\n\s+8\s+2 /);
    await signalRank(started.marker, 'SIGKILL', 0);
    const ended = await started.ended;
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, /^Logs of the hosts: \/\S+\/logs$/m);
    assert.deepEqual(await survivors(started.marker), []);
    const { record } = await runIn(folder);
    assert.equal(record.logs?.length, 2);
  });
});

test("NCCL's own log of every rank is kept, also of one that died", {
  skip: withoutFakes,
}, async () => {
  for (const fault of ['', 'die:1:5']) {
    await withFolder(async (folder) => {
      const ended = await run(
        [
          ...['allreduce', '--engine', 'nccl', '--nccl', fake('nccl'), '--ranks', '2', '--launches', '1'],
          ...['--iters', '3', '--sizes', '64K', '--transport', 'socket', '--no-attest'],
        ],
        {
          cwd: folder,
          env: {
            ...fakeGpus(2),
            NCCL_FAKE_FAULT: fault,
          },
        },
      );
      assert.equal(ended.code, fault === '' ? 0 : 2, ended.stderr);
      const { record, text } = await runIn(folder);
      const engines = (record.logs ?? []).filter(({ rank }) => rank !== null);
      assert.deepEqual(
        engines.map(({ rank }) => rank),
        [0, 1],
      );
      for (const { file, rank, host } of engines) {
        const log = await text(file);
        assert.match(log, new RegExp(`^== ${host} rank ${rank}, socket \\(launch 1\\)\\n`));
        assert.match(log, /NCCL INFO NCCL version .*fake/);
      }
    });
  }
});
