/** Static site about the history of runs, and the same summary as a comment for pull requests. */

export { siteComment } from './comment.ts';
export { boardOf } from './site-index.ts';
export { type SiteOptions, writeSite } from './write.ts';
