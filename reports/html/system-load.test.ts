import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { systemLoadRun } from '../fixtures/system-load.ts';
import { buildPage } from './page.ts';

const sectionOf = (page: string): string => /<section id="load">[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';

test('the section tells what was read, what reading cost, and which cells are flagged for it', async () => {
  const { html, figures } = await buildPage([await systemLoadRun()]);
  const section = sectionOf(html);
  assert.match(section, /Each of 2 machines was read every 200 ms/);
  assert.match(section, /Reading took 0\.03\d+ % of one core at most \(bench01\)/);
  assert.match(section, /1 reading was missed/);
  assert.match(section, /1 agent ended before it reported the cost of sampling/);
  assert.match(section, /cpu-busy[\s\S]*bench01: other processes kept at least [\d.]+ of 2 cores busy/);
  assert.match(section, /rdma: \/sys\/class\/infiniband is empty/);
  const drawn = figures.filter(({ figure }) => figure.name.startsWith('load-'));
  assert.deepEqual(
    drawn.map(({ figure }) => figure.name),
    ['load-bench01', 'load-bench02'],
  );
  const panels = new Set(drawn[1]?.figure.rows.map(({ panel }) => panel));
  assert.deepEqual(
    [...panels],
    [
      'busy cores, of 2',
      'network eth0, GB/s',
      'memory in use, GiB',
      'GPU power, W, all 2',
      'SM clock, MHz',
      'GPU utilisation, %, mean',
    ],
  );
});

test('of several hosts each column shows the worst one: fewest readings, smallest own share, most load', async () => {
  const run = await systemLoadRun();
  const [first, ...others] = run.cells.filter((cell) => cell.status === 'ok' && cell.load !== undefined);
  assert.ok(first?.status === 'ok' && first.load !== undefined);
  const [host] = first.load.hosts;
  assert.ok(host !== undefined);
  const hosts = [
    { ...host, host: 'a', ticks: 31, fill: 0.83, cpuBusyShare: 0.11, competingCores: 0.25 },
    { ...host, host: 'b', ticks: 7, fill: 0.29, cpuBusyShare: 0.67, competingCores: 1.75 },
  ];
  const cells = [{ ...first, load: { ...first.load, hosts } }, ...others];
  const section = sectionOf((await buildPage([{ ...run, cells }])).html);
  const table = section.slice(section.indexOf('System load of each configuration'));
  const row = /<tbody>\s*<tr[\s\S]*?<\/tr>/.exec(table)?.[0] ?? '';
  const values = [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)<\/t[dh]>/g)].map(([, text]) => text);
  for (const worst of ['7', '29 %', '67 %', '1.75']) assert.ok(values.includes(worst), `${worst}: ${values}`);
});

test('a run without readings has no such section', async () => {
  const { html } = await buildPage([syntheticRun({ maxBytes: 64 })]);
  assert.equal(sectionOf(html), '');
});

test('names and reasons of machines are text, whatever is in them', async () => {
  const run = await systemLoadRun();
  const [series] = (await run.metrics?.()) ?? [];
  assert.ok(series !== undefined);
  const failed = [{ source: '<img src=x>', reason: '"><script>alert(1)</script>' }];
  const channels = series.header.channels.map((one) => ({ ...one, name: one.name.replace('eth0', '<b>0') }));
  const hostile = { ...series, header: { ...series.header, host: '../<i>a', failed, channels } };
  const { html, figures } = await buildPage([{ ...run, metrics: async () => [hostile] }]);
  assert.doesNotMatch(
    sectionOf(html).replaceAll(/<script type="application\/json"[\s\S]*?<\/script>/g, ''),
    /<img|<script|<i>|<b>0/,
  );
  assert.ok(figures.some(({ figure }) => figure.name === 'load-..-i-a'));
});

test('readings that cannot be read do not take the report away', async () => {
  const run = await systemLoadRun();
  const metrics = () => Promise.reject(new Error('metrics/a.ndjson, line 3: broken'));
  const { html } = await buildPage([{ ...run, metrics }]);
  assert.match(sectionOf(html), /System load cannot be read: metrics\/a.ndjson, line 3: broken/);
});
