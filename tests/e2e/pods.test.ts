// test: up to 120 s
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, utimes } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CellRecord, RunRecord } from '../../results/schema/index.ts';
import { mustExecute, pollUntil } from '../cluster/command.ts';
import type { HostProcess, TestHost } from '../cluster/host.ts';
import { openPods, pods, type TestPods } from '../cluster/pods.ts';
import { findOnlyRun, ndjson, run, type StartedProcess, start, withFolder } from './harness.ts';

// Pods of namespaces with busybox alone, entered by a program that does what `kubectl exec` does.
describe('collbench in pods', { skip: pods() }, () => {
  let bed: TestPods;
  before(async () => {
    bed = await openPods([
      // A volume in memory at /dev/shm, as GPU pods have it.
      { shm: 'size=64m,mode=1777', volume: '' },
      // The engine's own /dev/shm, and a volume that is open to all.
      { shm: 'size=64m,mode=1777,noexec', volume: 'size=64m,mode=777' },
    ]);
  });
  after(() => bed?.close());

  const words = ['allreduce', '--launcher', 'kubernetes', '--selector', 'app=collbench', '--ranks', '2'];
  const short = [...words, '--sizes', '8,64K', '--launches', '1', '--iters', '3'];
  const long = [
    ...[...words, '--sizes', '8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K'],
    ...['--launches', '1', '--precision', 'off', '--timeout', '10'],
  ];
  // The larger size takes seconds, in which the fault happens even on a busy machine; more iterations would also delay the first row.
  const longest = [...words, '--sizes', '8,16M', '--launches', '1', '--iters', '400', '--timeout', '10'];
  const firstRow = /\n\s+8\s+2 /;
  const record = async (folder: string) =>
    JSON.parse(await readFile(path.join(await findOnlyRun(folder), 'run.json'), 'utf8')) as RunRecord;
  const isClean = async () => {
    for (const pod of bed.pods) assert.deepEqual(await bed.leftovers(pod), [], pod.name);
  };

  test('the pods are found, get the agent, measure verified data, and are as before', () =>
    withFolder(async (folder) => {
      const ended = await run(short, { cwd: folder, env: bed.environment });
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /rank 0 on pod-0, 1 on pod-1/);
      const { plan, inventory } = await record(folder);
      assert.equal(plan.launcher, 'command:kubectl exec -i {host} -- sh');
      assert.deepEqual(Object.keys(inventory), ['pod-0', 'pod-1']);
      for (const cell of await ndjson<CellRecord>(path.join(await findOnlyRun(folder), 'cells.ndjson'))) {
        assert.ok(cell.status === 'ok' && cell.verification.wrongElements === 0);
        assert.ok(cell.verification.checks >= 2);
      }
      await isClean();
    }));

  async function broken(folder: string, breakIt: (started: StartedProcess) => void, args = longest) {
    const started = start(args, { cwd: folder, env: bed.environment });
    await started.sees(firstRow);
    breakIt(started);
    return started.ended;
  }
  const ranksIn = (pod: TestHost) =>
    pod.processes().filter(({ command, state }) => state !== 'Z' && /collbench-agent rank/.test(command));

  test('a rank that is killed in a pod is named with its pod', () =>
    withFolder(async (folder) => {
      const [, second] = bed.pods as [TestHost, TestHost];
      const ended = await broken(folder, () =>
        process.kill((ranksIn(second)[0] as HostProcess).pid, 'SIGKILL'),
      );
      assert.equal(ended.code, 2, ended.stderr);
      const [failure] = (await record(folder)).failures;
      assert.deepEqual([failure?.kind, failure?.host, failure?.rank], ['rank-died', 'pod-1', 1]);
      await isClean();
    }));

  test('Ctrl-C keeps what was measured and leaves nothing in the pods', () =>
    withFolder(async (folder) => {
      const ended = await broken(folder, ({ child }) => child.kill('SIGINT'));
      assert.equal(ended.code, 130, ended.stderr);
      assert.equal((await record(folder)).state, 'interrupted');
      await isClean();
    }));

  test('a command that is killed leaves no process; the next one removes its files', () =>
    withFolder(async (folder) => {
      const ended = await broken(folder, ({ child }) => child.kill('SIGKILL'), long);
      assert.equal(ended.signal, 'SIGKILL');
      for (const pod of bed.pods) {
        await pollUntil('its processes are gone', () => pod.processes().every(({ state }) => state === 'Z'));
        // Only files that are older than ten minutes are removed, because a command may have uploaded them just now.
        for (const place of ['/dev/shm', '/scratch'].map((name) => pod.path(`${name}/collbench-0`)))
          for (const name of existsSync(place) ? await readdir(place) : [])
            await utimes(path.join(place, name), 0, 0);
      }
      const resumed = await run(['resume', await findOnlyRun(folder)], { cwd: folder, env: bed.environment });
      assert.equal(resumed.code, 0, resumed.stderr);
      await isClean();
    }));

  test('doctor names the limits of a pod, each with the line of YAML that mends it', async () => {
    const doctor = ['doctor', '--launcher', 'kubernetes', '--selector', 'app=collbench'];
    const ended = await run(doctor, { env: bed.environment });
    assert.ok(ended.code === 5 || ended.code === 2, ended.stderr);
    const text = ended.stdout.replaceAll(/\s+/g, ' ');
    assert.match(text, /cpu\.quota .*1 CPU of \d+ .*in the pod: resources: \{limits: \{cpu: \d+\}\}/);
    assert.match(text, /shm\.size .*67\.1 MB.*emptyDir: \{medium: Memory, sizeLimit: 8Gi\}/);
    assert.match(text, /container\.network .*eth0 is a virtual interface.*hostNetwork: true/);
    await isClean();
  });

  test('doctor --drain: the script taints the node of a pod with an error, and no other', () =>
    withFolder(async (folder) => {
      const hosts = ['--launcher', 'kubernetes', '--hosts', 'pod-0,pod-1:iface=absent0'];
      const drain = ['--transport', 'socket', '--drain', 'drain.sh', '--drain-as', 'kubernetes'];
      const ended = await run(['doctor', ...hosts, ...drain], { cwd: folder, env: bed.environment });
      assert.equal(ended.code, 2, ended.stderr);
      await mustExecute('sh', ['-c', `PATH=${bed.folder}:$PATH exec sh ${folder}/drain.sh`]);
      const [taint, annotation, ...rest] = (await readFile(path.join(bed.folder, 'nodes.log'), 'utf8'))
        .trim()
        .split('\n');
      assert.equal(taint, 'taint|node|node-1|--overwrite|collbench/faulty=doctor:NoSchedule|');
      assert.match(annotation ?? '', /^annotate\|node\|node-1\|.*reason=collbench doctor: .*absent0/);
      assert.deepEqual(rest, []);
    }));

  test('who may not start shells in pods learns which rights are needed', () =>
    withFolder(async (folder) => {
      await bed.setFailure(
        'Error from server (Forbidden): pods is forbidden: User "me" cannot list resource "pods" in API group "" in the namespace "default"',
      );
      const ended = await run(short, { cwd: folder, env: bed.environment });
      await bed.setFailure(null);
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /get and list of pods, create and get of pods\/exec/);
      assert.match(ended.stderr, /Next: kubectl auth can-i create pods\/exec/);
    }));

  test('a folder from which no program can be started is refused, with the volume that a pod needs', () =>
    withFolder(async (folder) => {
      const ended = await run([...short, '--remote-dir', '/proc/x'], { cwd: folder, env: bed.environment });
      assert.equal(ended.code, 2, ended.stderr);
      assert.match(ended.stderr, /the agent cannot be stored on pod-\d/);
      assert.match(ended.stderr, /emptyDir/);
      await isClean();
    }));

  test('a pod that is killed is named, and nothing is left in the other', () =>
    withFolder(async (folder) => {
      const [first, second] = bed.pods as [TestHost, TestHost];
      const ended = await broken(folder, () => process.kill(second.initPid, 'SIGKILL'));
      assert.equal(ended.code, 2, ended.stderr);
      const [failure] = (await record(folder)).failures;
      assert.equal(failure?.host, 'pod-1');
      assert.deepEqual(await bed.leftovers(first), []);
    }));
});
