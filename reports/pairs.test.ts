import assert from 'node:assert/strict';
import { test } from 'node:test';
import pc from 'picocolors';
import { isClean, overview } from '../results/derive/index.ts';
import { heatmap, rings } from './charts/index.ts';
import { renderSvg } from './charts/render.ts';
import { syntheticPairs } from './fixtures/pairs.ts';
import { figureScale, pairsSentences } from './pairs.ts';
import { matrixLines } from './terminal/matrix.ts';

const has = (host: number, a: number, b: number) => a === host || b === host;
const plain = pc.createColors(false);

test('nobody stands out: said with the typical figures', () => {
  const quiet = syntheticPairs(8);
  assert.ok(isClean(quiet));
  assert.match(
    pairsSentences([quiet]).join('\n'),
    /^none of 8 hosts and 28 pairs is an outlier: typically 9\.\d\d GB\/s and 5\.\d\d µs$/,
  );
});

test('a slow host, a slow pair and a ring that drops are told in words', () => {
  const host = syntheticPairs(8, (a, b) => (has(6, a, b) ? 3 : 1));
  assert.ok(!isClean(host));
  const [slow, ring] = pairsSentences([host]);
  assert.match(
    slow ?? '',
    /^gpu07 is slow with all others: 3\.\d\d GB\/s against 9\.\d\d GB\/s; check its cable or NIC$/,
  );
  assert.match(
    ring ?? '',
    /^the ring of 7 drops from 9\.\d* GB\/s to 3\.\d\d GB\/s when gpu07 joins, as its pairs do$/,
  );
  const pair = syntheticPairs(8, (a, b) => (a === 2 && b === 4 ? 2 : 1));
  assert.match(
    pairsSentences([pair])[0] ?? '',
    /^only gpu03 - gpu05 is slow: \d\.\d\d GB\/s against .*; check the path between them$/,
  );
  const dead = syntheticPairs(8, (a, b) => (has(0, a, b) ? null : 1));
  assert.match(pairsSentences([dead])[0] ?? '', /^gpu01 runs with no other host/);
});

test('two hosts: no verdict, and the way out', () => {
  const two = syntheticPairs(2);
  assert.equal(two.hasVerdict, false);
  assert.match(pairsSentences([two]).join(), /slow one is unknown .*: add a third host/);
});

test('names of one machine are said to be one, and no switch is blamed', () => {
  const { transport, names, pairs, rings } = syntheticPairs(3, () => 1);
  const slower = rings.map((ring, i) => ({ ...ring, GBps: 10 / (i + 1) }));
  const one = overview(transport, names, pairs, slower, 'host', [names]);
  assert.deepEqual(
    pairsSentences([one]).map((sentence) => sentence.replace(/\(.*\)/, '(...)')),
    [
      'gpu01, gpu02 and gpu03 are one machine: no cable or switch lies between them',
      'no verdict (...): name three machines or more, each once',
    ],
  );
});

test('the square fits: figures for few hosts, percent, then tenths of the typical speed', () => {
  const forms = [
    { hosts: 6, columns: 80, head: /^below: bandwidth, GB\/s; above: latency, µs/ },
    { hosts: 6, columns: 60, head: /^below: bandwidth, GB\/s; above: latency, µs/ },
    { hosts: 32, columns: 80, head: /^below: bandwidth \(typical 9\.\d+ GB\/s\)/ },
    { hosts: 32, columns: 60, head: /^below: bandwidth/ },
    { hosts: 64, columns: 80, head: /^below: bandwidth/ },
    { hosts: 200, columns: 80, head: /do not fit in 80 columns/ },
  ];
  for (const { hosts, columns, head } of forms) {
    const lines = matrixLines(syntheticPairs(hosts), columns, plain);
    assert.match(lines[0] ?? '', head, `${hosts} hosts`);
    for (const line of lines) assert.ok(line.length <= columns, `${hosts} hosts, ${columns}: ${line}`);
  }
});

test('a figure has four characters, rounded, and a prefix where it needs more digits', () => {
  const { unit, text } = figureScale('latency', 700);
  assert.equal(unit, 'ns');
  const shown = [
    0, 4.2e-7, 0.00042, 0.0042, 0.009_96, 0.0199, 0.996, 9.8, 700, 999.6, 9999.4, 9999.6, 12_345, 999_600,
    1_234_567, 2e8, 3e9,
  ];
  assert.deepEqual(shown.map(text), [
    ...['0', '420n', '420µ', '4.2m', '10m', '0.02', '1.00', '9.80', '700', '1000', '9999'],
    ...['10k', '12k', '1.0M', '1.2M', '200M', '3.0G'],
  ]);
});

test('a pair that needs 200 ms where others need 5 µs has all its digits in the square', () => {
  const { transport, names, pairs, rings } = syntheticPairs(4);
  const late = pairs.map((pair, i) => (i === 0 ? { ...pair, latencyNs: 2e8, fastNs: 2e8 } : pair));
  const lines = matrixLines(overview(transport, names, late, rings), 80, plain);
  assert.match(lines.find((line) => line.startsWith('1 gpu01')) ?? '', / 200k!/);
});

test('in a square of 32 hosts a slow one is a row and a column of digits among dots', () => {
  const lines = matrixLines(
    syntheticPairs(32, (a, b) => (has(6, a, b) ? 3 : 1)),
    80,
    plain,
  );
  const rows = lines.slice(-32).map((line) => line.slice(-64));
  assert.equal(rows.length, 32);
  assert.match(rows[6] ?? '', /^( 3){6} \\/);
  const others = rows.filter((_, row) => row < 6);
  for (const row of others) assert.doesNotMatch(row, /\d/);
});

test('charts are drawn for few and for many hosts, by what can be measured of them', async () => {
  for (const n of [3, 32]) {
    const one = syntheticPairs(n, (a, b) => (a === 0 && b === 2 ? null : 1));
    for (const figure of [heatmap(one, 'bandwidth', true), heatmap(one, 'latency', true), rings(one, true)]) {
      if (figure === null) continue;
      for (const size of ['wide', 'narrow'] as const) {
        const svg = await renderSvg(figure.spec(size), {
          title: figure.title,
          description: figure.caption,
          idPrefix: 'x',
        });
        assert.match(svg, /<svg/);
      }
    }
    assert.equal(heatmap(one, 'bandwidth', true)?.rows.length, (n * (n - 1)) / 2);
  }
});
