import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { CellRecord, OkCell } from '../../results/schema/index.ts';
import { openRun } from '../../results/store/read.ts';
import type { HostMetrics } from '../../results/store/types.ts';
import { cluster, openCluster } from '../cluster/bed.ts';
import { findOnlyRun, type HarnessOptions, ndjson, run, start, withFolder } from './harness.ts';

const quick = ['allreduce', '--sizes', '8,1M', '--launches', '1', '--iters', '20', '--seed', '1'];

interface MetricsRun {
  dir: string;
  stdout: string;
  cells: OkCell[];
  hosts: (HostMetrics & { starts: number[]; ends: boolean })[];
}

/** Runs a command and returns the cells of its run and the load readings of all hosts. */
async function measured(folder: string, args: string[], options: HarnessOptions = {}): Promise<MetricsRun> {
  const ended = await run(args, { cwd: folder, ...options });
  assert.equal(ended.code, 0, ended.stderr);
  return { ...(await lookedAt(await findOnlyRun(folder))), stdout: ended.stdout };
}

async function lookedAt(dir: string): Promise<Omit<MetricsRun, 'stdout'>> {
  const loaded = await openRun(dir);
  const hosts = [];
  for (const one of await loaded.metrics()) {
    const starts: number[] = [];
    let ends = false;
    for await (const line of one.lines()) {
      if ('values' in line) starts.push(line.startNs);
      else ends ||= line.kind === 'sampled';
    }
    hosts.push({ ...one, starts, ends });
  }
  return { dir, cells: loaded.cells.filter((cell) => cell.status === 'ok'), hosts };
}

const ascends = (times: readonly number[]): boolean =>
  times.every((ns, i) => i === 0 || ns > (times[i - 1] ?? 0));

for (const how of [[], ['--in-process']]) {
  test(`a run on this machine ${how.join(' ')} knows what the machine did in each cell, and the report shows it`, async () => {
    await withFolder(async (folder) => {
      const args = [...quick, '--sample-interval', '5ms', ...how];
      const { dir, cells, hosts } = await measured(folder, args);
      assert.equal(hosts.length, 1);
      const [host] = hosts;
      assert.ok(host?.ends && ascends(host.starts));
      assert.equal(host.header.intervalUs, 5000);
      const names = host.header.channels.map(({ name }) => name);
      for (const name of ['cpu0.user', 'net.lo.rxBytes', 'memory.available'])
        assert.ok(names.includes(name), name);
      assert.equal(cells.length, 2);
      // The kernel counts CPU time in ticks, so a cell that lasts microseconds may contain no tick.
      assert.ok(cells.some(({ load }) => (load?.hosts[0]?.cpuBusyShare ?? null) !== null));
      for (const { windows = [], load, traffic } of cells) {
        assert.ok(windows.every(({ fromNs }) => fromNs > (host.starts[0] ?? 0)));
        assert.ok(windows.every(({ toNs }) => toNs < (host.starts.at(-1) ?? 0)));
        assert.equal(load?.hosts[0]?.coverage, 1);
        assert.ok((traffic?.interfaces.lo ?? 0) >= (traffic?.mustMoveBytes ?? Number.NaN));
      }
      const page = await readFile(path.join(dir, 'report.html'), 'utf8');
      assert.match(page, /System load/);
      assert.match(page, /Reading took [\d.]+ % of one core/);
      const csv = await run(['export', dir, '--metrics'], { cwd: folder });
      assert.match(csv.stdout, /^id,host,channel,unit,is_counter,covered_ns,mean,min,max,growth\n/);
      assert.match(
        csv.stdout,
        /\ncollective;collective=allreduce;\S*;bytes=1048576;ranks=2;\S*;transport=socket;[^,]+,[^,]+,cpu0.user,ns,yes,/,
      );
      assert.ok((await readdir(path.join(dir, 'figures'))).some((name) => name.startsWith('load-')));
    });
  });
}

test('ranks are told apart from the rest of the machine', async () => {
  await withFolder(async (folder) => {
    const { hosts } = await measured(folder, [...quick, '--sample-interval', '5ms']);
    const names = hosts[0]?.header.channels.map(({ name }) => name) ?? [];
    assert.deepEqual(
      names.filter((name) => name.endsWith('.cpuNs')),
      ['rank0.cpuNs', 'rank1.cpuNs'],
    );
  });
});

test('--sample-interval off: nothing is read, and nothing says otherwise', async () => {
  await withFolder(async (folder) => {
    const { dir, cells } = await measured(folder, [...quick, '--sample-interval', 'off']);
    assert.ok(!existsSync(path.join(dir, 'metrics')));
    assert.ok(cells.every(({ load }) => load === undefined));
    assert.doesNotMatch(await readFile(path.join(dir, 'report.html'), 'utf8'), /System load/);
  });
});

test('an interrupted run keeps its readings; what is gone on with has its own', async () => {
  await withFolder(async (folder) => {
    const args = [
      'allreduce',
      '--sizes',
      '8,64K',
      '--launches',
      '2',
      '--precision',
      'off',
      '--sample-interval',
      '5ms',
    ];
    const started = start(args, { cwd: folder });
    await started.sees(/^ {3}8 /m);
    started.child.kill('SIGINT');
    assert.equal((await started.ended).code, 130);
    const dir = await findOnlyRun(folder);
    const before = await lookedAt(dir);
    assert.ok((before.hosts[0]?.starts.length ?? 0) > 0 && before.hosts[0]?.ends);
    const resumed = await run(['resume', dir], { cwd: folder });
    assert.equal(resumed.code, 0, resumed.stderr);
    const after = await lookedAt(dir);
    assert.deepEqual(after.hosts.map(({ header }) => header.attempt ?? 0).sort(), [0, 1]);
    assert.ok(after.cells.every(({ load }) => load?.hosts[0]?.coverage === 1));
  });
});

test('what is printed last is what is stored: --json each cell once, the table as show has it', async () => {
  await withFolder(async (folder) => {
    type Line = { type: string; provisional?: true; id?: string };
    const jsonOf = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
    const words = [...quick, '--sample-interval', '5ms'];
    const once = await run([...words, '--json', '--out', 'json'], { cwd: folder });
    const stored = await ndjson<CellRecord>(path.join(folder, 'json/cells.ndjson'));
    const lines = jsonOf(once.stdout);
    assert.deepEqual(
      lines.slice(0, -1),
      stored.map((cell) => ({ ...cell, type: 'cell' })),
    );
    assert.equal(lines.at(-1)?.type, 'summary');
    const live = jsonOf((await run([...words, '--json-live', '--out', 'live'], { cwd: folder })).stdout);
    const isEarly = ({ provisional }: Line) => provisional === true;
    assert.deepEqual(
      live
        .filter(isEarly)
        .map(({ id }) => id)
        .sort(),
      stored.map(({ id }) => id).sort(),
    );
    assert.equal(
      live.findIndex((line) => !isEarly(line)),
      stored.length,
      'the final ones follow',
    );
    const rowsOf = (text: string) => text.split('\n').filter((line) => /^ *\d+[KMG]? /.test(line));
    const table = await run([...words, '--out', 'table'], { cwd: folder });
    const shown = await run(['show', 'table'], { cwd: folder });
    assert.ok(rowsOf(table.stdout).length > 0);
    assert.deepEqual(rowsOf(table.stdout), rowsOf(shown.stdout));
  });
});

const skip = cluster();

test('two hosts: the readings of both arrive and are laid over every cell', { skip }, async () => {
  const bed = await openCluster({ hosts: 2, rateMbit: 1000 });
  try {
    await withFolder(async (folder) => {
      const names = bed.hosts.map(({ name }) => name);
      const args = [...quick, '--hosts', names.join(','), '--sample-interval', '20ms'];
      const { cells, hosts } = await measured(folder, args, { env: bed.environment, prefix: bed.prefix });
      assert.deepEqual(hosts.map(({ header }) => header.host).sort(), [...names].sort());
      assert.ok(hosts.every(({ starts, ends }) => ends && starts.length > 0 && ascends(starts)));
      for (const { clocks = {}, load } of cells) {
        assert.deepEqual(Object.keys(clocks).sort(), [...names].sort());
        assert.deepEqual(
          load?.hosts.map(({ coverage }) => coverage),
          [1, 1],
        );
      }
    });
  } finally {
    await bed.close();
  }
});
