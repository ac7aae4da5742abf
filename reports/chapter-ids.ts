/** Chapters of a report page, in their order. */
export const chapterIds = [
  'parts',
  'latency',
  'bandwidth',
  'all',
  'explanation',
  'crossover',
  'algorithms',
  'ranks',
  'distribution',
  'load',
  'evidence',
  'machine',
  'findings',
  'method',
  'reproduce',
] as const;
export type ChapterId = (typeof chapterIds)[number];
