// test: up to 30 s
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openIndexes } from '../../results/history/together.ts';
import { stepDate, stepNight, writeDashboardNights } from '../../results/testing/dashboard.ts';
import { idOf, writeNight } from '../../results/testing/nights.ts';
import { testPlan, testPoint } from '../../results/testing/plan.ts';
import { refusalTextOf } from '../../results/testing/refused.ts';
import { siteChanges } from './changes.ts';
import { siteComment } from './comment.ts';
import { type SiteOptions, writeSite } from './write.ts';

const options: SiteOptions = {
  ...{ by: null, nights: 30, anyHost: false, title: 'nightly', url: null, reportUrl: null, anew: false },
};
const base = mkdtempSync(join(tmpdir(), 'collbench-site-'));
const root = join(base, 'runs');
const hostile = '<img src=x onerror=alert(1)>&"\'';

before(async () => {
  await mkdir(root);
  await writeDashboardNights(root);
});
after(() => rm(base, { recursive: true, force: true }));

const written = async (dir: string, changes: Partial<SiteOptions> = {}, roots = [root]) =>
  writeSite(await openIndexes(roots), join(base, dir), { ...options, ...changes });
const page = (dir: string, name = 'index.html') => readFile(join(base, dir, name), 'utf8');

/** Returns the red and blue cells of the grid: row and night. */
const coloured = (html: string) =>
  [
    ...html.matchAll(
      /title="([\d-]+): ([^"]*)"><span class="day"[^>]*>\d+<\/span>(?:<a[^>]*>)?<span class="s (?:slower|faster|failed)"/g,
    ),
  ].map(([, night, words]) => [night, words?.split(',')[0]]);

test('thirty nights with a step of 12 % and a noisy series: the step on its night, nothing else red', async () => {
  const { board } = await written('thirty');
  assert.deepEqual(
    board.rows.map(({ report: { trend }, state }) => [
      /sisci|socket/.exec(trend.title)?.[0],
      trend.regime,
      state.verdict,
    ]),
    [
      ['sisci', 'small', 'no-verdict'],
      ['sisci', 'mid', 'no-verdict'],
      ['sisci', 'large', 'no-verdict'],
      ['socket', 'small', 'slower'],
      ['socket', 'mid', 'same'],
      ['socket', 'large', 'same'],
    ],
  );
  const html = await page('thirty');
  assert.deepEqual(coloured(html), [[stepDate, 'slower']]);
  const text = html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#62;', '>')
    .replaceAll('&gt;', '>');
  assert.match(text, new RegExp(`1\\d % slower\\s+since ${stepDate}`));
  assert.match(text, /nccl 2\.28\.9 -> 2\.30\.7/);
  assert.match(text, /6 size ranges in the last 30 nights: 1 slower, 3 no verdict, 2 same/i);
});

test('feeds and comment have the words of the page', async () => {
  const { board } = await written('words', { url: 'https://ci.example/bench/' });
  const html = (await page('words')).replaceAll('&#62;', '>').replaceAll('&gt;', '>');
  const feed = JSON.parse(await page('words', 'feed.json'));
  assert.equal(feed.version, 'https://jsonfeed.org/version/1.1');
  assert.equal(feed.items.length, 1);
  const [item] = feed.items;
  const [sentence] = /\d+ % slower .*?(?=\. Between)/.exec(item.content_text) ?? [];
  assert.ok(sentence !== undefined && html.toLowerCase().includes(sentence), item.content_text);
  assert.match(item.url, /^https:\/\/ci\.example\/bench\/series\/[\w.-]+\.html#small$/);
  const atom = (await page('words', 'atom.xml')).replaceAll('&#62;', '>').replaceAll('&gt;', '>');
  assert.ok(atom.includes(`<id>${item.id}</id>`) && atom.includes(sentence));
  const comment = siteComment(board, 'https://ci.example/bench/')
    .replaceAll(/\\([>.])/g, '$1')
    .replaceAll('&#62;', '>')
    .replaceAll('&gt;', '>');
  assert.ok(comment.toLowerCase().includes(sentence), comment);
  assert.match(comment, /^### collbench: 6 size ranges in the last 30 nights: 1 slower/);
});

test('a second call with nothing new writes nothing; a new night changes what it is in, and keeps ids of the feed', async () => {
  const own = join(base, 'growing');
  await mkdir(own);
  await writeDashboardNights(own, { nights: 23 });
  const call = () => written('grown', {}, [own]);
  const first = await call();
  assert.equal(first.written, 5);
  const ids = JSON.parse(await page('grown', 'feed.json')).items.map(({ id }: { id: string }) => id);
  assert.equal(ids.length, 1);
  const times = async () => (await stat(join(base, 'grown', 'index.html'))).mtimeMs;
  const at = await times();
  // Changes between two runs are stored in site.json, so the runs may be deleted.
  await rm(
    join(
      own,
      (await readdir(own)).find((name) => name.endsWith(idOf(stepNight - 1))) as string,
      'cells.ndjson',
    ),
  );
  assert.deepEqual([(await call()).written, await times()], [0, at]);
  await writeDashboardNights(own, { nights: 24, from: 23 });
  assert.ok((await call()).written >= 3);
  assert.match(await page('grown'), /2\.28\.9/);
  assert.deepEqual(
    JSON.parse(await page('grown', 'feed.json')).items.map(({ id }: { id: string }) => id),
    ids,
  );
  assert.ok((await readdir(join(base, 'grown'))).every((name) => !name.endsWith('.tmp')));
});

test('a page of a series that has no runs any more is taken away, a file of others stays', async () => {
  const own = join(base, 'leaving');
  await mkdir(own);
  const folder = await writeNight(own, { night: 0, sizes: [8] });
  await writeNight(own, {
    night: 1,
    sizes: [8],
    transports: [{ name: 'shm', medium: 'hardware', detail: {}, options: {} }],
  });
  await written('left', {}, [own]);
  await writeFile(join(base, 'left', 'series', 'notes.html'), 'mine');
  await rm(folder, { recursive: true });
  const { removed } = await written('left', {}, [own]);
  assert.equal(removed, 1);
  assert.deepEqual((await readdir(join(base, 'left', 'series'))).length, 2);
});

test('text of machines and of people stays text, in pages, feeds and comment', async () => {
  const own = join(base, 'hostile');
  await mkdir(own);
  for (let night = 0; night < 24; night += 1)
    await writeNight(own, {
      night,
      sizes: [8],
      launches: 2,
      factor: () => (night < 20 ? 1 : 1.2),
      record: {
        label: `${hostile} ${night}`,
        versions: { collbench: night < 20 ? '0.1.0' : hostile },
        ...(night === 23 ? { state: 'failed' as const } : {}),
      },
    });
  const { board } = await written('safe', { title: hostile }, [own]);
  const names = await readdir(join(base, 'safe', 'series'));
  for (const html of [await page('safe'), await page('safe', `series/${names[0]}`)]) {
    assert.doesNotMatch(html, /<img|<script/i);
    assert.match(html, /&lt;img src=x/);
    assert.match(
      html,
      /content="default-src &#39;none&#39;; style-src &#39;sha256-[^"]*; base-uri &#39;none&#39;; form-action &#39;none&#39;"/,
    );
    assert.doesNotMatch(html, /\s(?:style|on\w+)="/);
  }
  const atom = await page('safe', 'atom.xml');
  assert.doesNotMatch(atom, /<img/);
  assert.equal(JSON.parse(await page('safe', 'feed.json')).items.length, 2);
  assert.doesNotMatch(siteComment(board, null), /<img/);
});

test('a night is one item of the feed, also after further runs of it failed', async () => {
  const own = join(base, 'failing');
  await mkdir(own);
  const items = async () => JSON.parse(await page('failing-site', 'feed.json')).items;
  const fail = async (turn: number) => {
    await writeNight(own, { night: 1, turn, sizes: [8], record: { state: 'failed' } });
    await written('failing-site', { by: 'day' }, [own]);
    return items();
  };
  await writeNight(own, { night: 0, sizes: [8] });
  const [first, ...others] = await fail(0);
  assert.match(first.title, /^2026-03-02: 1 run failed/);
  assert.deepEqual(others, []);
  const [second, ...further] = await fail(1);
  assert.match(second.title, /^2026-03-02: 2 runs failed/);
  assert.deepEqual([second.id, further], [first.id, []]);
});

test('wrong data is red in the row of all runs, and in what changed', async () => {
  const own = join(base, 'wrong');
  await mkdir(own);
  for (let night = 0; night < 3; night += 1) await writeNight(own, { night, sizes: [8] });
  const index = await openIndexes([own]);
  const last = index.lines.at(-1);
  assert.ok(last !== undefined);
  last.cells = { ...last.cells, wrong: 2 };
  await writeSite(index, join(base, 'wrong-site'), options);
  const html = await page('wrong-site');
  assert.deepEqual(
    coloured(html).map(([night]) => night),
    ['2026-03-03'],
  );
  assert.match(html, /2026-03-03: 2 configurations with wrong data/);
});

test('changes of one night have the order of the rows', async () => {
  const own = join(base, 'ordered');
  await mkdir(own);
  for (let night = 0; night < 24; night += 1)
    await writeNight(own, {
      ...{ night, launches: 2, sizes: [8, 65_536, 16_777_216] },
      factor: () => (night < 20 ? 1 : 1.2),
    });
  const { board } = await written('ordered-site', {}, [own]);
  const changed = siteChanges(board).filter(({ verdict }) => verdict === 'slower');
  assert.equal(board.rows.length, 3);
  assert.deepEqual(
    changed.map(({ row }) => row?.report.trend.regime),
    board.rows.map(({ report }) => report.trend.regime),
  );
});

test('runs link to their reports where they have one, and below an address that is said', async () => {
  const folder = (await readdir(root)).find((name) => name.endsWith(idOf(stepNight)));
  assert.ok(folder !== undefined);
  await writeFile(join(root, folder, 'report.html'), 'a report');
  await written('linked');
  assert.ok((await page('linked')).includes(`href="../runs/${folder}/report.html"`));
  await written('linked', { reportUrl: 'https://ci.example/runs' });
  assert.ok((await page('linked')).includes(`href="https://ci.example/runs/${folder}/report.html"`));
});

test('other hosts are other series; the same runs in two folders count once', async () => {
  const own = join(base, 'hosts');
  await mkdir(own);
  for (const [turn, name] of ['gpu01', 'gpu02'].entries())
    for (let night = 0; night < 3; night += 1) {
      const plan = planOn(name);
      await writeNight(own, { night, turn, sizes: [8], record: { plan } });
    }
  const { board } = await written('hosts-site', {}, [own, `${own}/`]);
  assert.equal(board.runs, 6);
  assert.deepEqual(
    board.rows.map(({ report }) => report.trend.title.split(', on ')[1]),
    ['gpu01', 'gpu02'],
  );
});

const planOn = (name: string) =>
  testPlan({
    points: [testPoint({ count: 2 })],
    transports: testPlan().transports.slice(0, 1),
    hosts: [{ name, ranks: [0, 1] }],
  });

test('a page of others is not replaced, nothing is written through a link', async () => {
  await mkdir(join(base, 'others'));
  await writeFile(join(base, 'others', 'index.html'), 'mine');
  assert.match(
    await refusalTextOf(written('others')),
    /others has an index\.html that collbench did not write/,
  );
  assert.equal(await page('others'), 'mine');
  await written('forgotten');
  await writeFile(join(base, 'forgotten', 'site.json'), '{');
  assert.ok(
    (await written('forgotten')).written > 0,
    'a site of ours whose memory is broken is written again',
  );
  await mkdir(join(base, 'linking'));
  await symlink(root, join(base, 'linking', 'series'));
  assert.match(await refusalTextOf(written('linking')), /linking cannot be written: .*a link/);
});
