import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldNames, foldNumbers } from '../../results/fold.ts';
import { seededUniform } from '../../results/testing/block.ts';
import { HostsError } from './error.ts';
import { parseHosts } from './parse.ts';
import { type PlacementOptions, placementText, placeRanks } from './placement.ts';
import { parseRankMap } from './rank-map.ts';

const nothing: PlacementOptions = { ranks: null, ranksPerNode: null, gpus: null, map: 'block', iface: null };
const placed = (hosts: string, options: Partial<PlacementOptions>) =>
  placeRanks(parseHosts(hosts), { ...nothing, ...options });
const text = (hosts: string, options: Partial<PlacementOptions>) =>
  placementText(placed(hosts, options), parseHosts(hosts));

for (const [name, hosts, options, wanted] of [
  ['slots are filled', 'a:2,b:3', {}, 'ranks 0-1 on a, 2-4 on b'],
  ['in turns', 'a:2,b:3', { map: 'node' }, 'ranks 0,2 on a, 1,3-4 on b'],
  ['fewer ranks than slots', 'a:4,b:4', { ranks: 6 }, 'ranks 0-3 on a, 4-5 on b'],
  ['fewer ranks in turns', 'a:4,b:4', { ranks: 6, map: 'node' }, 'ranks 0,2,4 on a, 1,3,5 on b'],
  ['nothing said: one each', 'a,b', {}, 'ranks 0 on a, 1 on b'],
  ['ranks alone are spread evenly', 'a,b,c', { ranks: 7 }, 'ranks 0-2 on a, 3-4 on b, 5-6 on c'],
  ['ranks per node', 'a,b', { ranksPerNode: 2 }, 'ranks 0-1 on a, 2-3 on b'],
  ['ranks per node below the slots', 'a:8,b:8', { ranksPerNode: 2 }, 'ranks 0-1 on a, 2-3 on b'],
  ['one for each GPU', 'a,b', { gpus: [2, 1] }, 'ranks 0-1 on a, 2 on b'],
  ['the fewer of slots and GPUs', 'a:4,b:1', { gpus: [2, 2] }, 'ranks 0-1 on a, 2 on b'],
  ['more than one machine takes', 'a:200,b:200', {}, 'ranks 0-199 on a, 200-399 on b'],
  ['a host without slots among others has one', 'a:2,b', {}, 'ranks 0-1 on a, 2 on b'],
] as [string, string, Partial<PlacementOptions>, string][]) {
  test(`placed: ${name}`, () => {
    assert.equal(text(hosts, options)[0]?.replace('rank 0 on', 'ranks 0 on'), wanted);
  });
}

test('hosts without a rank are left out of the plan and named before the run', () => {
  assert.deepEqual(
    placed('a:4,b:4,c:4', { ranks: 3 }).map(({ name }) => name),
    ['a'],
  );
  assert.deepEqual(text('a:4,b[1-2]:4', { ranks: 3 }), ['ranks 0-2 on a', 'no rank on b[1-2]']);
});

test('interfaces: those of the host before that of all', () => {
  const hosts = 'a:1:iface=eth1,b:1,c:1';
  assert.deepEqual(
    placed(hosts, { iface: 'eth0' }).map(({ iface }) => iface),
    ['eth1', 'eth0', 'eth0'],
  );
  assert.deepEqual(text(hosts, { iface: 'eth0' }).slice(1), ['data over eth1 on a', 'data over eth0 on b,c']);
});

test('many hosts take few lines', () => {
  assert.deepEqual(text('gpu[01-32]:8', {}), [
    '8 ranks each on gpu[01-32]',
    'ranks 0-7 on gpu01, 8-15 on gpu02, ... 248-255 on gpu32',
  ]);
  assert.deepEqual(text('gpu[01-32]:8', { ranks: 250, map: 'node' }), [
    '8 ranks each on gpu[01-26]',
    '7 ranks each on gpu[27-32]',
    'ranks 0,32,64,...,224 on gpu01, 1,33,65,...,225 on gpu02, ... 31,63,95,...,223 on gpu32',
  ]);
});

for (const [name, hosts, options, pattern, next] of [
  [
    'more ranks than slots',
    'gpu[01-02]:8',
    { ranks: 20 },
    /20 ranks, but 2 hosts \(gpu\[01-02\]\) with 16 slots have room for 16/,
    /--ranks 16, more hosts, or more slots: --hosts HOST:slots=10/,
  ],
  [
    'more ranks than GPUs',
    'a,b',
    { ranks: 5, gpus: [2, 2] },
    /5 ranks, .* with 4 GPUs have room for 4/,
    /--ranks 4/,
  ],
  [
    'more ranks than per node',
    'a,b',
    { ranks: 5, ranksPerNode: 2 },
    /5 ranks, .* with 2 ranks per node have room for 4/,
    /--ranks-per-node 3/,
  ],
  [
    'more per node than slots',
    'a:8,b:4',
    { ranksPerNode: 6 },
    /6 ranks per node, but b has 4 slots/,
    /--ranks-per-node 4, or b:slots=6/,
  ],
  [
    'more per node than GPUs',
    'a:8',
    { ranksPerNode: 8, gpus: [4] },
    /8 ranks per node, but a has 4 GPUs/,
    /--ranks-per-node 4$/,
  ],
  [
    'more ranks than a run may have',
    'a:slots=2100,b:slots=2100',
    {},
    /4,200 ranks on 2 hosts: a run has at most 4,096/,
    /--ranks 4096, or fewer hosts or slots/,
  ],
  ['no GPU at all', 'a,b', { gpus: [0, 0] }, /no room for a rank on a,b/, null],
] as [string, string, Partial<PlacementOptions>, RegExp, RegExp | null][]) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => placed(hosts, options),
      (error: HostsError) => {
        assert.ok(error instanceof HostsError);
        assert.match(error.message, pattern);
        if (next === null) assert.equal(error.next, null);
        else assert.match(error.next ?? '', next);
        return true;
      },
    );
  });
}

const map = (hosts: string, ...lines: string[]) => parseRankMap(lines.join('\n'), 'map', parseHosts(hosts));

test('a rank map says host, GPU and CPUs, in any order, with comments', () => {
  const hosts = 'a,b:2222,b:2223,[::1]';
  const lines = map(
    hosts,
    '# mine',
    '',
    '1 -> a:0:0-3,8',
    '0->b:2223',
    ' 2 -> a::4 # x',
    '3 -> [::1]:1',
    '4 -> b:2222:7',
  );
  assert.deepEqual(lines, [
    { rank: 0, host: 'b:2223', gpu: null, cpus: null },
    { rank: 1, host: 'a', gpu: 0, cpus: [0, 1, 2, 3, 8] },
    { rank: 2, host: 'a', gpu: null, cpus: [4] },
    { rank: 3, host: '[::1]', gpu: 1, cpus: null },
    { rank: 4, host: 'b:2222', gpu: 7, cpus: null },
  ]);
  assert.deepEqual(
    placed(hosts, { map: lines }).map(({ name, ranks }) => [name, ranks]),
    [
      ['a', [1, 2]],
      ['b:2222', [4]],
      ['b:2223', [0]],
      ['[::1]', [3]],
    ],
  );
});

for (const [lines, pattern] of [
  [['0 gpu'], /^map:1:1: 0 gpu is no line of a rank map/],
  [['0 -> a', '', '  one -> a'], /^map:3:3: /],
  [['0 -> a', '1 -> c'], /^map:2:6: c: no such host; there are a, b/],
  [['0 -> a1'], /^map:1:6: a1: no such host/],
  [['0 -> a:x'], /^map:1:8: x is no number of a GPU/],
  [['0 -> a:0:3-1'], /^map:1:10: 3-1 is no list of CPUs/],
  [['0 -> a:0:0-99999'], /^map:1:10: 0-99999 is no list of CPUs/],
  [['0 -> a:0:1:2'], /^map:1:8: .*more than host:gpu:cpus/],
  [['0 -> a', '0 -> b'], /^map:2:1: rank 0 is placed twice, first in line 1/],
  [['0 -> a:1', '1 -> b:1', '2 -> a:1'], /^map:3:1: GPU 1 of a is already used by rank 0/],
  [['0 -> a', '2 -> a'], /^map:1:1: rank 1 is missing: 2 lines place ranks 0 to 1/],
  [['# nothing'], /^map:1:1: it places no rank/],
] as [string[], RegExp][]) {
  test(`rank map refused: ${lines.join(' | ')}`, () => {
    assert.throws(() => map('a,b', ...lines), { name: 'HostsError', message: pattern });
  });
}

for (const [options, pattern] of [
  [{ ranks: 3 }, /rank map has 2 ranks, and 3 are asked for/],
  [{ ranksPerNode: 1 }, /--ranks-per-node both place/],
  [{ gpus: [1] }, /gives GPU 1 of a to rank 1, and it has 1 GPU$/],
] as [Partial<PlacementOptions>, RegExp][]) {
  test(`a rank map does not go with ${JSON.stringify(options)}`, () => {
    const lines = map('a', '0 -> a:0', '1 -> a:1');
    assert.throws(() => placed('a', { ...options, map: lines }), pattern);
  });
}

test('a rank map that overfills the slots is refused', () => {
  assert.throws(
    () => placed('a:1', { map: map('a:1', '0 -> a', '1 -> a') }),
    /puts 2 ranks on a, which has 1 slot$/,
  );
});

test('whatever is drawn: each rank has one place, and no host more than its slots', () => {
  const uniform = seededUniform(5);
  const draw = (limit: number) => Math.floor(uniform() * limit);
  for (let i = 0; i < 300; i++) {
    const slots = Array.from({ length: 1 + draw(9) }, () => 1 + draw(5));
    const room = slots.reduce((a, b) => a + b);
    const ranks = 1 + draw(room);
    const hosts = slots.map((n, at) => `h${at}:${n}`).join(',');
    const plan = placed(hosts, { ranks, map: draw(2) === 0 ? 'block' : 'node' });
    const all = plan.flatMap((host) => host.ranks).sort((a, b) => a - b);
    assert.deepEqual(all, [...Array(ranks).keys()]);
    for (const { name, ranks: mine } of plan) assert.ok(mine.length <= (slots[Number(name.slice(1))] ?? 0));
  }
});

test('names and numbers as people write them', () => {
  assert.equal(
    foldNames(['gpu01', 'gpu02', 'gpu03', 'login', 'n9', 'n10', 'n12']),
    'gpu[01-03],login,n[9-10],n12',
  );
  assert.equal(foldNames(['a:2222', 'a:2223', '[::1]', '[::2]']), 'a:2222,a:2223,[::1],[::2]');
  assert.equal(foldNumbers([0, 1, 2, 4, 6, 7]), '0-2,4,6-7');
  const uniform = seededUniform(9);
  for (let i = 0; i < 300; i++) {
    const names = new Set(
      Array.from({ length: 30 }, () => {
        const number = String(Math.floor(uniform() * 120));
        return `n${uniform() < 0.5 ? number.padStart(2, '0') : number}${uniform() < 0.1 ? 'x' : ''}`;
      }),
    );
    const folded = foldNames([...names]);
    assert.deepEqual(
      parseHosts(folded).map(({ name }) => name),
      [...names],
      folded,
    );
  }
  const row = Array.from({ length: 200 }, (_, i) => `n${String(i).padStart(2, '0')}`);
  assert.equal(foldNames(row), 'n[00-199]');
});
