import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openRun } from '../../results/store/read.ts';
import { agentPid, findOnlyRun, rankPids, run, start, withFolder } from './harness.ts';

/** Limits of containers and jobs: real limits and control groups of the kernel, version 1 or 2. */

/**
 * Creates a control group with a limit. Returns its folder and the name of the limit's file; null if none can be created.
 * @param limit value for each possible file name, of version 1 and of version 2
 */
async function groupOf(
  controller: string,
  limit: Record<string, string>,
): Promise<{ group: string; file: string } | null> {
  for (const root of [`/sys/fs/cgroup/${controller}`, '/sys/fs/cgroup']) {
    const group = path.join(root, `collbench-test-${process.pid}`);
    try {
      await mkdir(group);
      const file = Object.keys(limit).find((name) => existsSync(path.join(group, name)));
      if (file === undefined) throw new Error(`no ${controller} controller`);
      await writeFile(path.join(group, file), limit[file] ?? '');
      return { group, file };
    } catch {
      await rmdir(group).catch(() => undefined);
    }
  }
  return null;
}

async function within(
  t: TestContext,
  controller: string,
  limit: Record<string, string>,
  body: (prefix: string[], set: (to: Record<string, string>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const made = await groupOf(controller, limit);
  if (made === null) return t.skip(`no control group with the controller ${controller} can be made here`);
  const { group, file } = made;
  try {
    await body(['sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh'], (to) =>
      writeFile(path.join(group, file), to[file] ?? ''),
    );
  } finally {
    await rmdir(group);
  }
}

const quota = (percent: number) => ({
  'cpu.cfs_quota_us': `${percent * 1000}`,
  'cpu.max': `${percent * 1000} 100000`,
});

test('a quota of processor time that keeps ranks from running flags what it held back', (t) =>
  within(t, 'cpu', quota(1000), (prefix, set) =>
    withFolder(async (cwd) => {
      const words = '--sizes 1M --transport shm --launches 1 --iters 250 --sample-interval 20ms';
      const started = start(['allreduce', ...words.split(' ')], { cwd, prefix });
      await started.sees(/^ +time: /m);
      // A quota of 10 % of one CPU is less than two ranks would get on any machine, however busy.
      await set(quota(10));
      const ended = await started.ended;
      assert.equal(ended.code, 0, ended.stderr);
      const [cell] = (await openRun(await findOnlyRun(cwd))).cells;
      assert.ok(cell?.status === 'ok');
      assert.ok(
        cell.flags.some(({ name }) => name === 'cpu-quota'),
        ended.stdout,
      );
      const reason = cell.load?.reasons.find(({ flag }) => flag === 'cpu-quota')?.text ?? '';
      assert.ok((cell.load?.hosts[0]?.throttledShare ?? 0) > 0.01);
      assert.match(reason, /kept processes from running for [\d.]+ % of the time of 2 cores/);
    }),
  ));

test('ranks that leave a quota run outside of its control group, their command stays in it', (t) =>
  within(t, 'cpu', quota(1000), (prefix) =>
    withFolder(async (cwd) => {
      const words = '--sizes 8,4M --transport shm --launches 1 --iters 1000 --cpu-quota leave';
      const started = start(['allreduce', ...words.split(' ')], { cwd, prefix });
      await started.sees(/^ +8 +2 /m);
      const groupsOf = (pid: number) => readFile(`/proc/${pid}/cgroup`, 'utf8');
      const ranks = await Promise.all((await rankPids(started.marker)).map(groupsOf));
      assert.equal(ranks.length, 2);
      for (const text of ranks) assert.doesNotMatch(text, /collbench-test/);
      assert.match(await groupsOf(await agentPid(started.marker)), /collbench-test/);
      const ended = await started.ended;
      assert.equal(ended.code, 0, ended.stderr);
      const { record } = await openRun(await findOnlyRun(cwd));
      assert.equal(record.plan.cpuQuota, 'leave');
    }),
  ));

test('vectors beyond the memory of the control group are refused before anything is measured', (t) => {
  const limit = `${600 * 2 ** 20}`;
  return within(t, 'memory', { 'memory.limit_in_bytes': limit, 'memory.max': limit }, (prefix) =>
    withFolder(async (cwd) => {
      const { code, stderr } = await run(['allreduce', '--sizes', '1G'], { cwd, prefix });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /the largest size needs 4\.29 GB for 2 ranks on \S+, which has 629 MB/);
      assert.match(stderr, /what its container or job may take[\s\S]*use smaller sizes or fewer --ranks/);
    }),
  );
});

test('a limit of virtual memory with which Node would abort is named, with what to do', async () => {
  const prefix = ['sh', '-c', 'ulimit -v 900000; exec "$@"', 'sh'];
  const { code, stderr } = await run(['allreduce'], { prefix });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^collbench: ulimit -v is 900000 KiB here[\s\S]*allowed: 2500000[\s\S]*Next: ulimit -v/,
  );
});
