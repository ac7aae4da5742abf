/** Cells for other programs; one file per format. */
export { cellsToCsv, entriesToCsv } from './csv.ts';
export { runToJunit, suiteToJunit } from './junit.ts';
export { runToMarkdown } from './markdown.ts';
export { metricsColumns, metricsToCsv } from './metrics.ts';
export { cellsToNdjson } from './ndjson.ts';
export { runToOpenMetrics } from './open-metrics.ts';
