// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { trials } from '../testing/trials.ts';
import { likeliestRange, nextProbe, uniformPosterior, updatePosterior } from './posterior.ts';
import { type Answer, type Question, type SearchRules, type Stage, searchChanges } from './search.ts';

const rules: SearchRules = { margin: Math.log(1.05), confidence: 0.95, settings: null };

/** Runs a search to its end. @returns its stages, and the questions in their order */
function search(last: number, searchRules: SearchRules, answer: (question: Question) => Answer) {
  const stages: Stage[] = [];
  const asked: Question[] = [];
  const questions = searchChanges(last, searchRules, stages);
  for (let next = questions.next(); !next.done; ) {
    asked.push(next.value);
    next = questions.next(answer(next.value));
  }
  return { stages, asked };
}

const found = (stages: readonly Stage[]) =>
  stages.flatMap(({ end, partnerOf, found: range }) =>
    end === 'found' && partnerOf === null && range ? [range.last] : [],
  );

/** Verdicts of a comparison whose logarithm of the ratio is known exactly. */
function verdictOf(logRatio: number, margin: number): Answer {
  const verdict = logRatio > margin / 2 ? 'slower' : logRatio < -margin / 2 ? 'faster' : 'same';
  return { verdict, logRatio };
}

/** Answers for a list whose item k has the logarithm of time `times[k]`. */
const exact =
  (times: readonly number[]) =>
  ({ reference, candidate, margin }: Question): Answer =>
    verdictOf((times[candidate.item] ?? 0) - (times[reference.item] ?? 0), margin);

const slowFrom = (items: number, first: number, by: number): number[] =>
  Array.from({ length: items }, (_, item) => (item >= first ? by : 0));

test('the posterior moves to where the verdicts point, by Bayes', () => {
  const before = uniformPosterior(5);
  assert.deepEqual(before, [0, 0.25, 0.25, 0.25, 0.25]);
  const after = updatePosterior(before, { item: 2, isChanged: true }, 0.1);
  for (const [item, p] of [0, 0.45, 0.45, 0.05, 0.05].entries())
    assert.ok(Math.abs((after[item] ?? 0) - p) < 1e-12, `item ${item}`);
  assert.equal(nextProbe(before), 2);
  assert.equal(nextProbe(after), 1);
  // A probe without verdict makes the neighbours of the median more attractive.
  assert.notEqual(nextProbe(uniformPosterior(9), new Map([[4, 1]])), 4);
  assert.equal(nextProbe([0, 1]), null);
});

test('items that cannot be measured are reported as a range with the next one that can', () => {
  const posterior = [0, 0.1, 0.4, 0.4, 0.1];
  assert.deepEqual(likeliestRange(posterior, new Set([2])), { first: 2, last: 3, probability: 0.8 });
});

test('with verdicts that are always right every first changed item of every list is found, by as few probes as plain bisection', () => {
  for (const items of [2, 3, 5, 17, 64])
    for (let first = 1; first < items; first += 1) {
      const { stages, asked } = search(items - 1, rules, exact(slowFrom(items, first, 0.2)));
      assert.deepEqual(found(stages), [first], `${first} of ${items}`);
      const probes = asked.filter(({ purpose }) => purpose === 'search').length;
      assert.ok(probes <= Math.ceil(Math.log2(items - 1)) + 1, `${probes} probes for ${items} items`);
    }
});

test('of equal ends the search says that nothing changed, after one comparison', () => {
  const { stages, asked } = search(63, rules, exact(slowFrom(64, 64, 0.2)));
  assert.deepEqual([stages.length, stages[0]?.end, asked.length], [1, 'same', 1]);
});

test('where verdicts are wrong as often as allowed, and one in five is missing, 95 of 100 searches find the item', () => {
  const seeds = trials(200);
  let right = 0;
  for (const seed of seeds) {
    const random = randomSource(seed);
    const first = 1 + Math.floor(random() * 63);
    const times = slowFrom(64, first, 0.2);
    const { stages } = search(63, rules, (question) => {
      const right = exact(times)(question);
      if (random() < 0.2) return { verdict: null, logRatio: right.logRatio };
      if (question.purpose !== 'search' || random() >= question.errorRate) return right;
      return { ...right, verdict: right.verdict === 'same' ? 'slower' : 'same' };
    });
    if (found(stages)[0] === first) right += 1;
  }
  assert.ok(right >= 0.95 * seeds.length, `${right} of ${seeds.length}`);
});

test('a change that came in two steps is reported as two, wherever they are', () => {
  const random = randomSource(7);
  for (let trial = 0; trial < 100; trial += 1) {
    const [a, b] = [1 + Math.floor(random() * 62), 1 + Math.floor(random() * 62)];
    if (a === b) continue;
    const times = Array.from({ length: 64 }, (_, item) => (item >= a ? 0.2 : 0) + (item >= b ? 0.15 : 0));
    const { stages } = search(63, rules, exact(times));
    assert.deepEqual(
      found(stages).sort((x, y) => x - y),
      [Math.min(a, b), Math.max(a, b)],
      `${a} and ${b}`,
    );
  }
});

test('a change in sixteen small steps is not blamed on one of them', () => {
  const times = Array.from({ length: 64 }, (_, item) => Math.min(16, item / 4) * 0.02);
  const { stages } = search(63, rules, exact(times));
  assert.equal(stages[0]?.end, 'gradual');
});

test('items that cannot be measured are passed over', () => {
  const times = slowFrom(64, 20, 0.2);
  const { stages } = search(63, rules, (question) =>
    [18, 19, 20, 31].includes(question.candidate.item)
      ? { verdict: null, logRatio: 0, isUnmeasurable: true }
      : exact(times)(question),
  );
  assert.deepEqual([stages[0]?.found?.first, stages[0]?.found?.last], [18, 21]);
});

/** Answers for settings: the time is that of all differences that are applied to the good end. */
const settings =
  (time: (applied: ReadonlySet<number>) => number) =>
  ({ reference, candidate, margin }: Question): Answer => {
    const of = ({ item, fixed }: Question['reference']) =>
      time(new Set([...Array.from({ length: item }, (_, at) => at + 1), ...fixed]));
    return verdictOf(of(candidate) - of(reference), margin);
  };
const ofSettings = { ...rules, settings: 40 };

test('of forty settings the one that makes the command slow is found, and that it needs no other', () => {
  for (let slow = 1; slow <= 40; slow += 1) {
    const { stages } = search(
      40,
      ofSettings,
      settings((applied) => (applied.has(slow) ? 0.3 : 0)),
    );
    assert.deepEqual(found(stages), [slow]);
    assert.ok(stages.every(({ partnerOf, end }) => partnerOf === null || end === 'same'));
  }
});

test('two settings that are slow only together are both named', () => {
  const { stages } = search(
    40,
    ofSettings,
    settings((applied) => (applied.has(7) && applied.has(29) ? 0.3 : 0)),
  );
  assert.deepEqual(found(stages), [29]);
  const partners = stages.filter(({ partnerOf, end }) => partnerOf === 0 && end === 'found');
  assert.deepEqual(
    partners.map(({ found: range }) => range?.last),
    [7],
  );
});

test('a search that was stopped continues with its stored answers as if it had not been', () => {
  const answer = exact(slowFrom(64, 33, 0.2));
  const whole = search(63, rules, answer);
  for (const stop of whole.asked.keys()) {
    const stored = whole.asked.slice(0, stop).map(answer);
    let at = 0;
    const again = search(63, rules, (question) => stored[at++] ?? answer(question));
    assert.deepEqual(again, whole);
  }
});
