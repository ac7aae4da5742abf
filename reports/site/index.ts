/** A static site over the history of runs, and what it says as a comment. */

export { siteComment } from './comment.ts';
export { boardOf } from './site-index.ts';
export { type SiteOptions, writeSite } from './write.ts';
