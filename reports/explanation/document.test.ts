import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testExplainedSize, testExplanation } from '../../results/testing/explanation.ts';
import { terminalText } from '../document/terminal.ts';
import { explanationDocument } from './document.ts';

const quota = {
  ...{ kind: 'cause' as const, id: 'cpu-quota', title: 'running without the quota', change: {}, unset: [] },
  ...{ experiment: '--cpu-quota leave', ns: 6e6, low: 5e6, high: 7e6 },
};
const typical = {
  ...{ kind: 'bound' as const, id: 'typical', title: 'a typical operation', change: {}, unset: [] },
  ...{ experiment: 'median of the same launches', ns: 2e6, low: 1.9e6, high: 2.1e6 },
};
const backToBack = { time: { ns: 8e6, low: 6e6, high: 10e6 }, shares: [quota, typical], excluded: [] };

/** Terminal text of an explanation of one size, in one line per paragraph. */
function textOf(size: ReturnType<typeof testExplainedSize>): string {
  const [series] = testExplanation().series;
  assert.ok(series !== undefined);
  const suspicions = [{ id: 'cpu-quota', title: 'a quota', text: 'throttled for 43 % of the time' }];
  const record = testExplanation({ series: [{ ...series, sizes: [size], suspicions }] });
  return terminalText(explanationDocument({ record, next: null, whole: null }), {
    columns: 400,
    color: false,
  });
}

test('where some operations are stopped, both times have a table, and the verdict says why it takes longer back to back', () => {
  const none = { ...typical, kind: 'unexplained' as const, id: 'unexplained', title: 'not explained', ns: 0 };
  const text = textOf(testExplainedSize({ shares: [none, { ...typical, ns: 1e6 }], backToBack }));
  assert.match(
    text,
    /1\.00 ms, within 0\.0 % of the bound \(a typical operation\); nothing to explain; back to back 8\.00 ms, 8\.0 times as long;/,
  );
  assert.match(text, /Parts of the typical \(median\) time, geometric means over 5 rounds/);
  assert.match(text, /Parts of the mean time back to back, geometric means over 5 rounds/);
  assert.match(
    text,
    /\nback to back 8\.0 times as long as a typical operation: running without the quota recovers 75 % \(throttled for 43 % of the time\), not explained: at most 0\.0 % of the time; nothing to explain: within 0\.0 % of the bound; no change/i,
  );
});

test('near a bound that a suspected cause makes longer, too, there is something to explain unless it was examined', () => {
  const [series] = testExplanation().series;
  assert.ok(series !== undefined);
  const none = { ...typical, kind: 'unexplained' as const, id: 'unexplained', title: 'not explained', ns: 0 };
  const sizes = [testExplainedSize({ shares: [none, { ...typical, ns: 1e6 }] })];
  const [id, title] = ['shared-gpu', 'ranks that share a GPU'];
  const suspicions = [{ id, title, text: 'the times are its time slices' }];
  const textWith = (...untried: (typeof series)['untried']): string =>
    terminalText(
      explanationDocument({
        record: testExplanation({ series: [{ ...series, sizes, suspicions, untried }] }),
        next: null,
        whole: null,
      }),
      { columns: 400, color: false },
    );
  const text = textWith({ id, title, reason: 'needs a GPU for each rank', isAbsent: false });
  const suspected = 'suspected and not examined: ranks that share a GPU';
  assert.match(text, new RegExp(`within 0\\.0 % of the bound \\(a typical operation\\); ${suspected}`));
  assert.match(
    text,
    new RegExp(`\\n${suspected}: within 0\\.0 % of the bound; no change of the command`, 'i'),
  );
  assert.doesNotMatch(text, /nothing to explain/i);
  assert.match(textWith(), /\nnothing to explain: within 0\.0 % of the bound/i);
});

test('of a cause at several sizes the verdict names the largest share', () => {
  const [series] = testExplanation().series;
  assert.ok(series !== undefined);
  const sizeWith = (payloadBytes: number, ns: number) =>
    testExplainedSize({
      payloadBytes,
      backToBack: { ...backToBack, shares: [{ ...quota, ns }, typical] },
    });
  const sizes = [sizeWith(8, 2e6), sizeWith(64, 6e6), sizeWith(512, 4e6)];
  const record = testExplanation({ series: [{ ...series, sizes }] });
  const text = terminalText(explanationDocument({ record, next: null, whole: null }), {
    columns: 400,
    color: false,
  });
  assert.match(
    text,
    /up to 8\.0 times as long as a typical operation: running without the quota recovers up to 75 %,/,
  );
});

test('without stops there is one table, and rare long operations are said to be in no part', () => {
  const text = textOf(testExplainedSize({ p95Ns: 5e6 }));
  assert.match(text, /found: algorithm direct, not explained/);
  assert.match(text, /one operation in twenty takes 5\.00 ms or more, 5\.0 times this median/i);
  assert.doesNotMatch(text, /back to back/);
});

test('of several bounds the nearest one below the time is named, and all are listed', () => {
  const bounds = [
    { kind: 'link' as const, title: 'eth0 at 12.5 GB/s', ns: 0.55e6 },
    { kind: 'reference' as const, title: 'recorded run x', ns: 1.2e6 },
  ];
  const text = textOf(testExplainedSize({ bounds }));
  assert.match(text, /: 1\.00 ms, 82 % above the bound \(eth0 at 12\.5 GB\/s\); algorithm direct recovers/);
  assert.match(
    text,
    /\n *Bounds: recorded run x 1\.20 ms, eth0 at 12\.5 GB\/s 550 µs and two ranks alone 500 µs/,
  );
});

test('what takes longer than the time without the found cause is not called a bound', () => {
  const [cause] = testExplainedSize().shares;
  assert.ok(cause !== undefined);
  const shares = [cause, { ...typical, title: 'two ranks over the slow hop', ns: 0.99e6 }];
  const text = textOf(testExplainedSize({ shares }));
  assert.match(text, /: 1\.00 ms; algorithm direct recovers 500 µs/);
});

test('the rails of a host have a line each: the share of the bytes, and the time over it alone', () => {
  const [series] = testExplanation().series;
  assert.ok(series !== undefined);
  const alone = { id: 'rails', title: 'eth1 alone', experiment: '', ratio: 0.5, low: 0.45, high: 0.56 };
  const rails = [
    { host: 'a', name: 'eth0', share: 1, alone: null },
    { host: 'a', name: 'eth1', share: 0, alone },
  ];
  const record = testExplanation({ series: [{ ...series, rails }] });
  const text = terminalText(explanationDocument({ record, next: null, whole: null }), {
    columns: 400,
    color: false,
  });
  assert.match(text, /2 rails of a\neth0: 100 % of the bytes; not measured alone\n/);
  assert.match(text, /eth1: 0\.0 % of the bytes; alone 0\.50 times as long \(0\.45 to 0\.56\)/);
});

test('a cause has one line: a suspect says that it was not tried, and other causes share the line of their reason', () => {
  const [series] = testExplanation().series;
  assert.ok(series !== undefined);
  const suspicions = [{ id: 'loss', title: 'lost TCP segments', text: '81 segments were sent again' }];
  const untried = [
    { id: 'loss', title: 'samples without a retransmit', reason: 'no time', isAbsent: false },
    { id: 'protocol', title: 'protocol ll', reason: 'no time', isAbsent: false },
    { id: 'algorithm', title: 'algorithm direct', reason: 'no time', isAbsent: false },
    { id: 'threads', title: 'two threads', reason: 'needs more CPUs', isAbsent: false },
  ];
  const whole = 'collbench explain aaaa01 --budget 5m';
  const record = testExplanation({
    series: [{ ...series, sizes: [], suspicions, untried }],
    ended: 'budget',
  });
  const shown = (next: string | null) =>
    terminalText(explanationDocument({ record, next, whole }), { columns: 400, color: false });
  const text = shown(null);
  assert.match(text, /\nlost TCP segments: 81 segments were sent again; not tried: no time\n/);
  assert.match(
    text,
    /\nNot tried\nprotocol ll and algorithm direct: no time\ntwo threads: needs more CPUs\n/,
  );
  assert.match(text, /the time was too short\nNext: collbench explain aaaa01 --budget 5m\n/);
  // The command without a cause is more urgent.
  assert.match(
    shown('collbench allreduce --algo direct'),
    /to explain all sizes: collbench explain aaaa01 --budget 5m\n[\s\S]*\nNext: collbench allreduce --algo direct\n/i,
  );
});
