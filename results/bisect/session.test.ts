// test: soak
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../random.ts';
import { type BisectedSubject, bisectionRecord } from '../schema/index.ts';
import { testBisection } from '../testing/bisection.ts';
import { seededNormal } from '../testing/block.ts';
import { trials } from '../testing/trials.ts';
import { BisectionSession } from './session.ts';

/** Carries a bisection to its end with pairs whose scatter is `sd`. @param logTime logarithm of the time of a subject */
function finish(
  session: BisectionSession,
  logTime: (subject: BisectedSubject) => number,
  normal: () => number,
  sd: number,
  maxPairs = 2000,
): number {
  let pairs = 0;
  for (; session.question !== null && pairs < maxPairs; pairs += 1) {
    const { reference, candidate } = session.question;
    session.add(logTime(candidate) - logTime(reference) + sd * normal(), 1);
  }
  return pairs;
}

const found = ({ record }: BisectionSession): number[] =>
  record.stages.flatMap((stage) =>
    stage.end === 'found' && stage.partnerOf === null && stage.found ? [stage.found.last] : [],
  );

test('a regression planted at random into one of 64 builds is found, where launches scatter by 3 %', () => {
  const seeds = trials(12);
  let right = 0;
  for (const seed of seeds) {
    const random = randomSource(seed);
    const first = 1 + Math.floor(random() * 63);
    const session = new BisectionSession(testBisection(64));
    finish(session, ({ item }) => (item >= first ? Math.log(1.2) : 0), seededNormal(seed), 0.03 * Math.SQRT2);
    bisectionRecord.parse(session.record);
    if (found(session).join() === String(first)) right += 1;
  }
  assert.ok(right >= seeds.length - 1, `${right} of ${seeds.length}`);
});

test('of equal ends it is said that they are the same; of noisy ones that this is not known', () => {
  const of = (sd: number) => {
    const session = new BisectionSession(testBisection(64));
    finish(session, () => 0, seededNormal(3), sd);
    return session.record.stages.map(({ end }) => end);
  };
  assert.deepEqual(of(0.02), ['same']);
  assert.deepEqual(of(0.5), ['no-verdict']);
});

test('a bisection that was stopped after any pair ends as one that was not', () => {
  const logTime = ({ item }: BisectedSubject): number => (item >= 5 ? 0.3 : 0);
  const whole = new BisectionSession(testBisection(17));
  const pairs = finish(whole, logTime, seededNormal(1), 0.04);
  for (let stop = 0; stop <= pairs; stop += 7) {
    const normal = seededNormal(1);
    const first = new BisectionSession(testBisection(17));
    finish(first, logTime, normal, 0.04, stop);
    const stored = bisectionRecord.parse(JSON.parse(JSON.stringify(first.record)));
    const second = new BisectionSession(stored);
    finish(second, logTime, normal, 0.04);
    assert.deepEqual(second.record, whole.record, `stopped after ${stop} pairs`);
  }
});

test('where many small steps make the change, the record names no item, not even one looked at in vain', () => {
  const session = new BisectionSession(testBisection(64));
  finish(session, ({ item }) => 0.02 * Math.min(16, item / 4), seededNormal(5), 0.002);
  const [stage] = session.record.stages;
  assert.ok(session.record.probes.some(({ purpose, verdict }) => purpose === 'step' && verdict === 'same'));
  assert.deepEqual([stage?.end, stage?.found, stage?.step], ['gradual', null, null]);
});

test('a build that cannot be measured is passed over, and the range says so', () => {
  const session = new BisectionSession(testBisection(9));
  const normal = seededNormal(2);
  for (let pairs = 0; session.question !== null && pairs < 500; pairs += 1) {
    const { reference, candidate } = session.question;
    const of = ({ item }: BisectedSubject) => (item >= 5 ? 0.4 : 0);
    if (candidate.item === 4) session.addUnmeasurable('it does not compile');
    else session.add(of(candidate) - of(reference) + 0.03 * normal(), 1);
  }
  const [stage] = session.record.stages;
  assert.deepEqual([stage?.end, stage?.found?.first, stage?.found?.last], ['found', 4, 5]);
  assert.equal(
    session.record.probes.find(({ verdict }) => verdict === 'unmeasurable')?.reason,
    'it does not compile',
  );
});

test('one of forty settings is found, and two that are slow only together', () => {
  const applied = ({ item, fixed }: BisectedSubject) =>
    new Set([...Array.from({ length: item }, (_, at) => at + 1), ...fixed]);
  const of = (isSlow: (settings: ReadonlySet<number>) => boolean) => {
    const session = new BisectionSession(testBisection(41, {}, 'settings'));
    finish(session, (subject) => (isSlow(applied(subject)) ? 0.25 : 0), seededNormal(4), 0.04);
    return session;
  };
  const alone = of((settings) => settings.has(23));
  assert.deepEqual(found(alone), [23]);
  const together = of((settings) => settings.has(11) && settings.has(30));
  assert.deepEqual(found(together), [30]);
  const partners = together.record.stages.filter(({ partnerOf, end }) => partnerOf === 0 && end === 'found');
  assert.deepEqual(
    partners.map((stage) => stage.found?.last),
    [11],
  );
});
