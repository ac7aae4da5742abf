/** A static site over the history of runs, and what it says as a comment. */
export { boardOf } from './board.ts';
export { siteComment } from './comment.ts';
export { type SiteOptions, writeSite } from './write.ts';
