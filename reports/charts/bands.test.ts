import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sisciPlan, socketPlan, syntheticRun, withFigures } from '../fixtures/synthetic.ts';
import { groupsOf } from '../series.ts';
import { bandRows } from './bands.ts';
import type { ChartRow } from './chart.ts';
import { chartsOf } from './index.ts';

const fields = { low: 'low', high: 'high', stretch: 'stretch' };
/** Returns the rows of one line; false = row without an interval. */
const line = (stretch: string, has: readonly boolean[]): ChartRow[] =>
  has.map((one, x) => ({ stretch, x, low: one ? 1 : null, high: one ? 2 : null }));

test('for any pattern of intervals, a band joins neighbours alone, and what is in no area is a whisker', () => {
  for (let bits = 0; bits < 2 ** 8; bits += 1) {
    const has = Array.from({ length: 8 }, (_, i) => (bits & (1 << i)) !== 0);
    const { rows, lone } = bandRows([...line('a', has), ...line('b', has.toReversed())], fields);
    for (const stretch of ['a', 'b']) {
      const mine = rows.filter((row) => row.stretch === stretch);
      for (const [i, row] of mine.entries()) {
        assert.equal(row.band === null, row.low === null);
        const next = mine[i + 1];
        if (next !== undefined && row.band !== null)
          assert.equal(next.band === row.band, next.low !== null, `${has} at ${i}`);
      }
      for (const row of mine.filter(({ band }) => band !== null)) {
        const isAlone = mine.filter(({ band }) => band === row.band).length === 1;
        assert.equal(lone.includes(row), isAlone);
      }
    }
    const bandsOf = (stretch: string) =>
      rows.flatMap((row) => (row.stretch === stretch ? (row.band ?? []) : []));
    assert.ok(bandsOf('a').every((band) => !bandsOf('b').includes(band)));
  }
});

for (const id of ['busbw', 'time', 'ratio'])
  test(`${id}: no band is drawn across a size without an interval`, () => {
    const run = syntheticRun({ transports: [socketPlan, sisciPlan], minBytes: 1024, maxBytes: 16384 });
    run.cells = run.cells.map((cell) =>
      cell.status === 'ok' && Number(cell.axes.bytes) === 4096
        ? withFigures(cell, (one) => ({ ...one, interval: null, intervalReason: 'launches differ' }))
        : cell,
    );
    const [group] = groupsOf([run]);
    assert.ok(group !== undefined);
    const spec = chartsOf(group.row)
      .find((one) => one.id === id)
      ?.draw(group)
      ?.spec('wide') as {
      data: { values: ChartRow[] };
      layer: { mark: { type: string }; encoding: object }[];
    };
    const area = spec.layer.find(({ mark }) => mark.type === 'area');
    assert.match(JSON.stringify(area?.encoding), /"detail":\{"field":"band"\}/);
    const at = (bytes: number) => spec.data.values.filter((row) => row.payloadBytes === bytes);
    assert.ok(at(4096).length > 0 && at(4096).every(({ band }) => band === null));
    for (const [i, before] of at(2048).entries()) assert.notEqual(before.band, at(8192)[i]?.band);
  });
