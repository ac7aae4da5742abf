import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suiteToJunit } from '../../results/export/junit.ts';
import type {
  GateChange,
  GateGroup,
  GateResult,
  SuiteFinding,
  SuiteRecord,
  SuiteRun,
} from '../../results/schema/index.ts';
import { suitePage } from '../html/suite.ts';
import { suiteFoot } from '../terminal/suite.ts';
import { gateMarkdown, gateText } from './gate.ts';

const change = (ratio: number): GateChange => ({
  ratio,
  lowRatio: ratio - 0.01,
  highRatio: ratio + 0.01,
  pValue: 0.0001,
  adjustedP: 0.001,
  launches: { reference: 5, tonight: 5 },
  detectable: 0.025,
});
const keyOf = (transport: string, medium = 'emulated'): string =>
  `collective;collective=allreduce;dtype=float32;op=sum;root=-;inPlace=out;ranks=2;nodes=1;engine=cpu;transport=${transport};medium=${medium}/large`;
const group = (parts: Partial<GateGroup> = {}): GateGroup => ({
  entry: 'large',
  title: 'allreduce float32 sum, cpu over socket, 2 ranks, from 4 MiB',
  verdict: 'same',
  change: change(1),
  confirmation: null,
  key: keyOf('socket', 'hardware'),
  xs: [2 ** 22, 2 ** 24],
  variance: 'launches',
  ...parts,
});
const result = (parts: Partial<GateResult> = {}): GateResult => ({
  schemaVersion: 2,
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

test('terminal: what is slower with ratio, interval and what would have been seen, and the verdict last', () => {
  assert.equal(
    gateText(result(), 100),
    `large: allreduce float32 sum, cpu over socket, 2 ranks, from 4 MiB
sizes           time                 verdict                                     detectable
4 MiB - 16 MiB  +5.0 % [+4.0, +6.0]  slower, seen again in a second measurement       2.5 %

no change detected in 1 size range; smallest detectable change 2.5 %

smallest detectable change                              from 4 MiB
large: allreduce float32 sum, cpu over socket, 2 ranks       2.5 %

In turns with the anchor.
REGRESSION: 1 of 2 groups slower.
`,
  );
  for (const line of gateText(result(), 60).split('\n')) assert.ok(line.length <= 60, line);
});

test('what else is not as it was stands below, with its entries where it is not all of them', () => {
  const changed = [
    {
      about: 'versions' as const,
      name: 'nccl',
      base: '2.28.9',
      other: '2.30.7',
      entries: ['large', 'small'],
    },
    { about: 'environment' as const, name: 'NCCL_ALGO', base: null, other: 'Ring', entries: ['small'] },
  ];
  const both = result({ changed, groups: [group(), group({ entry: 'small' })] });
  assert.match(
    gateText(both, 120),
    /\nOther differences\n.*\n {2}versions +nccl +2\.28\.9 +2\.30\.7 +all\n {2}environment +NCCL_ALGO +not set +Ring +small\n/,
  );
  assert.match(gateMarkdown(both), /\| NCCL&#95;ALGO \| not set \| Ring \| small \|/);
  const many = Array.from({ length: 14 }, (_, i) => ({ ...changed[0], name: `v${i}`, entries: ['large'] }));
  assert.match(
    gateText(result({ changed: many as typeof changed }), 120),
    /and 2 more settings \(suite\.json\)/,
  );
});

test('load that differs in many size ranges is one difference, with the range of cores on each side', () => {
  const load = (name: string, base: string, other: string, entry: string) => ({
    about: 'load' as const,
    ...{ name: `cores used by others, ${name}`, base, other, entries: [entry] },
  });
  const changed = [
    load('socket up to 32 KiB', '0.4', '1.0', 'small'),
    load('sisci up to 32 KiB', '0.5', '1.4', 'small'),
    load('socket from 4 MiB', '0.2', '0.9', 'large'),
    { about: 'versions' as const, name: 'nccl', base: '2.28.9', other: '2.30.7', entries: ['large'] },
  ];
  assert.match(
    gateText(result({ changed }), 120),
    / nccl +2\.28\.9 +2\.30\.7 .*\n.* cores used by others +0\.2 to 0\.5 +0\.9 to 1\.4 +all\n/,
  );
});

const overTransports = (detectable: number | null): GateGroup[] =>
  ['socket', 'sisci'].map((transport) =>
    group({
      entry: 'small/allreduce',
      key: keyOf(transport),
      title: `allreduce float32 sum, cpu over ${transport} (emulated), 2 ranks, from 4 MiB`,
      verdict: 'unclear',
      change: { ...change(1), detectable },
    }),
  );

test('series of one entry are told apart by the table of detectable changes, at every width', () => {
  const groups = overTransports(0.2);
  for (const width of [60, 80, 100, 140]) {
    const text = gateText(result({ groups }), width);
    const table = text.slice(text.lastIndexOf('from 4 MiB\n'));
    const rows = [...table.matchAll(/^small\/([\s\S]*?)\s20 %$/gm)].map(([row]) =>
      row.replaceAll(/\s+/g, ' '),
    );
    assert.equal(new Set(rows).size, groups.length, `${width}: ${rows.join('\n')}`);
    for (const line of text.split('\n')) assert.ok(line.length <= width, line);
  }
});

test('where no change can be detected there is one line in place of the table', () => {
  const text = gateText(result({ groups: overTransports(null) }), 80);
  assert.match(text, /\nsmallest detectable change: none in any size range\n/);
  assert.doesNotMatch(text, /<= 32 KiB/);
});

test('the page shows which series changed beside the time, in columns that wrap', () => {
  const page = String(suitePage(suiteOf('nightly', result(), []), () => false));
  assert.match(
    page,
    /<b>large: allreduce float32 sum[\s\S]*<td class="w">slower[\s\S]*<td class="t">\+5\.0 %/,
  );
  const none = result({ verdict: 'no-verdict', exitCode: 5, groups: overTransports(null) });
  const open = String(suitePage(suiteOf('nightly', none, []), () => false));
  assert.match(open, /<p>Smallest detectable change: none in any size range\.<\/p>/);
});

test('what the headline says is not said again below it', () => {
  const busy = 'machine busy (other processes used 0.4, then 0.9 cores)';
  const groups = [...overTransports(null), ...overTransports(null)].map((one) => ({
    ...one,
    doubt: 'busy' as const,
    reason: busy,
  }));
  const sentence = `NO VERDICT in 4 of 4 size ranges (0.0 % time): ${busy}.`;
  const text = gateText(result({ verdict: 'no-verdict', exitCode: 5, sentence, groups }), 200);
  assert.equal(text.match(/machine busy/g)?.length, 1);
  assert.match(text, /^size ranges without a verdict \(--all lists them\)\n/);
});

test('what was slower once only stands with both figures', () => {
  const once = group({ verdict: 'transient', change: change(1.08), confirmation: change(0.99) });
  assert.match(
    gateText(result({ verdict: 'pass', exitCode: 0, groups: [once] }), 120),
    / -1\.0 % \[-2\.0, 0\.0\] +slower at first \(\+8\.0 %\), not when measured again/,
  );
});

test('many size ranges without a verdict are one line with the reasons; --all lists them', () => {
  const noisy = (i: number) =>
    group({
      key: keyOf(`transport${i}`),
      title: `series ${i}`,
      verdict: 'unclear',
      change: { ...change(1), detectable: 0.2 },
    });
  const few = {
    ...noisy(9),
    change: { ...change(1), detectable: null },
    doubt: 'busy' as const,
    reason: 'machine busy (other processes used 0.4, then 0.9 cores)',
  };
  const many = result({
    verdict: 'no-verdict',
    exitCode: 5,
    groups: [...[0, 1, 2, 3].map(noisy), few, group()],
  });
  const text = gateText(many, 200);
  assert.match(
    text,
    /^no verdict in 5 of 6 size ranges \(0\.0 % time\): 4 × too noisy, only changes above 20 % would be detected \(the gate must detect 10 %\); 1 × machine busy \(other processes used 0\.4, then 0\.9 cores\)/,
  );
  assert.doesNotMatch(text, /\] +no verdict/);
  assert.equal(gateText(many, 200, true).match(/\] +no verdict/g)?.length, 5);
  const details = /<details><summary>no verdict in 5 of 6 size ranges/;
  assert.match(gateMarkdown(many), details);
  assert.match(
    suitePage(suiteOf('nightly', many, []), () => false),
    details,
  );
  const three = result({ groups: [0, 1, 2].map(noisy) });
  assert.equal(gateText(three, 200).match(/\] +no verdict/g)?.length, 3);
});

test('flags are counted once at the end of a suite, by the gate if there is one', () => {
  const found: SuiteFinding = {
    ...{ verdict: 'works', cells: { expected: 3, measured: 3 }, checks: 30, wrongElements: 0 },
    ...{ transports: [], flagged: 2, flags: { 'cpu-busy': 2 }, problems: [], series: [] },
  };
  for (const gate of [null, result({ flags: { 'cpu-busy': 2 } })]) {
    const record = { ...suiteOf('nightly', gate, []), found };
    const shown = `${suiteFoot(record, 'report.html', 200)}${gate === null ? '' : gateText(gate, 200)}`;
    assert.equal(shown.match(/\bflagged\b/g)?.length, 1, shown);
    assert.equal(suitePage(record, () => false).match(/\bflagged\b/g)?.length, 1);
  }
});

const hostile = '<img src=x onerror=alert(1)> | [a](javascript:b) `c` @all\n# d';

const suiteOf = (name: string, gate: GateResult | null, runs: SuiteRun[]): SuiteRecord => ({
  schemaVersion: 2,
  id: 'abcdef',
  name,
  title: name,
  command: ['collbench', name],
  files: [{ name, sha256: 'x' }],
  startedAt: '2026-11-21T01:00:00.000Z',
  endedAt: null,
  state: 'complete',
  exitCode: 4,
  entries: [
    {
      name,
      command: 'allreduce',
      words: [],
      environment: {},
      optional: false,
      status: 'failed',
      reason: name,
      leftOut: [{ transport: name, reason: name }],
      cells: { expected: 2, measured: 1 },
      runs,
    },
  ],
  gate,
});

test('text of machines stays text in Markdown and in the page', () => {
  const bad = result({
    failures: [{ kind: 'not-run', entry: hostile, cell: null, sentence: hostile }],
    groups: [group({ verdict: 'slower', entry: hostile, title: hostile })],
    sentence: hostile,
  });
  const markdown = gateMarkdown(bad);
  assert.doesNotMatch(markdown, /(?<!\\)[<>`@]|(?<!\\)\[a\]|^# d/m);
  assert.equal(markdown.split('\n').filter((line) => line.startsWith('| ')).length, 2);
  assert.doesNotMatch(gateMarkdown(result({ sentence: 'see https://x.org, www.x.org' })), /:\/\/|www\./);
  const run = {
    id: 'aaaaaa',
    folder: '../a run"<b>',
    exitCode: 2,
    arm: 'tonight',
    pass: 'first',
    turn: 0,
  } as const;
  const page = suitePage(suiteOf(hostile, bad, [run]), () => true);
  assert.doesNotMatch(page, /<img|<b>"|href="\.\.\/a run"/);
  assert.match(page, /href="\.\.\/a%20run%22%3Cb%3E\/report\.html"/);
  assert.match(page, /Content-Security-Policy/);
});

test('the page of a suite names runs by what they were for, and links those that have a report', () => {
  const place = [
    ['aaaaaa', 'tonight', 'first'],
    ['bbbbbb', 'anchor', 'first'],
    ['cccccc', 'tonight', 'first'],
    ['dddddd', 'tonight', 'again'],
  ] as const;
  const runs = place.map(([id, arm, pass], turn) => ({
    id,
    arm,
    pass,
    turn,
    folder: `../${id}`,
    exitCode: 0,
  }));
  const page = suitePage(suiteOf('paced', null, runs), ({ id }) => id !== 'bbbbbb');
  const link = (id: string) => `<a href="../${id}/report.html">${id}</a>`;
  assert.ok(
    page.includes(
      `tonight ${link('aaaaaa')} ${link('cccccc')} · anchor bbbbbb · tonight again ${link('dddddd')}<`,
    ),
    page,
  );
});

test('pairs of launches: number, evidence and the margin in reach, on the terminal and in JUnit', () => {
  const sequence = {
    ...{ maxPairs: 30, scatter: 0.031, furtherPairs: 12, reachableMargin: 0.08 },
    looks: [
      { ratio: 1.02, slower: 1.9, faster: 0.1, same: 1.2 },
      { ratio: 1.01, slower: 2.31, faster: 0.0004, same: 4.56 },
    ],
  };
  const open = group({ verdict: 'unclear', doubt: 'scatter', reason: 'not decided after 2 pairs', sequence });
  const gate = result({ verdict: 'no-verdict', exitCode: 5, groups: [open] });
  const text = gateText(gate, 100);
  assert.match(text, /pairs +scatter +slower +faster +same +margin +more\n/);
  assert.match(text, / 2 +3\.1 % +2\.3 +<0\.001 +4\.6 +8\.0 % +12\n/);
  assert.doesNotMatch(text, /smallest detectable change/);
  const junit = suiteToJunit(suiteOf('nightly', gate, []));
  assert.match(
    junit,
    /2 of at most 30 pairs of launches; e-values: slower 2\.3, faster &lt;0\.001, same 4\.6; &quot;same&quot; within 8\.0 % is in reach/,
  );
});
