/** Cells for other programs; one file per format. */
export { cellsToCsv, csvColumns } from './csv.ts';
export { metricsColumns, metricsToCsv } from './metrics.ts';
export { cellsToNdjson } from './ndjson.ts';
