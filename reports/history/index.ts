/** Series over the nights, told: on the screen, as JSON. The page (page.ts) brings charts: who wants it loads it. */
export { listJson, trendJson } from './json.ts';
export { listText, trendText } from './text.ts';
