import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgreementRound, agreementOf, summariseAgreement, toleranceOf } from './agreement.ts';

/** Rounds whose log times are `theirs` and `theirs + gap`, given in percent around 100 us. */
const rounds = (theirs: readonly number[], gaps: readonly number[]): AgreementRound[] =>
  theirs.map((percent, i) => ({
    theirsNs: 100_000 * Math.exp(percent / 100),
    oursNs: 100_000 * Math.exp((percent + (gaps[i] as number)) / 100),
  }));
const drift = [0, 3, -2, 5, 1];
const close = [0.1, -0.1, 0.2, 0, -0.2];
const kib = 1024;
const mib = 2 ** 20;

test('the ratio is paired by round: drift that hits both does not widen its interval', () => {
  const found = agreementOf(mib, rounds(drift, close));
  // Log ratios 0.1, -0.1, 0.2, 0, -0.2 %: mean 0, sd 0.1581, t(0.975, 4) = 2.7764, half = 0.1963 %.
  assert.ok(Math.abs(found.ratio - 1) < 1e-12);
  assert.ok(Math.abs(Math.log(found.interval?.high ?? 0) - 0.001963) < 1e-6);
  assert.ok(Math.abs(Math.log(found.interval?.low ?? 0) + 0.001963) < 1e-6);
  assert.equal(found.verdict, 'agree');
  assert.equal(found.rounds, 5);
  assert.ok((found.theirsSpread ?? 0) > 0.02, 'the drift is in the scatter of each');
});

test('1 % from 1 MiB up, 3 % below', () => {
  assert.deepEqual([8, mib - 1, mib, 2 ** 30].map(toleranceOf), [0.03, 0.03, 0.01, 0.01]);
});

for (const [what, bytes, gap, verdict, isFaster] of [
  ['2 % slower at 1 MiB', mib, 2, 'differ', false],
  ['2 % faster at 1 MiB', mib, -2, 'differ', false],
  ['2 % slower at 1 KiB', kib, 2, 'agree', false],
  ['5 % slower at 1 KiB', kib, 5, 'differ', false],
  ['half the time at 1 KiB', kib, -70, 'agree', true],
  ['at the limit of 1 MiB', mib, 1, 'unsure', false],
  ['at the upper limit of 1 KiB', kib, 3, 'unsure', false],
  ['at the lower limit of 1 KiB', kib, -3, 'agree', false],
] as const) {
  test(`${what}: ${verdict}`, () => {
    const found = agreementOf(
      bytes,
      rounds(
        drift,
        close.map((noise) => noise + gap),
      ),
    );
    assert.equal(found.verdict, verdict);
    assert.equal(found.isFaster, isFaster);
  });
}

test('one round has no interval and decides nothing', () => {
  const found = agreementOf(kib, rounds([0], [0]));
  assert.equal(found.interval, null);
  assert.equal(found.verdict, 'unsure');
  assert.equal(found.oursSpread, null);
  assert.throws(() => agreementOf(kib, []), RangeError);
  assert.throws(() => agreementOf(kib, [{ oursNs: 0, theirsNs: 1 }]), RangeError);
});

test('who is noisier is said where it is more than chance', () => {
  const quiet = [0, 0.1, -0.1, 0.05, -0.05, 0.1, 0, -0.1];
  const loud = [3, -4, 5, -2, 4, -5, 2, -3];
  const of = (ours: readonly number[], theirs: readonly number[]) =>
    agreementOf(
      kib,
      ours.map((percent, i) => ({
        oursNs: 1000 * Math.exp(percent / 100),
        theirsNs: 1000 * Math.exp((theirs[i] as number) / 100),
      })),
    ).noisier;
  assert.equal(of(quiet, loud), 'theirs');
  assert.equal(of(loud, quiet), 'ours');
  assert.equal(of(loud, [...loud].reverse()), null, 'equal scatter');
  assert.equal(of([1, 1, 1], [1, 1, 1]), null, 'no scatter at all');
  assert.equal(of(quiet.slice(0, 2), loud.slice(0, 2)), null, 'too few');
  assert.equal(of([0, 0, 0, 0], [1, 2, -1, 0]), 'theirs', 'a clock that never varies');
});

test('together: the worst verdict, counts with their sizes, and the noise', () => {
  const far = close.map((noise) => noise + 5);
  const wide = [4, -4, 3, -3, 0];
  const agree = agreementOf(kib, rounds(drift, close));
  const differ = agreementOf(8, rounds(drift, far));
  const unsure = agreementOf(mib, rounds(drift, wide));
  const faster = agreementOf(
    64,
    rounds(
      drift,
      close.map((noise) => noise - 50),
    ),
  );
  assert.equal(summariseAgreement([agree]).verdict, 'agree');
  assert.equal(summariseAgreement([agree, unsure]).verdict, 'unsure');
  const all = summariseAgreement([agree, differ, unsure, faster]);
  assert.equal(all.verdict, 'differ');
  assert.equal(
    all.sentences[0],
    '4 sizes: 2 agree, 1 differ (8 B), 1 unsure (1 MiB); collbench is faster at 64 B.',
  );
  assert.match(all.sentences[1] ?? '', /^Scatter between rounds/);
});

test('rounds that would decide follow from the interval and the nearest limit', () => {
  // Log ratios with mean 0 and half width h; the limit is 0.995 % away, so n (h / 0.995)^2 rounds are needed.
  const found = agreementOf(mib, rounds(drift, [1, -1, 1, -1, 0]));
  const reach = Math.log(found.interval?.high ?? 0);
  assert.equal(found.verdict, 'unsure');
  assert.equal(found.roundsNeeded, Math.ceil(5 * (reach / -Math.log(1 / 1.01)) ** 2));
  assert.match(summariseAgreement([found]).sentences.at(-1) ?? '', /^About \d+ rounds would decide/);
});
