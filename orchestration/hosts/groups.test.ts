import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colorsOf, groupsOf, groupsText, parseGroups } from './groups.ts';
import { parseHosts } from './parse.ts';
import { type HostPlacement, placeRanks } from './placement.ts';

const hosts = (text: string, map: 'block' | 'node' = 'block'): HostPlacement[] =>
  placeRanks(parseHosts(text), { ranks: null, ranksPerNode: null, gpus: null, map, iface: null });
const groups = (rule: string, placed: HostPlacement[]) =>
  groupsOf(parseGroups(rule), placed).members.map(({ name, ranks }) => `${name}: ${ranks.join(' ')}`);

for (const [rule, colors, names] of [
  ['node', '0 0 0 0 1 1 1 1', ['a: 0 1 2 3', 'b: 4 5 6 7']],
  ['rail', '0 1 2 3 0 1 2 3', ['rail 0: 0 4', 'rail 1: 1 5', 'rail 2: 2 6', 'rail 3: 3 7']],
  ['mod:2', '0 1 0 1 0 1 0 1', ['ranks mod 2 = 0: 0 2 4 6', 'ranks mod 2 = 1: 1 3 5 7']],
  ['div:3', '0 0 0 1 1 1 2 2', ['ranks 0-2: 0 1 2', 'ranks 3-5: 3 4 5', 'ranks 6-7: 6 7']],
  ['mod:1', '0 0 0 0 0 0 0 0', ['ranks mod 1 = 0: 0 1 2 3 4 5 6 7']],
  ['and:1', '0 1 0 1 0 1 0 1', ['ranks and 1 = 0: 0 2 4 6', 'ranks and 1 = 1: 1 3 5 7']],
  ['or:3', '3 3 3 3 7 7 7 7', ['ranks or 3 = 3: 0 1 2 3', 'ranks or 3 = 7: 4 5 6 7']],
  ['colors:7,7,0,0,7,7,0,0', '7 7 0 0 7 7 0 0', ['color 0: 2 3 6 7', 'color 7: 0 1 4 5']],
] as const) {
  test(`--groups ${rule}`, () => {
    assert.equal(colorsOf(parseGroups(rule), hosts('a:4,b:4')).join(' '), colors);
    assert.deepEqual(groups(rule, hosts('a:4,b:4')), names);
    assert.equal(groupsText(parseGroups(rule)), rule);
  });
}

test('masks may be written in hexadecimal', () => {
  assert.equal(groupsText(parseGroups('and:0x4')), 'and:4');
});

test('nodes and rails follow the placement, not the numbers', () => {
  const placed = hosts('a:2,b:2', 'node');
  assert.deepEqual(groups('node', placed), ['a: 0 2', 'b: 1 3']);
  assert.deepEqual(groups('rail', placed), ['rail 0: 0 1', 'rail 1: 2 3']);
});

for (const [rule, pattern] of [
  ['', /unknown rule/],
  ['nodes', /unknown rule/],
  ['mod:', /^mod:: not a whole number from 1 on/],
  ['mod:0', /not a whole number from 1 on/],
  ['and:-1', /not a whole number from 0 on/],
  ['xor:1', /unknown rule/],
  ['div:x', /^div:x: not a whole number/],
  ['colors:', /'' is no color/],
  ['colors:0,-1', /'-1' is no color/],
  ['colors:0,0,1', /3 colors for 4 ranks/],
  ['mod:3', /--groups mod:3 leaves rank 1 alone in its group \(ranks mod 3 = 1\)/],
  ['div:3', /leaves rank 3 alone in its group \(ranks 3\)/],
] as const) {
  test(`refused: --groups ${rule}`, () => {
    assert.throws(() => groups(rule, hosts('a:2,b:2')), { name: 'HostsError', message: pattern });
  });
}

test('a rail that only one host has leaves its rank alone', () => {
  assert.throws(() => groups('rail', hosts('a:3,b:2')), /leaves rank 2 alone in its group \(rail 2\)/);
});
