/** Export of cells to other programs; one file per format. */
export { cellsToCsv, entriesToCsv } from './csv.ts';
export { runToJunit, suiteToJunit } from './junit.ts';
export { metricsColumns, metricsToCsv } from './metrics.ts';
export { cellsToNdjson, entriesToNdjson } from './ndjson.ts';
export { runToOpenMetrics, suiteToOpenMetrics } from './open-metrics.ts';
