import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OkCell } from '../results/schema/index.ts';
import { flagSentence } from './summary.ts';

/** Returns a cell with only the fields that the sentence reads. */
function flagged(hosts: string[], busy: string[]): OkCell {
  return {
    flags: [{ name: 'cpu-busy', level: 'disturbs', reason: null }],
    load: {
      hosts: hosts.map((host) => ({ host })),
      reasons: busy.map((host) => ({ flag: 'cpu-busy', host, text: '' })),
    },
  } as unknown as OkCell;
}

test('a flag that only some of the hosts show names them', () => {
  const hosts = Array.from({ length: 9 }, (_, index) => `gpu0${index + 1}`);
  const say = (...busy: string[][]) => flagSentence(busy.map((names) => flagged(hosts, names)));
  assert.equal(say(['gpu07'], ['gpu07']), '2 of 2 configurations flagged: cpu-busy 2 (gpu07)');
  assert.equal(say(['gpu02'], ['gpu03']), '2 of 2 configurations flagged: cpu-busy 2 (gpu[02-03])');
  assert.equal(say(hosts.slice(0, 5)), '1 of 1 configuration flagged: cpu-busy 1 (5 hosts)');
  assert.equal(say(hosts), '1 of 1 configuration flagged: cpu-busy 1');
});
