import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { RunRecord } from '../../results/schema/index.ts';
import { writeNight } from '../../results/testing/nights.ts';
import { run, withFolder } from './harness.ts';

const inventory = (kernel: string): RunRecord['inventory'] => ({
  n1: {
    ...{ hostname: 'n1', os: 'Debian 12', kernel, architecture: 'x86_64', cpuModel: 'EPYC', cpuCount: 64 },
    ...{ numaNodes: 2, memoryBytes: 2 ** 36, virtualization: null, interfaces: [] },
  },
});

test('stored nights: a change after another kernel says so, a machine with two modes is one series', async () => {
  await withFolder(async (folder) => {
    const roots = { kernel: path.join(folder, 'kernel'), modes: path.join(folder, 'modes') };
    for (const root of Object.values(roots)) await mkdir(root);
    for (let night = 0; night < 28; night += 1) {
      const made = { night, sizes: [8], launches: 3 };
      const isNew = night >= 22;
      await writeNight(roots.kernel, {
        ...{ ...made, factor: () => (isNew ? 1.1 : 1) },
        record: { inventory: inventory(isNew ? '6.8.0' : '6.1.0') },
      });
      await writeNight(roots.modes, { ...made, factor: () => ((night * 7) % 5 < 2 ? 1.6 : 1) });
    }
    const text = async (...words: string[]) => {
      const { code, stdout, stderr } = await run(words, { cwd: folder });
      assert.equal(code, 0, stderr);
      return stdout.replaceAll(/\n +/g, ' ');
    };
    const changed = /\d+(\.\d)? % slower since 2026-03-23, .*after the kernel changed 6\.1\.0 -> 6\.8\.0/i;
    const two = /two modes: (9\.9\d|10\.\d) µs in \d+ of 28 nights, 1[56]\.\d µs \(1\.6x slower\) in \d+/i;
    assert.match(await text('history', 'allreduce', '--root', roots.kernel), changed);
    assert.match(await text('history', 'allreduce', '--root', roots.modes), two);
    const trend = JSON.parse(await text('history', 'allreduce', '--json', '--root', roots.modes));
    assert.deepEqual([trend.changes, trend.past, trend.modes.length], [[], [], 1]);

    for (const name of ['kernel', 'modes'] as const) {
      await text('site', `site-${name}`, '--runs', roots[name]);
      const feed = JSON.parse(await readFile(path.join(folder, `site-${name}`, 'feed.json'), 'utf8'));
      if (name === 'modes') assert.deepEqual(feed.items, []);
      else assert.match(feed.items[0].content_text, changed);
    }
    const series = path.join(folder, 'site-modes', 'series');
    const html = await readFile(path.join(series, (await readdir(series))[0] ?? ''), 'utf8');
    assert.match(html.replaceAll(/<[^>]*>/g, ''), two);
    // The grid marks the series, and each night in the slower mode.
    const index = await readFile(path.join(folder, 'site-modes', 'index.html'), 'utf8');
    assert.match(index, /same<\/span> <span title="two modes: [^"]*">two modes<\/span>/);
    const slow = [...index.matchAll(/title="[^"]*: same, in the slower of two modes, 1[56]\.\d µs/g)];
    assert.equal(slow.length, trend.modes[0].slowNights);
  });
});
