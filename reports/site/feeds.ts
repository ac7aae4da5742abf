// Feeds of changes and of nights with failures. Each change or night is one item, whose id stays the same while the history grows.
import { createHash } from 'node:crypto';
import { escapeXml } from '../../results/markup-text.ts';
import { siteChanges } from './changes.ts';
import type { SiteIndex } from './site-index.ts';
import { rowTitle } from './texts.ts';

export interface FeedItem {
  /** Unique id of the item, computed from the change: "urn:sha256:...". */
  id: string;
  /** Path of the page about the change, relative to the site's folder, with an anchor. */
  page: string;
  title: string;
  text: string;
  /**
   * Day in which a confirmed change was detected, first day of an unconfirmed one, or day of failed runs: "2026-11-21T00:00:00Z".
   * If nights are runs or commits, it is exact to the minute.
   */
  at: string;
}

const maxItems = 100;

/** Returns the items of the site's feeds, newest first, 100 at most. */
const feedItems = (board: SiteIndex): FeedItem[] =>
  siteChanges(board)
    .map(({ row, text, cause, key, night }): FeedItem => {
      const trend = row?.report.trend;
      return {
        id: idOf(...key),
        page: row === null ? 'index.html#changes' : `${row.page}#${row.anchor}`,
        title: trend === undefined ? text : `${trend.title}, ${trend.regime}: ${text}`,
        text: `${row === null ? '' : `${rowTitle(row)}: `}${text}. ${cause}`.trimEnd(),
        at: timeOf(night),
      };
    })
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
    .slice(0, maxItems);

/** Converts the key of a night, "2026-11-21" or "2026-11-21 18:02", to a time in ISO 8601. */
const timeOf = (night: string): string =>
  night.length > 10 ? `${night.replace(' ', 'T')}:00Z` : `${night}T00:00:00Z`;

const idOf = (...parts: string[]): string =>
  `urn:sha256:${createHash('sha256').update(parts.join('\n')).digest('hex')}`;

const below = (url: string | null, page: string): string | null =>
  url === null ? null : `${url.replace(/\/+$/, '')}/${page}`;

/** Returns the feed as JSON Feed 1.1. @param url URL of the published site; null = items without a URL */
export function jsonFeed(board: SiteIndex, title: string, url: string | null): string {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    ...(url === null ? {} : { home_page_url: below(url, 'index.html'), feed_url: below(url, 'feed.json') }),
    items: feedItems(board).map((item) => ({
      id: item.id,
      ...(url === null ? {} : { url: below(url, item.page) }),
      title: item.title,
      content_text: item.text,
      date_published: item.at,
    })),
  };
  return `${JSON.stringify(feed, null, 2)}\n`;
}

/**
 * Returns the feed as Atom (RFC 4287). It contains no time of creation, so that equal histories give equal bytes.
 * @param url URL of the published site; null = unknown
 */
export function atomFeed(board: SiteIndex, title: string, url: string | null): string {
  const items = feedItems(board);
  const entries = items.map(
    ({ id, page, title: name, text, at }) => `  <entry>
    <id>${id}</id>
    <title>${escapeXml(name)}</title>
    <updated>${at}</updated>
    <link href="${escapeXml(below(url, page) ?? page)}"/>
    <content type="text">${escapeXml(text)}</content>
  </entry>
`,
  );
  const self = below(url, 'atom.xml');
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${url === null ? idOf('site', title) : escapeXml(url)}</id>
  <title>${escapeXml(title)}</title>
  <updated>${board.newest === '' ? '1970-01-01T00:00:00Z' : board.newest}</updated>
  <author><name>collbench</name></author>
${self === null ? '' : `  <link rel="self" href="${escapeXml(self)}"/>\n`}${entries.join('')}</feed>
`;
}
