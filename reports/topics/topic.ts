// A topic of a run's report: a document that its page, its Markdown and a terminal show.
import type { ChapterId } from '../chapter-ids.ts';
import type { DocumentBlock, DocumentForm } from '../document/blocks.ts';
import { chaptersOf, type ReportChapter } from '../report-chapters.ts';
import type { SeriesGroup } from '../series.ts';

/** A topic says its blocks either for the whole report or for series that share charts. Without blocks it is not shown. */
export interface ReportTopic {
  /** Unique id. On the page, links may lead to the part of a topic with a title. */
  id: string;
  /** Chapter of the page in which the topic stands, after the chapter's charts. */
  chapter: ChapterId;
  title?: string;
  /** Forms that show the topic; default: all. */
  only?: readonly DocumentForm[];
  ofReport?(groups: readonly SeriesGroup[]): DocumentBlock[];
  ofSeries?(chapter: ReportChapter): DocumentBlock[];
}

/** Returns the topics that an output form shows. */
export const topicsIn = (form: DocumentForm, topics: readonly ReportTopic[]): ReportTopic[] =>
  topics.filter(({ only }) => only === undefined || only.includes(form));

/** Returns the topics that an output form shows as one document, with a section for each topic that has a title. */
export function topicBlocks(
  form: DocumentForm,
  groups: readonly SeriesGroup[],
  topics: readonly ReportTopic[],
): DocumentBlock[] {
  const chapters = chaptersOf(groups);
  return topicsIn(form, topics).flatMap(({ title, ofReport, ofSeries }): DocumentBlock[] => {
    const body = [...(ofReport?.(groups) ?? []), ...chapters.flatMap((chapter) => ofSeries?.(chapter) ?? [])];
    return title === undefined || body.length === 0 ? body : [{ kind: 'section', title, body }];
  });
}
