// test: up to 1 min
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findFonts } from '../../reports/picture/fonts.ts';
import { idOf, writeNight } from '../../results/testing/nights.ts';
import { skipUnless, start } from './harness.ts';

test('site: without runs it names the next command; then it writes, updates and prints a comment', async (t) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'collbench-site-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  const call = (...args: string[]) => start(['site', ...args], { cwd }).ended;
  const empty = await call('public');
  assert.equal(empty.code, 2);
  assert.match(
    empty.stderr,
    /^collbench: site: there are no runs in collbench-runs\n[\s\S]*Next: collbench allreduce --max 1M\n$/,
  );

  for (let night = 0; night < 3; night += 1)
    await writeNight(path.join(cwd, 'collbench-runs'), { night, sizes: [8] });
  const first = await call('public', '--comment');
  assert.deepEqual(
    [first.code, first.stderr],
    [0, 'site: public/index.html (3 runs, 1 size range; 4 files written)\n'],
  );
  assert.match(
    first.stdout,
    /^### collbench: 1 size range in the last 3 nights: 1 (no verdict|not confirmed)\n/,
  );
  assert.match((await call('public')).stderr, /; 0 files written\)\n$/);
  assert.match(await readFile(path.join(cwd, 'public', 'index.html'), 'utf8'), /Content-Security-Policy/);

  for (const [args, pattern] of [
    [['public', '--url', 'javascript:alert(1)'], /--url javascript:alert\(1\)/],
    [['public', '--nights', '0'], /--nights 0[\s\S]*1 to 366/],
    [[], /site needs one folder/],
  ] as const) {
    const { code, stderr } = await call(...args);
    assert.equal(code, 1);
    assert.match(stderr, pattern);
  }
});

test('--chart: ASCII in a locale that is not UTF-8, no colour with NO_COLOR, within COLUMNS', async (t) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'collbench-chart-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  const root = path.join(cwd, 'collbench-runs');
  for (let night = 0; night < 3; night += 1) await writeNight(root, { night });
  const call = async (locale: string, ...args: string[]) => {
    const env = { LC_ALL: locale, COLUMNS: '60', NO_COLOR: '1' };
    const { code, stdout, stderr } = await start([...args, '--chart'], { cwd, env }).ended;
    assert.equal(code, 0, stderr);
    return stdout;
  };
  for (const [args, title] of [
    [['show', idOf(0)], 'Bus bandwidth of'],
    [['compare', idOf(0), idOf(1)], 'Change of time'],
    [['history', '--group', 'small'], 'allreduce float32 sum, cpu over'],
  ] as const) {
    const chartOf = (text: string) => text.slice(text.lastIndexOf(title));
    const plain = chartOf(await call('C', ...args));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what ASCII is
    assert.match(plain, /^[\x0a\x20-\x7e]*$/);
    assert.match(plain, /\n *\|.*o/);
    const rich = chartOf(await call('C.UTF-8', ...args));
    assert.match(rich, /│.*●/);
    for (const line of rich.split('\n')) assert.ok([...line].length <= 60, line);
  }
});

test('--png writes a picture', {
  skip: skipUnless(findFonts() !== null, 'no sans-serif font'),
}, async (t) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'collbench-png-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  for (let night = 0; night < 2; night += 1) await writeNight(path.join(cwd, 'collbench-runs'), { night });
  for (const args of [
    ['show', idOf(0)],
    ['compare', idOf(0), idOf(1)],
  ]) {
    const { code, stderr } = await start([...args, '--png', 'chart.png'], { cwd }).ended;
    assert.deepEqual([code, stderr], [0, 'picture: chart.png\n']);
    const png = await readFile(path.join(cwd, 'chart.png'));
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    await rm(path.join(cwd, 'chart.png'));
  }
});
