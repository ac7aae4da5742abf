// Worker thread that draws figures while the main thread makes the rest of a page. Started by reports/charts/drawings.ts, which
// sends the figures.
'use strict';

const { join } = require('node:path');
const { parentPort, workerData } = require('node:worker_threads');
const { load } = require('./app.cjs');

const { renderBoth } = load(join(__dirname, '../dist/app/drawing.cjs'), workerData.command);

/** Message that the main thread sends after the last figure; the worker thread then ends. */
const end = null;

parentPort.on('message', async (figure) => {
  if (figure === end) return parentPort.close();
  const { id, specs, names } = figure;
  try {
    parentPort.postMessage({ id, drawn: await renderBoth((size) => specs[size], names) });
  } catch (error) {
    parentPort.postMessage({ id, error });
  }
});
