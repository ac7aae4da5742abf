/** Series over the nights, told: on the screen, as JSON, as a page. */
export { listJson, trendJson } from './json.ts';
export { writeHistory } from './page.ts';
export { listText, trendText } from './text.ts';
export type { Explained, ToldTrend } from './words.ts';
