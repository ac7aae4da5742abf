import { lstat, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { addTo } from '../../results/add-to.ts';
import { innerFolder, makeFolder } from '../../results/files/folders.ts';
import { readPlainText, type UnreadableFile } from '../../results/files/plain.ts';
import { replaceWhole } from '../../results/files/whole.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import type { RunIndex } from '../../results/store/index.ts';
import { atomFeed, jsonFeed } from './feeds.ts';
import { reportLinks } from './links.ts';
import { indexPage } from './page.ts';
import { seriesPage } from './series-page.ts';
import { boardOf, type SiteIndex, type SiteIndexQuery, type SiteIndexRow } from './site-index.ts';
import {
  cacheChanges,
  digestOf,
  emptySiteState,
  keptName,
  maxSiteBytes,
  readKept,
  type SiteState,
} from './state.ts';

export interface SiteOptions extends SiteIndexQuery {
  title: string;
  /** Where the site is published; null = not known. */
  url: string | null;
  /** Where the run folders are published; null = they stay where they are. */
  reportUrl: string | null;
  /** Nothing of the site that is there is believed. */
  anew: boolean;
}

export interface SiteFiles {
  board: SiteIndex;
  /** Path of index.html. */
  index: string;
  /** Files that were not there or are not the same, and those that were taken away. */
  written: number;
  removed: number;
}

/**
 * Writes the site of a history, or brings the one that is there up to date. Each file appears whole or not at all: pages of
 * series, then the first page and the feeds, then what is remembered of it.
 * @throws Refusal the folder has an index.html of others, or cannot be written
 */
export async function writeSite(index: RunIndex, dir: string, options: SiteOptions): Promise<SiteFiles> {
  const target = resolve(dir);
  const known = await readKept(target);
  if (known === null && (await isOfOthers(join(target, 'index.html'))))
    throw refuse('site-of-others', { dir });
  const old = known === null || options.anew ? emptySiteState() : known;
  const changed: SiteState['changed'] = {};
  const board = await boardOf(index, options, cacheChanges(old, changed));
  const pages = pagesOf(board, index.root, target, options);
  try {
    await makeFolder(target);
    await innerFolder(target, 'series');
    let written = 0;
    for (const [path, text] of pages) {
      const isSame = old.pages[path] === digestOf(text) && (await isThere(join(target, path)));
      if (isSame) continue;
      await replaceWhole(join(target, path), text);
      written += 1;
    }
    const gone = Object.keys(known?.pages ?? {}).filter((path) => isPage(path) && !pages.has(path));
    for (const path of gone) await rm(join(target, path), { force: true });
    const digests = Object.fromEntries([...pages].map(([path, text]) => [path, digestOf(text)]));
    const kept: SiteState = { schemaVersion: 1, pages: digests, changed };
    await replaceWhole(join(target, keptName), `${JSON.stringify(kept, null, 1)}\n`);
    return { board, index: join(dir, 'index.html'), written, removed: gone.length };
  } catch (error) {
    throw refuse('site-unwritable', { dir, why: error instanceof Error ? error.message : String(error) });
  }
}

/** Nothing else is taken away, whatever site.json says. */
const isPage = (path: string): boolean => /^series\/\w[\w.-]*\.html$/.test(path);

/** A page that is there and that no site.json speaks for: ours says so. */
const isOfOthers = (path: string): Promise<boolean> =>
  readPlainText(path, maxSiteBytes).then(
    (text) => !text.includes('<meta name="generator" content="collbench">'),
    (error: UnreadableFile) => error.code !== 'ENOENT',
  );

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** By path from the site's folder, in the order in which they are written. */
function pagesOf(
  board: SiteIndex,
  root: string,
  dir: string,
  { title, url, reportUrl }: SiteOptions,
): Map<string, string> {
  const linkOf = reportLinks(root, dir, reportUrl);
  const bySeries = new Map<string, SiteIndexRow[]>();
  for (const row of board.rows) addTo(bySeries, row.page, row);
  return new Map([
    ...[...bySeries].map(([path, rows]) => [path, seriesPage(rows, title, linkOf)] as const),
    ['index.html', indexPage(board, title, linkOf)],
    ['feed.json', jsonFeed(board, title, url)],
    ['atom.xml', atomFeed(board, title, url)],
  ]);
}
