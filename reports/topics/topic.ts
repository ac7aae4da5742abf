// A topic of a run's report: a part that is written once as a document for HTML page, Markdown and terminal.
import type { ChapterId } from '../chapter-ids.ts';
import type { DocumentBlock, DocumentForm } from '../document/blocks.ts';
import { chaptersOf, type ReportChapter } from '../report-chapters.ts';
import type { SeriesGroup } from '../series.ts';

/**
 * A topic returns its content either for the whole report (`ofReport`) or for each chapter of series that share charts
 * (`ofSeries`). A topic without content is not shown.
 */
export interface ReportTopic {
  /** Unique id. On the page, links may lead to the part of a topic with a title. */
  id: string;
  /** Chapter of the HTML page that contains the topic, below the chapter's charts. */
  chapter: ChapterId;
  title?: string;
  /** Output forms that show the topic; default: all. */
  only?: readonly DocumentForm[];
  ofReport?(groups: readonly SeriesGroup[]): DocumentBlock[];
  ofSeries?(chapter: ReportChapter): DocumentBlock[];
}

/** Returns those topics that an output form (terminal, HTML page, Markdown) shows. */
export const topicsIn = (form: DocumentForm, topics: readonly ReportTopic[]): ReportTopic[] =>
  topics.filter(({ only }) => only === undefined || only.includes(form));

/** Returns the topics that an output form shows as one document, in which each topic with a title is a section. */
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
