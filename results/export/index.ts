/** Cells for other programs; one file per format. */
export { cellsToCsv, csvColumns } from './csv.ts';
export { cellsToNdjson } from './ndjson.ts';
