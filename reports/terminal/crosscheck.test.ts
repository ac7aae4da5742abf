import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreementOf, summariseAgreement } from '../../results/derive/index.ts';
import type { CrosscheckCollective } from '../../results/schema/index.ts';
import { crosscheckFoot, crosscheckText } from './crosscheck.ts';

/**
 * Returns a synthetic collective: 12 µs plus 1 µs per 300 kB, enqueued in 11.5 µs. @param pace collbench's time divided by the
 * peer's
 */
function made(pace: (bytes: number, round: number) => number, ended: Partial<CrosscheckCollective> = {}) {
  const noise = [0.001, -0.001, 0.0005];
  const sizes = [8, 64, 512, 4096, 32_768, 262_144, 2_097_152].map((bytes) => {
    const theirsNs = (12 + bytes / 300e3) * 1000;
    const figures = noise.map((share, round) => ({
      round,
      first: 'collbench' as const,
      oursNs: theirsNs * (1 + share) * pace(bytes, round),
      theirsNs,
      isolatedNs: 5000,
      enqueueNs: 11_500,
    }));
    return { ...agreementOf(bytes, figures), isolatedNs: 5000, enqueueNs: 11_500, figures };
  });
  const result: CrosscheckCollective = {
    collective: 'allreduce',
    dtype: 'float32',
    op: 'sum',
    root: null,
    ranks: 2,
    processes: 1,
    commandLine: [],
    version: null,
    ncclVersion: '2.28.9',
    devices: ['EMULATED GPU'],
    sizes,
    skipped: [],
    wrongElements: 0,
    summary: summariseAgreement(sizes),
    ...ended,
  };
  return result;
}
const of = { library: { path: '', version: '2.28.9' }, medium: 'emulated' as const };
const recordOf = (collectives: CrosscheckCollective[]) => ({ collectives, verdict: 'agree' as const });

test('a row per size with times, ratio, interval, scatter and verdict, within 80 columns', () => {
  const text = crosscheckText(
    made(() => 1),
    of,
    false,
  );
  assert.match(text, /^EMULATED: /);
  assert.match(text, /allreduce float32 sum · 2 GPUs \(EMULATED GPU\) · NCCL 2\.28\.9 · 3 rounds\n/);
  assert.match(text, /\n +time, µs +ours \/ theirs +scatter, % +ours, µs\n +size +theirs +ours +ratio +95 %/);
  assert.match(text, / 2M +18\.99 +18\.99 +1\.000 0\.99\d-1\.00\d +0\.0 +0\.1 +5\.00 +11\.50 +agree\n/);
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
});

test('a time of 10 s or more is not cut: it has its unit', () => {
  const result = made(() => 1);
  const sizes = result.sizes.map((size) => ({
    ...size,
    ...{ theirsNs: 9_999_999_400, oursNs: 9_999_999_500, isolatedNs: 12_345_678_900, enqueueNs: 1.234e12 },
  }));
  const text = crosscheckText({ ...result, sizes }, of, false);
  assert.match(text, / 2M +9999999 +10\.0 s .* 12\.3 s +1230 s +agree\n/);
  for (const line of text.split('\n')) assert.ok(line.length <= 80 && !line.includes('…'), line);
});

test('after few rounds of a busy machine an interval has an open end', () => {
  const result = made(() => 1);
  const ends = [
    [0.9, 1500],
    [0.001, 1.1],
    [0.001, 1500],
  ] as const;
  const sizes = result.sizes.map((size, at) => {
    const [low = 0.99, high = 1.01] = ends[at] ?? [];
    return { ...size, interval: { low, high } };
  });
  const text = crosscheckText({ ...result, sizes }, of, false);
  assert.match(text, / 8 .* 1\.000 +from 0\.900 .*\n.* 1\.000 +up to 1\.100 .*\n.* 1\.000 +unknown /);
  for (const line of text.split('\n')) assert.ok(line.length <= 80, line);
});

test('what differs or is faster stands in its row', () => {
  const differ = crosscheckText(
    made((bytes) => (bytes === 64 ? 1.05 : 1)),
    of,
    false,
  );
  assert.match(differ, / 64 .*differ\n/);
  const faster = crosscheckText(
    made((bytes) => (bytes <= 64 ? 0.5 : 1)),
    of,
    false,
  );
  assert.match(faster, / 64 .*faster\n/);
});

test('the reader of nccl-tests learns which times are launching, and how it was run', () => {
  const result = made(() => 1);
  const text = crosscheckText(result, of, false).replaceAll('\n', ' ');
  assert.match(
    text,
    /Up to 256 KiB the time nccl-tests prints is the enqueue cost of the host, not the collective: at 8 B enqueuing one call takes 11\.50 µs of the 12\.00 µs/,
  );
  const foot = crosscheckFoot(recordOf([result]), 'x/crosscheck.json').replaceAll('\n', ' ');
  assert.match(
    foot,
    /one thread per GPU.*one process, in which NCCL.*directly.*between 256 KiB and 4 MiB.*with MPI=1/,
  );
  assert.match(foot, /collbench and nccl-tests agree\. all rounds: x\/crosscheck\.json $/);
});

test('under mpirun there is a process per GPU, and no more to say', () => {
  const foot = crosscheckFoot(recordOf([made(() => 1, { processes: 2 })]), 'x').replaceAll('\n', ' ');
  assert.match(foot, /ran under mpirun -np 2 with -t 1 -g 1: one process per GPU, as our ranks/);
  assert.doesNotMatch(foot, /thread per GPU|MPI=1/);
});

test('what is not known or not compared is said', () => {
  const reason = 'nccl-tests rounds it to nothing on 2 ranks';
  const skipped = [8, 16].map((requestedBytes) => ({ requestedBytes, reason }));
  const text = crosscheckText(
    made(() => 1, { ncclVersion: null, skipped }),
    of,
    false,
  );
  assert.match(text, /\nnccl-tests does not say which NCCL it loaded/);
  assert.match(text, /not compared: 8 B, 16 B \(nccl-tests rounds it to nothing on 2 ranks\)/);
});

test('without a verdict the foot has none, and no legend where there is no table', () => {
  const foot = crosscheckFoot({ ...recordOf([]), verdict: null }, 'x');
  assert.equal(foot, 'all rounds: x\n');
  assert.match(crosscheckFoot({ ...recordOf([]), verdict: 'unsure' }, 'x'), /^NO VERDICT/);
});
