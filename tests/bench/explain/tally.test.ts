import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplainedSize } from '../../../results/schema/index.ts';
import { testExplainedSize } from '../../../results/testing/explanation.ts';
import { type Answer, isVisible, judge, rates, tablesOf } from './tally.ts';

const time = { ns: 100, low: 98, high: 102 };
function size(causes: readonly (readonly [id: string, ns: number])[], unexplained = 10): ExplainedSize {
  const share = (kind: 'cause' | 'unexplained', id: string, ns: number) => ({
    ...{ kind, id, title: id, experiment: '', change: {}, unset: [] },
    ...{ ns, low: ns - 5, high: ns + 5 },
  });
  const shares = [
    ...causes.map(([id, ns]) => share('cause', id, ns)),
    share('unexplained', 'unexplained', unexplained),
  ];
  return { ...testExplainedSize(), time, shares };
}
const link = { kind: 'slow link', causes: [['link']] };
const pair = { kind: 'pair', causes: [['link'], ['algorithm', 'protocol']] };
const none = { kind: 'healthy', causes: [] };
const clean = { typical: { low: 48, high: 52 }, backToBack: { low: 100, high: 104 } };

test('the first cause is that with the largest share; a share is right if its interval meets the planted time', () => {
  const answer = judge(
    link,
    size([
      ['algorithm', 10],
      ['link', 50],
    ]),
    clean,
  );
  assert.deepEqual(answer.named, ['link', 'algorithm']);
  assert.deepEqual([answer.isRight, answer.areAllNamed, answer.unexplained], [true, true, 0.1]);
  assert.equal(judge(link, size([['link', 50]]), clean).isWithin, true);
  assert.equal(judge(link, size([['link', 40]]), clean).isWithin, false);
  assert.equal(judge(link, size([['link', 50]]), null).isWithin, null);
});

test('of two planted causes one is enough as the first; the shares are judged together once both are named', () => {
  const one = judge(pair, size([['protocol', 50]]), clean);
  assert.deepEqual([one.isRight, one.areAllNamed, one.isWithin], [true, false, null]);
  const both = judge(
    pair,
    size([
      ['protocol', 20],
      ['link', 30],
    ]),
    clean,
  );
  assert.deepEqual([both.isRight, both.areAllNamed, both.isWithin], [true, true, true]);
});

test('a cause that shortens only the time back to back is judged by that', () => {
  const { shares } = size([['quota', 700]]);
  const stalled = { time: { ns: 800, low: 790, high: 810 }, shares, excluded: [] };
  const quota = { kind: 'quota', causes: [['quota']] };
  const answer = judge(quota, { ...size([]), backToBack: stalled }, clean);
  assert.deepEqual([answer.named, answer.isRight, answer.isWithin], [['quota'], true, true]);
  const both = { kind: 'both', causes: [['quota'], ['link']] };
  const all = judge(both, { ...size([['link', 50]]), backToBack: stalled }, clean);
  assert.deepEqual([all.named, all.areAllNamed, all.isRight], [['quota', 'link'], true, true]);
});

test('a healthy run is right without a cause, also where nothing was explained', () => {
  assert.equal(judge(none, size([]), null).isRight, true);
  assert.equal(judge(none, size([['link', 6]]), null).isRight, false);
  assert.equal(judge(none, null, null).isRight, true);
  assert.equal(judge(link, null, null).isRight, false);
});

test('the matrix counts kinds by the first cause', () => {
  const answers: Answer[] = [
    { ...judge(link, size([['link', 50]]), clean), isVisible: true },
    { ...judge(link, size([['link', 40]]), clean), isVisible: null },
    { ...judge(link, size([]), clean), isVisible: true },
    { ...judge(none, size([]), null), isVisible: null },
  ];
  assert.equal(
    tablesOf(answers).split('\n').slice(0, 4).join('\n'),
    '| planted | first: link | first: none |\n| --- | --- | --- |\n| healthy |  | 1 |\n| slow link | 2 | 1 |',
  );
  assert.match(tablesOf(answers), /\| slow link \| 2 of 3 \| 2 of 3 \| 1 of 2 \| 3\.0 % \| 10 % \| {2}\|/);
  assert.deepEqual(rates(answers), { right: 2 / 3, within: 0.5, alarms: 0 });
});

test('a planted cause that does not make the command slower is counted apart', () => {
  const hidden: Answer = { ...judge(link, size([]), clean), isVisible: false };
  const seen: Answer = { ...judge(link, size([['link', 50]]), clean), isVisible: true };
  assert.match(
    tablesOf([hidden, seen]),
    /\| slow link \| 1 of 1 \| 1 of 1 \| 1 of 1 \| 0\.0 % \| 10 % \| 1 \|/,
  );
  assert.equal(rates([hidden, seen]).right, 1);
});

test('a cause is visible if a time is longer by 5 %, however wide the intervals are', () => {
  const times = (typical: readonly [number, number], backToBack: readonly [number, number] | null) => ({
    typical: { low: typical[0], high: typical[1] },
    backToBack: backToBack && { low: backToBack[0], high: backToBack[1] },
  });
  const without = times([90, 100], [90, 100]);
  assert.equal(isVisible(times([100, 110], [90, 100]), without), true);
  assert.equal(isVisible(times([50, 250], [90, 100]), without), true);
  assert.equal(isVisible(times([90, 100], [200, 400]), without), true);
  assert.equal(isVisible(times([92, 102], null), without), false);
  const unknown = { typical: null, backToBack: null };
  assert.equal(isVisible(unknown, without), null);
});
