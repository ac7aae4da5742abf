import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeRun, ncclRun, sweepRun } from '../fixtures/nccl.ts';
import { syntheticRun } from '../fixtures/synthetic.ts';
import { buildPage } from './page.ts';

const words = (html: string) => html.replaceAll(/<script[\s\S]*?<\/script>/g, '').replaceAll(/<[^>]+>/g, ' ');

function section(html: string, id: string): string {
  const from = html.indexOf(`<section id="${id}">`);
  return from < 0 ? '' : words(html.slice(from, html.indexOf('</section>', from)));
}

test('the report has library, driver, GPUs, environment per transport; choices, paths and verdicts in their chapter', async () => {
  const { html } = await buildPage([ncclRun()]);
  const text = section(html, 'library');
  for (const pattern of [
    /library +\/opt\/nccl\/lib\/libnccl\.so\.2\.28\.9/,
    /SHA-256 +abab/,
    /driver +580\.82/,
    /rank 1 +GPU 1 Example H200/,
    /mark on the device +2\.90 µs/,
    /NCCL_NET +SISCI +sisci/,
    /NCCL_DEBUG +INFO +all/,
  ])
    assert.match(text, pattern);
  const chosen = section(html, 'algorithms');
  for (const pattern of [
    /p2p: LL → \w+ at \d+ KiB/i,
    /confirmed +p2p +8 B to 32 KiB +Ring\/LL +P2P\/CUMEM × 48/,
    /confirmed +sisci\s+emulated +8 B to 32 KiB +Ring\/LL +NET\/SISCI × 8/,
  ])
    assert.match(chosen, pattern);
});

test('communicator and first call stand apart, per launch', async () => {
  const { html } = await buildPage([ncclRun({ maxBytes: 64 })]);
  assert.match(section(html, 'library'), /1 +p2p +1\.40 s +291 ms +401 MiB +41\.0 ms \(8 B\)/);
  assert.match(section(html, 'library'), /2 +sisci +1\.40 s +296 ms/);
});

test('the method tells of the hold kernel, alignment, marks, batch, buffers, graphs and registration', async () => {
  const { html } = await buildPage([
    ncclRun({ maxBytes: 64, settings: { cache: 'hot', register: 'local', aggregate: '4' } }),
  ]);
  const text = section(html, 'method');
  for (const pattern of [
    /queued behind the hold kernel/,
    /first operation after it aligns the ranks and is not counted/,
    /marks themselves cost \(2\.90 µs, .*\) is subtracted/,
    /4 operations between two marks/,
    /caches stay hot/,
    /registered with each communicator \(nccl-tests -R 1\)/,
    /no CUDA graph is used/,
    /4 calls form one group/,
  ])
    assert.match(text, pattern);
  assert.doesNotMatch(text, /spin until then/, 'the window of the cpu engine is another method');
});

test('a reader of nccl-tests finds the three times told apart, in words and in a chart', async () => {
  const { html, figures } = await buildPage([ncclRun()]);
  assert.match(words(html), /nccl-tests prints the pipelined time: .* At 8 B over p2p that is 10\.\d µs/);
  assert.ok(figures.some((f) => f.figure.name === 'allreduce-float32-sum-out-calls'));
  assert.match(
    words(html),
    /verdict +size +count +over +medium +latency, µs +± +p95 +pipelined +enqueue +algo\/proto/,
  );
});

test('a sweep has a table of the fastest per range of sizes, and its first screen says what it found', async () => {
  const { html } = await buildPage([sweepRun({ maxBytes: 4096 })]);
  assert.match(words(html), /Fastest over p2p of 7 choices/);
  assert.match(
    words(html),
    /8 B to 4 KiB +tie: NCCL&#39;s choice, ring\/LL, tree\/LL +5\.\d+ µs to .* ±0\.\d %/,
  );
  assert.match(words(html.slice(0, html.indexOf('<figure'))), /Over p2p the fastest choice at 8.B is tie/);
});

test('fakes are named where the eye is; other engines have no NCCL section', async () => {
  const { html } = await buildPage([fakeRun()]);
  assert.match(words(html.slice(0, html.indexOf('<figure'))), /NCCL and CUDA are fakes in host memory/);
  assert.match(section(html, 'library'), /NCCL and CUDA are fakes/);
  assert.equal(section((await buildPage([syntheticRun({ maxBytes: 64 })])).html, 'library'), '');
});

test('another library is named by its engine, with its own facts, and without what only NCCL does', async () => {
  const run = ncclRun({ maxBytes: 64 });
  run.record.plan.engine = 'nvshmem';
  for (const launch of run.record.launches)
    for (const rank of launch.ranks)
      rank.facts = { gpu: 'GPU 0', 'nvshmem.version': '3.4.5', 'nvshmem.initNs': '2500000000' };
  const { html } = await buildPage([run]);
  assert.match(section(html, 'library'), /^ *NVSHMEM\s+NVSHMEM +3\.4\.5/);
  assert.match(section(html, 'library'), /1 +p2p +1\.40 s +2\.50 s +41\.0 ms/);
  assert.match(section(html, 'method'), /under NVSHMEM above/);
  assert.doesNotMatch(section(html, 'method'), /registered/);
});
