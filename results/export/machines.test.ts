import assert from 'node:assert/strict';
import { test } from 'node:test';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { parquetReadObjects } from 'hyparquet';
import { missingCell } from '../derive/cells/cell.ts';
import { type CellRecord, measuredOf, type SuiteRecord } from '../schema/index.ts';
import { testPlan } from '../testing/plan.ts';
import { syntheticRecord } from '../testing/run.ts';
import { cellsToCsv } from './csv.ts';
import { runToJunit, suiteToJunit } from './junit.ts';
import { runToOpenMetrics, suiteToOpenMetrics } from './open-metrics.ts';
import { cellsToParquet } from './parquet.ts';

const hostile = 'a]]>b\u0000\u001b[31m"\'<x>&amp;|\\\nline\r\ud800 `$(id)` é日本';
const { record: plain, cells: made } = syntheticRecord({ sizes: [8, 65536], launches: 4 });
const record = {
  ...plain,
  title: hostile,
  state: 'complete' as const,
  endedAt: '2026-11-21T01:10:00.500Z',
  exitCode: 3,
};
const [first, second] = made;
assert.ok(first?.status === 'ok' && second?.status === 'ok');
const wrong: CellRecord = {
  ...second,
  verification: { ...second.verification, enabled: true, wrongElements: 7, comparedElements: 9 },
};
const hostileCell = { ...missingCell(testPlan(), 0, 1, 'failed', hostile), transport: hostile };
const cells: CellRecord[] = [
  first,
  wrong,
  hostileCell,
  missingCell(testPlan(), 1, 1, 'skipped', 'too small'),
];

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => name === 'testcase',
});
type JunitTestCase = Record<string, string & { type?: string; message?: string }>;
function casesOf(xml: string): { suite: Record<string, string>; cases: JunitTestCase[] } {
  assert.equal(XMLValidator.validate(xml), true);
  const { testsuite } = parser.parse(xml).testsuites;
  return { suite: testsuite, cases: testsuite.testcase };
}

test('JUnit: well-formed whatever names are; cells as cases, wrong data fails, what did not run is an error', () => {
  const { suite, cases } = casesOf(runToJunit(record, cells));
  assert.deepEqual(
    [suite.tests, suite.failures, suite.errors, suite.skipped, suite.time],
    ['4', '1', '1', '1', '600.500'],
  );
  assert.deepEqual(
    cases.map((one) => [one.name, one.failure?.type ?? one.error?.type ?? (one.skipped && 'skipped')]),
    [
      ['8 B', undefined],
      ['64 KiB', 'wrong-data'],
      ['1 KiB', 'failed'],
      ['1 MiB', 'skipped'],
    ],
  );
  assert.match(String(cases[0]?.['system-out']), /^isolated 10 µs \[/);
});

test('JUnit of a suite: slower fails, what looks much slower is an error, no verdict is skipped', () => {
  const change = {
    ...{ ratio: 1.052, lowRatio: 1.041, highRatio: 1.063, pValue: 1e-6, adjustedP: 1e-5 },
    ...{ launches: { reference: 5, tonight: 5 }, detectable: 0.02 },
  };
  const group = (verdict: 'same' | 'slower' | 'unclear' | 'unconfirmed') => ({
    ...{ entry: 'small', title: `${verdict} ${hostile}`, verdict, change, confirmation: null },
    ...{ key: verdict, xs: [8], variance: 'launches' as const },
  });
  const suite: SuiteRecord = {
    ...{ schemaVersion: 2, id: 'aaaaaa', name: 'nightly', title: hostile, command: [], files: [] },
    ...{ startedAt: '2026-11-21T01:00:00.000Z', endedAt: null, state: 'complete', exitCode: 4, entries: [] },
    gate: {
      ...{ schemaVersion: 2, suite: { id: 'aaaaaa', name: 'nightly' }, verdict: 'regression', exitCode: 4 },
      ...{ sentence: 'slower', advice: [], reference: null, mustDetect: 0.1, cells: [], flags: {} },
      groups: [group('same'), group('slower'), group('unclear'), group('unconfirmed')],
      failures: [{ kind: 'missing', entry: 'small', cell: null, sentence: hostile }],
    },
  };
  const { suite: told, cases } = casesOf(suiteToJunit(suite));
  assert.deepEqual([told.tests, told.failures, told.errors, told.skipped], ['6', '2', '2', '1']);
  assert.equal(cases[2]?.failure?.message, 'slower: +5.2 % [+4.1, +6.3] time, 5 launches');
  assert.match(cases[3]?.skipped?.message ?? '', /^no verdict: \+5\.2 % .* too noisy/);
  assert.match(cases[4]?.error?.message ?? '', /^5\.2 % slower, not confirmed/);
  assert.equal(casesOf(suiteToJunit({ ...suite, gate: null })).suite.tests, '0');
});

test('JUnit of a suite without a gate: what was left out is an error, as it is for the exit code', () => {
  const entry = (optional: boolean) => ({
    ...{ name: `${optional}`, command: 'allreduce', words: [], environment: {}, optional },
    ...{ status: 'measured' as const, reason: null, cells: { expected: 1, measured: 1 }, runs: [] },
    leftOut: [{ transport: 'ib', reason: 'no device' }],
  });
  const suite: SuiteRecord = {
    ...{ schemaVersion: 2, id: 'aaaaaa', name: 'nightly', title: 'nightly', command: [], files: [] },
    ...{ startedAt: '2026-11-21T01:00:00.000Z', endedAt: null, state: 'failed', exitCode: 2, gate: null },
    entries: [entry(false), entry(true)],
  };
  const { suite: told, cases } = casesOf(suiteToJunit(suite));
  assert.deepEqual([told.tests, told.failures, told.errors], ['2', '0', '1']);
  assert.equal(cases[0]?.error?.message, 'without ib: no device');
});

const suiteRecord: SuiteRecord = {
  ...{ schemaVersion: 2, id: 'aaaaaa', name: 'nightly', title: 'nightly', command: [], files: [] },
  ...{ startedAt: '2026-11-21T01:00:00.000Z', endedAt: '2026-11-21T02:00:00.000Z', state: 'complete' },
  ...{ exitCode: 3, gate: null, entries: [] },
};
const entries = new Map([
  ['small', { cells }],
  ['small/ranks=4', { cells }],
]);
const openMetricsTexts = {
  'of a run': runToOpenMetrics(record, cells),
  'of a suite': suiteToOpenMetrics(suiteRecord, entries),
};

test('OpenMetrics of a suite has each configuration of each entry once, and no series twice', () => {
  const lines = openMetricsTexts['of a suite'].split('\n').filter((line) => /^collbench/.test(line));
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  assert.equal(new Set(series).size, series.length);
  for (const entry of entries.keys())
    assert.equal(
      lines.filter((line) => line.startsWith(`collbench_cell_measured{suite="nightly",entry="${entry}",`))
        .length,
      cells.filter(({ status }) => status !== 'skipped').length,
    );
  assert.ok(lines.includes('collbench_suite_exit_code{suite="nightly",id="aaaaaa",state="complete"} 3'));
});

for (const [what, text] of Object.entries(openMetricsTexts))
  test(`OpenMetrics ${what}: families once, units in names, labels escaped, an end`, () => {
    assert.ok(text.endsWith('\n# EOF\n'));
    const families = new Set<string>();
    let family = '';
    for (const line of text.trimEnd().split('\n')) {
      const [, kind, name = '', rest = ''] = /^# (TYPE|UNIT|HELP) (\S+) (.*)$/.exec(line) ?? [];
      if (kind === 'TYPE') {
        assert.ok(!families.has(name), `${name} twice`);
        families.add(name);
        family = name;
        assert.equal(rest, 'gauge');
      } else if (kind === 'UNIT') assert.ok(name.endsWith(`_${rest}`));
      else if (kind === undefined && line !== '# EOF') {
        const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
        assert.match(line, new RegExp(`^${family}\\{${label}(?:,${label})*\\} -?\\d[\\d.e+-]*$`));
      }
    }
    assert.match(
      text,
      /collbench_time_seconds\{.*collective="allreduce".*bytes="8".*trial="isolated"\} 0\.00001/,
    );
    assert.match(text, /collbench_(?:run|suite)_exit_code\{.*\} 3\n/);
  });

test('Parquet: read back by another program, rows as in the CSV, numbers', async () => {
  const bytes = cellsToParquet(record, cells);
  const rows = await parquetReadObjects({ file: bytes.slice().buffer });
  assert.equal(rows.length, 6);
  const columns = cellsToCsv(cells).split('\n')[0]?.split(',') ?? [];
  assert.deepEqual(Object.keys(rows[0] ?? {}), ['run_id', 'started_at', 'state', 'title', ...columns]);
  const [row] = rows;
  assert.deepEqual(
    [row?.run_id, row?.payload_bytes, row?.in_place, row?.median_ns, row?.p99_ns],
    [record.id, 8n, false, measuredOf(first, 'latency')?.value, null],
  );
  assert.deepEqual(row?.started_at, new Date(record.startedAt));
  assert.equal(rows[4]?.median_ns, null);
  assert.deepEqual(await parquetReadObjects({ file: cellsToParquet(record, []).slice().buffer }), []);
});
