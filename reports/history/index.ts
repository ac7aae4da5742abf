/** Output of histories for a terminal and for --json. page.ts loads the chart library, so it is not exported here. */
export { listJson, trendJson } from './json.ts';
export { listText, trendText } from './text.ts';
