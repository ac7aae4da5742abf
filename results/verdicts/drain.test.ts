import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overview, type PairFigure } from '../derive/index.ts';
import { failureWith } from '../schema/index.ts';
import { testPlan } from '../testing/plan.ts';
import { drainText, failingInDoctor, failingInPairs } from './drain.ts';

const names = ['gpu01', 'gpu02', 'gpu03', 'gpu04', 'gpu05', 'gpu06'];
const plan = { ...testPlan(), hosts: names.map((name, rank) => ({ name, ranks: [rank] })) };

/** Every pair at 10 GB/s; those that `isSlow` names at 2. */
function seen(isSlow: (a: string, b: string) => boolean) {
  const pairs = names.flatMap((a, i) =>
    names.slice(i + 1).map((b): PairFigure => {
      const GBps = isSlow(a, b) ? 2 : 10;
      return { a, b, latencyNs: 5000, fastNs: 4900, timeNs: 1e9 / GBps, GBps, reason: null };
    }),
  );
  return [overview('socket', names, pairs, [])];
}

test('a host that is slow with all others fails, with what was seen; where all pass the list is empty', () => {
  const { failing, pairs } = failingInPairs(
    { plan, failures: [] },
    seen((a, b) => [a, b].includes('gpu03')),
  );
  assert.deepEqual(pairs, []);
  assert.match(
    drainText('pairs', failing),
    /^gpu03 collbench pairs: bandwidth over socket: 2\.00 GB\/s, typical 10\.0 GB\/s\n$/,
  );
  const none = failingInPairs(
    { plan, failures: [] },
    seen(() => false),
  );
  assert.equal(drainText('pairs', none.failing), '');
});

test('of a single slow pair neither node is drained; a host at which something failed is', () => {
  const one = failingInPairs(
    { plan, failures: [] },
    seen((a, b) => a === 'gpu02' && b === 'gpu05'),
  );
  assert.deepEqual([one.failing.length, one.pairs.length], [0, 1]);
  const lost = failureWith({ kind: 'agent-lost', message: 'the agent of gpu04 is gone', host: 'gpu04' });
  const { failing } = failingInPairs(
    { plan, failures: [lost] },
    seen(() => false),
  );
  assert.equal(drainText('pairs', failing), 'gpu04 collbench pairs: the agent of gpu04 is gone\n');
});

test('doctor: hosts not reached and those with an error; a node is one line, and nothing in it acts on a shell', () => {
  const finding = (hosts: string[], severity: 'error' | 'warning') => ({
    ...{ id: 'x', severity, hosts, title: 'memory.locked', saw: '64 KiB\n$(reboot) `x` "y"' },
    ...{ why: '', transports: 'all' as const },
  });
  const host = (name: string, unreached: string | null) => ({
    ...{
      name,
      unreached,
      machine: null,
      agentVersion: null,
      probed: [],
      interface: null,
      door: null,
      clock: null,
    },
  });
  const failing = failingInDoctor({
    findings: [finding(['gpu01'], 'error'), finding(['gpu02'], 'warning'), finding([], 'error')],
    view: {
      hosts: [host('gpu01', null), host('gpu02', null), host('gpu03', 'no route')],
      knocks: [],
      untried: 0,
    },
  });
  assert.equal(
    drainText('doctor', [...failing, ...failing]),
    'gpu03 collbench doctor: not reached: no route\ngpu01 collbench doctor: memory.locked: 64 KiB (reboot) x y\n',
  );
});
