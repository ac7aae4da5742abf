import { stringify } from 'csv-stringify/sync';
import { alignMetrics, type MetricsSeries } from '../derive/metrics/load.ts';
import type { CellRecord } from '../schema/index.ts';

/**
 * Columns of metricsToCsv(), in order. `covered_ns`: part of the measuring time for which the channel was read. For counters, mean,
 * min and max are rates per second, and `growth` is the increase during the measurement; for others it is 0. With the unit `bits`,
 * `max` has all bits that were set.
 */
const metricsColumns = [
  'id',
  'host',
  'channel',
  'unit',
  'is_counter',
  'covered_ns',
  'mean',
  'min',
  'max',
  'growth',
] as const;

/**
 * Yields the system load of each host while each configuration was measured, as CSV: first the header line, then the rows of one
 * host at a time, each text with a line break at its end. A row is about one channel (a monitored quantity such as the CPU time of
 * a core) on one host while one configuration was measured. It has the mean, minimum, maximum and growth of this channel. Channels
 * without readings have no row.
 * @throws StoreError broken, newer if the readings of a host cannot be read; the iteration rejects
 */
export async function* metricsToCsv(
  cells: readonly CellRecord[],
  hosts: readonly MetricsSeries[],
): AsyncGenerator<string> {
  yield stringify([[...metricsColumns]]);
  for (const series of hosts) {
    const { header, alignment } = await alignMetrics(series, cells);
    const rows: (string | number)[][] = [];
    for (const [index, cell] of cells.entries()) {
      for (const [channel, { name, unit, cumulative }] of header.channels.entries()) {
        const stats = alignment.of(index, channel);
        if (stats === null) continue;
        const { coveredNs, mean, min, max, delta } = stats;
        const counts = cumulative ? 'yes' : 'no';
        rows.push([cell.id, header.host, name, unit, counts, coveredNs, mean, min, max, delta]);
      }
    }
    yield stringify(rows, { escape_formulas: true, cast: { number: (value) => String(value) } });
  }
}
