import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateChange, GateGroup, GateResult, SuiteRecord } from '../results/schema/index.ts';
import { gateMarkdown, gateText } from './gate.ts';
import { suitePage } from './html/suite.ts';

const change = (ratio: number): GateChange => ({
  ratio,
  lowRatio: ratio - 0.01,
  highRatio: ratio + 0.01,
  pValue: 0.0001,
  adjustedP: 0.001,
  launches: { reference: 5, tonight: 5 },
  detectable: 0.025,
});
const group = (parts: Partial<GateGroup> = {}): GateGroup => ({
  entry: 'large',
  title: 'allreduce float32 sum, cpu over socket, 2 ranks, from 4 MiB',
  verdict: 'same',
  change: change(1),
  confirmation: null,
  key: 'a/large',
  sizes: [2 ** 22, 2 ** 24],
  variance: 'launches',
  ...parts,
});
const result = (parts: Partial<GateResult> = {}): GateResult => ({
  schemaVersion: 1,
  suite: { id: 'abcdef', name: 'nightly' },
  verdict: 'regression',
  exitCode: 4,
  sentence: 'REGRESSION: 1 of 2 groups slower.',
  advice: [],
  reference: { kind: 'anchor', name: 'anchor', method: 'In turns with the anchor.' },
  mustDetect: 0.1,
  groups: [group({ verdict: 'slower', change: change(1.06), confirmation: change(1.05) }), group()],
  cells: [],
  failures: [],
  flags: {},
  ...parts,
});

test('the verdict stands first, then what is slower with ratio, interval and what would have been seen', () => {
  assert.equal(
    gateText(result(), 100),
    `REGRESSION: 1 of 2 groups slower.
In turns with the anchor.

large: allreduce float32 sum, cpu over socket, 2 ranks, from 4 MiB
  4 MiB - 16 MiB: +5.0 % [+4.0, +6.0] time, slower, confirmed by a second measurement (sees 2.5 %)

no change seen in 1 group; a change of 2.5 % would have been seen
`,
  );
  for (const line of gateText(result(), 60).split('\n')) assert.ok(line.length <= 60, line);
});

const hostile = '<img src=x onerror=alert(1)> | [a](javascript:b) `c` @all\n# d';

test('text of machines stays text in Markdown and in the page', () => {
  const bad = result({
    failures: [{ kind: 'not-run', entry: hostile, cell: null, sentence: hostile }],
    groups: [group({ verdict: 'slower', entry: hostile, title: hostile })],
    sentence: hostile,
  });
  const markdown = gateMarkdown(bad);
  assert.doesNotMatch(markdown, /(?<!\\)[<>`@]|(?<!\\)\[a\]|^# d/m);
  assert.equal(markdown.split('\n').filter((line) => line.startsWith('| ')).length, 2);
  const record: SuiteRecord = {
    schemaVersion: 1,
    id: 'abcdef',
    name: hostile,
    title: hostile,
    command: ['collbench', hostile],
    files: [{ name: hostile, sha256: 'x' }],
    startedAt: '2026-11-21T01:00:00.000Z',
    endedAt: null,
    state: 'complete',
    exitCode: 4,
    entries: [
      {
        name: hostile,
        collective: 'allreduce',
        words: [],
        environment: {},
        optional: false,
        status: 'failed',
        reason: hostile,
        leftOut: [{ transport: hostile, reason: hostile }],
        cells: { expected: 2, measured: 1 },
        runs: [{ id: 'aaaaaa', folder: '../a run"<b>', exitCode: 2, arm: 'tonight', pass: 'first', turn: 0 }],
      },
    ],
    gate: bad,
  };
  const page = suitePage(record);
  assert.doesNotMatch(page, /<img|<b>"|href="\.\.\/a run"/);
  assert.match(page, /href="\.\.\/a%20run%22%3Cb%3E\/report\.html"/);
  assert.match(page, /Content-Security-Policy/);
});
