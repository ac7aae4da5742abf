/** Output of histories for a terminal, for --json, and as a page. */
export { listText, trendText, writeHistory } from './document.ts';
export { listJson, trendJson } from './json.ts';
