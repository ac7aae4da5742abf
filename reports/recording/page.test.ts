import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pictureOf, recordingOf } from '../../results/record/index.ts';
import { recordedPicture, recordedRun } from '../fixtures/recorded.ts';
import { buildPage } from '../html/page.ts';
import { callTimeNs } from './calls.ts';
import { callTimeFigure, timelineFigure } from './charts.ts';

/** Returns the lines that one of two processes of a job wrote: 30 calls; the second rank is 300 ns late at each. */
function linesOf(rank: number): string {
  const header = {
    ...{
      t: 'header',
      v: 1,
      source: 'gloo',
      token: 't',
      host: 'a',
      pid: 7 + rank,
      program: '/usr/bin/python3',
    },
    ...{
      comm: 'c',
      name: 'world',
      ranks: 2,
      rank,
      libraryVersion: '2.11.0',
      monotonicNs: '1000',
      realtimeNs: '1000',
    },
  };
  const calls = Array.from({ length: 30 }, (_, k) => ({
    ...{
      t: 'call',
      k,
      seq: k,
      func: k % 3 === 0 ? 'allgather' : 'allreduce',
      count: 256,
      dtype: 'float32',
      bytes: 1024,
    },
    ...{ startNs: k * 2000 + rank * 300, ns: 1000 - rank * 300 },
  }));
  return [header, ...calls].map((line) => JSON.stringify(line)).join('\n');
}

test('the records of a job are read as totals, waits by rank and a stretch from its middle', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'collbench-recorded-'));
  try {
    assert.equal(await pictureOf(folder), null);
    for (const rank of [0, 1]) await writeFile(path.join(folder, `${rank}.ndjson`), linesOf(rank));
    const picture = await pictureOf(folder);
    assert.ok(picture !== null);
    assert.deepEqual(
      picture.totals.map((one) => [one.function, one.calls, callTimeNs(one)]),
      [
        ['allreduce', 40, 34_000],
        ['allgather', 20, 17_000],
      ],
    );
    const [world] = picture.waits;
    assert.deepEqual(
      world?.ranks.map(({ waitedNs, causedNs, lastIn }) => [waitedNs, causedNs, lastIn]),
      [
        [9000, 0, 0],
        [0, 9000, 30],
      ],
    );
    const times = picture.stretch.filter(({ rank }) => rank === 0).map(({ fromNs }) => fromNs);
    assert.deepEqual(
      times,
      Array.from({ length: 12 }, (_, i) => (9 + i) * 2000),
    );
    assert.equal(picture.stretch.length, 24);
    const recording = await recordingOf(folder, { token: null, name: null, command: ['job'] });
    const { calls, waits, share, steps } = picture.sentences;
    assert.deepEqual(
      [calls, waits, share, steps].map(({ length }) => length),
      [1, 3, 1, 1],
    );
    assert.deepEqual(recording?.run.plan.imported?.says, [calls, waits, share, steps].flat());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the page of a recorded job: its sentences under what they answer, most time first, each rank and its waits', async () => {
  const { html, figures } = await buildPage([recordedRun()]);
  assert.match(html, /<h1>Recorded: python3\.12<\/h1>/);
  assert.match(html, /<dt>Who waits for whom\?<\/dt><dd>Arrival skew at collectives: median 2 ms/);
  assert.match(html, /<dt>What are its steps\?<\/dt><dd>40 steps of 2 calls/);
  assert.match(html, /<td class="n">95 %<\/td>/);
  assert.doesNotMatch(html, /unproven|not verified|Which is faster/);
  assert.deepEqual(
    figures.map(({ figure }) => figure.name),
    ['recorded-inside', 'recorded-stretch'],
  );
});

test('bars: most time first, kinds that took none left out; what NCCL timed stands for the others of its kind', () => {
  const timed = {
    ...recordedPicture.totals[1],
    deviceNs: 1000,
    timed: 10,
    calls: 80,
  } as (typeof recordedPicture.totals)[0];
  assert.equal(callTimeNs(timed), 8000);
  const none = { ...timed, deviceNs: 0, timed: 0, issued: 80 };
  assert.equal(callTimeNs(none), 0);
  const rows = callTimeFigure({ ...recordedPicture, totals: [none, timed] })?.rows ?? [];
  assert.deepEqual(
    rows.map(({ insideNs }) => insideNs),
    [8000],
  );
  assert.equal(callTimeFigure({ ...recordedPicture, totals: [none] }), null);
  assert.equal(timelineFigure({ ...recordedPicture, stretch: [] }), null);
});
