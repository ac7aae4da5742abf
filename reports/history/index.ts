/** Output of histories for terminal and --json. The page (page.ts) needs the charts, so it is not exported here. */
export { listJson, trendJson } from './json.ts';
export { listText, trendText } from './text.ts';
