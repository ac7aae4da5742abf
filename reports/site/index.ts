/** Static site about the history of runs, and its summary as a comment. */

export { siteComment } from './comment.ts';
export { boardOf } from './site-index.ts';
export { type SiteOptions, writeSite } from './write.ts';
