import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveCell, missingCell } from '../derive/cells/cell.ts';
import { type CellRecord, p2p, storedRow } from '../schema/index.ts';
import { testBlock } from '../testing/block.ts';
import { testPlan } from '../testing/plan.ts';
import { cellsToCsv } from './csv.ts';
import { cellsToNdjson } from './ndjson.ts';

const plan = testPlan();
const cells: CellRecord[] = [
  deriveCell(plan, 0, 0, [
    testBlock(new Array(20).fill(1024)),
    testBlock(new Array(20).fill(5120), { trial: 'pipelined', batch: 5 }),
  ]),
  missingCell(plan, 0, 1, 'failed', '=HYPERLINK("x"), "quoted"'),
];

test('CSV: one row per cell and trial kind, one for a cell without figures, units in the head', () => {
  const lines = cellsToCsv(cells).trimEnd().split('\n');
  assert.equal(lines.length, 4);
  const csvColumns = lines[0]?.split(',') ?? [];
  const value = (line: number, column: string) => lines[line]?.split(',')[csvColumns.indexOf(column)];
  assert.deepEqual([value(1, 'trial'), value(2, 'trial'), value(3, 'trial')], ['isolated', 'pipelined', '']);
  assert.deepEqual(
    [value(1, 'median_ns'), value(1, 'alg_gb_per_s'), value(1, 'medium')],
    ['1024', '1', 'emulated'],
  );
  assert.equal(value(2, 'batch'), '5');
  assert.equal(value(3, 'status'), 'failed');
});

test('CSV: columns of a collective have their names and places', () => {
  const [head] = cellsToCsv(cells).split('\n');
  assert.equal(
    head,
    [
      'id,status,trial,collective,dtype,op,root,in_place,requested_bytes,payload_bytes,count,ranks,nodes,group',
      'group_name,group_ranks,group_overlap,engine,transport,medium,detail,algorithm,samples,effective_samples',
      'launches,batch,median_ns,interval_low_ns,interval_high_ns,interval_scope,interval_basis,stopped_because',
      'interval_missing_because,min_ns,p5_ns,p95_ns,p99_ns,max_ns,late_share,alg_gb_per_s,bus_gb_per_s,bus_factor',
      'enqueue_ns,from_first_ns,skew_ns,sync,summary_over_ranks,checks,wrong_elements,evidence,evidence_reason,flags,reason',
    ].join(','),
  );
  assert.equal(cellsToCsv([]).trimEnd(), head);
});

test('CSV: another workload has columns of its own, in one file with others all of them', () => {
  const put = testPlan({
    workloads: [storedRow(p2p)],
    points: [{ workload: 'p2p', axes: { operation: 'put', direction: 'uni', window: 4, bytes: 1024 } }],
  });
  const own = [missingCell(put, 0, 0, 'failed', 'no'), deriveCell(put, 0, 0, [testBlock([2000, 2000])])];
  const [head = '', , row = ''] = cellsToCsv(own).split('\n');
  assert.match(head, /^id,status,trial,operation,direction,window,requested_bytes,payload_bytes,count,ranks/);
  assert.match(head, /,late_share,bandwidth_gb_per_s,message_per_s,sync/);
  assert.match(row, /,ok,isolated,put,uni,4,1024,1024,,2,/);
  const both = cellsToCsv([...cells, ...own]).split('\n')[0] ?? '';
  assert.match(both, /in_place,operation,direction,window,requested_bytes,payload_bytes,count/);
});

test('CSV: text that a spreadsheet would compute is escaped, quotes are doubled', () => {
  assert.ok(cellsToCsv(cells).includes(`"'=HYPERLINK(""x""), ""quoted"""`));
});

test('every column with a time or rate names its unit', () => {
  const head = cellsToCsv(cells).split('\n')[0] ?? '';
  for (const column of head.split(',').filter((name) => /median|_p\d|^p\d|low|high|min_|max_/.test(name))) {
    assert.match(column, /_ns$/);
  }
});

test('NDJSON: one cell per line, as stored', () => {
  const lines = cellsToNdjson(cells).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    cells,
  );
});
