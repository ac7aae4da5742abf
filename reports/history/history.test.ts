import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findChanges } from '../../results/history/changes.ts';
import type { HistoryNight } from '../../results/history/nights.ts';
import { nameOfGroup } from '../../results/history/series-name.ts';
import type { Trend } from '../../results/history/trend.ts';
import type { TrendReport } from '../../results/history/trend-report.ts';
import { sparkline } from '../document/text.ts';
import { listText, trendText, writeHistory } from './document.ts';
import { trendJson } from './json.ts';

/** Returns a trend of 30 nights of 10 µs, with 5 % more from the 25th on. Strings in it test the escaping of markup. */
function made(): TrendReport {
  const z = Array.from(
    { length: 30 },
    (_, i) => Math.log(10_000) + 0.003 * ((i * 7) % 5) + (i >= 24 ? 0.05 : 0),
  );
  const nights = z.map(
    (log, i): HistoryNight => ({
      night: new Date(Date.UTC(2026, 2, 1 + i)).toISOString().slice(0, 10),
      time: { log, interval: { low: log - 0.01, high: log + 0.01 }, launches: 5 },
      ...{ anchor: null, ratio: null, again: null },
      runs: [{ id: (0xa00000 + i).toString(16), folder: 'x' }],
      notes: i === 3 ? ['imported'] : [],
      warnings: [],
      open: i === 28 ? [8] : [],
    }),
  );
  const changes = findChanges(z, 0.02).map((change) => ({
    ...change,
    night: nights[change.at]?.night ?? '',
    foundNight: nights[change.foundAt]?.night ?? '',
    inAnchor: false,
  }));
  const trend: Trend = {
    ...nameOfGroup(
      'collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=socket;medium=hardware/small',
    ),
    ...{ figure: 'latency', kind: 'time', by: 'day', open: [4096], sizes: [], nights, changes },
    segments: [
      { from: 0, to: 24, log: (z[24] as number) - 0.05 },
      { from: 24, to: 30, log: z[24] as number },
    ],
    modes: [],
    leftOut: { unlike: 2, otherHosts: 1, open: 1, noCommit: 0, noAnchor: 0 },
  };
  const [change] = changes;
  assert.ok(change !== undefined && changes.length === 1 && change.at === 24);
  const hostile = {
    about: 'versions' as const,
    name: 'nccl',
    base: '2.28.9',
    other: '<script>alert(1)</script>',
  };
  const [before, after] = [nights[23] as HistoryNight, nights[24] as HistoryNight];
  const kernel = { about: 'machine' as const, name: 'kernel', base: '6.1.0', other: '6.8.0' };
  const machine = { changed: [kernel], isInWindow: false };
  const explained = [{ change, before, after, changed: [hostile], why: null, machine }];
  return { trend, explained, suspects: [], since: '2026-03-22' };
}

test('a series on the screen: what changed and when, what else did, then night after night', () => {
  const text = trendText(made(), 100);
  assert.match(
    text,
    /^allreduce float32 sum, cpu over socket, 2 ranks\n {2}small messages, up to 32 KiB; isolated latency\n/,
  );
  assert.match(
    text,
    / {2}5\.\d % slower since 2026-03-25, known since 2026-03-26, after the kernel changed 6\.1\.0 ->/,
  );
  assert.match(text, /between a00017 \(2026-03-24\) and a00018 \(2026-03-25\): nccl 2\.28\.9 -> <script>/);
  assert.match(text, /left out: 2 runs with other sizes/);
  assert.match(text, /left out: 4 KiB, without an interval in most runs/);
  assert.match(
    text,
    /left out: 1 run without an interval at these sizes, or with too few to estimate the others/,
  );
  assert.match(text, /some sizes estimated from other nights: 1 night without an interval there/);
  assert.match(text, /2026-03-29 .* 8 B estimated/);
  assert.match(text, /left out: 1 run on other hosts \(include them with --any-host\)/);
  assert.match(text, /\n {2}2026-03-25 {2}a00018 {3}10\.\d µs {4}1\.0 % {4}\+0\.0 % {2}new level\n/);
  assert.equal(text.match(/\n {2}2026-/g)?.length, 9);
});

test('a run with a label is called by it, also around a change and on the page; a long one is cut', async (t) => {
  const told = made();
  const { nights } = told.trend;
  for (const [i, label] of [
    [23, 'before the new switch'],
    [24, 'after'],
  ] as const)
    Object.assign(nights[i]?.runs[0] ?? {}, { label });
  const text = trendText(told, 80);
  assert.match(
    text.replaceAll(/\n +/g, ' '),
    /between before the new switch \(2026-03-24\) and after \(2026-03-25\)/,
  );
  assert.match(text, /\n {2}2026-03-24 {2}before the new swit… {2}/);
  assert.match(text, /\n {2}2026-03-25 {2}after {10,}10\.\d µs/);
  assert.match(text, /\n {2}2026-03-26 {2}a00019 /);
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
  const out = await mkdtemp(join(tmpdir(), 'collbench-history-page-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const page = await readFile(await writeHistory([told], out), 'utf8');
  assert.match(page, /of run before the new switch \(2026-03-24\) and of run after \(2026-03-25\)/);
});

test('two modes are told as one series: levels, shares, the mode of the newest night', () => {
  const report = made();
  const { trend } = report;
  const [fast, slow] = [Math.log(10_000), Math.log(15_000)];
  const modes = [{ from: 0, to: 30, fast, slow, slowNights: 9, switches: 12 }];
  const text = trendText({ ...report, trend: { ...trend, modes, changes: [] }, explained: [] }, 100);
  assert.match(
    text.replaceAll(/\n +/g, ' '),
    /two modes: 10\.0 µs in 21 of 30 nights, 15\.0 µs \(50 % slower\) in 9; 12 switches since 2026-03-01, the newest in the faster one\. A switch between them is no change/i,
  );
  assert.match(listText([{ ...report, trend: { ...trend, modes, changes: [] } }], 140), /two modes/);
});

test('the list has a row per series and regime', () => {
  const [head, row] = listText([made()], 140).split('\n');
  assert.match(head ?? '', /^series .* nights +latest +± .*last change +came with$/);
  assert.match(
    row ?? '',
    /^allreduce float32 sum, cpu over socket, 2 ranks +small +30 +10\.\d µs .*\+5\.\d % 2026-03-25 +kernel$/,
  );
});

test('where the title does not fit beside the figures it heads its rows, and nothing is cut', () => {
  const report = made();
  const { trend } = report;
  const other = { ...trend, title: trend.title.replace('socket', 'shm') };
  for (const columns of [60, 80]) {
    const lines = listText(
      [trend, { ...trend, regime: 'mid' as const }, other].map((one) => ({ ...report, trend: one })),
      columns,
    )
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      lines.filter((line) => !line.startsWith(' ')),
      [trend.title, other.title],
    );
    assert.equal(lines.length, 6);
    assert.match(lines[2] ?? '', /^ {2}small +30 +10\.\d µs .*\+5\.\d % 2026-03-25/);
    for (const line of lines) assert.ok(line.length <= columns, line);
  }
});

test('as JSON: ratios and times with units, runs around the change', () => {
  const told = JSON.parse(JSON.stringify(trendJson(made())));
  assert.equal(told.nights.length, 9);
  assert.ok(told.nights[0].lowNs < told.nights[0].timeNs);
  assert.deepEqual(
    [told.changes[0].night, told.changes[0].before, told.changes[0].after],
    ['2026-03-25', 'a00017', 'a00018'],
  );
  assert.ok(Math.abs(told.changes[0].ratio - 1.05) < 0.01);
});

test('as a page: one file under a strict policy, nothing of anybody is markup, charts beside it', async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'collbench-history-page-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const page = await readFile(await writeHistory([made()], out), 'utf8');
  assert.match(page, /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/);
  assert.doesNotMatch(page, /<script>alert|style="/);
  assert.match(page, /5\.\d % slower since 2026-03-25/);
  const files = await readdir(join(out, 'figures'));
  assert.deepEqual(files.length, 2);
  const svg = await readFile(join(out, 'figures', files.find((file) => file.endsWith('.svg')) ?? ''), 'utf8');
  assert.match(svg, /aria-label="2026-03-25: 10\.\d µs ±1\.0 %, run a00018"/);
  assert.match(svg, />▲ \+5\.\d %<\/text>/);
});

test('a sparkline does not make mountains of noise', () => {
  assert.equal(sparkline([0, 0.005, 0]), '▄▅▄');
  assert.equal(sparkline([0, 0.1]), '▁█');
});
