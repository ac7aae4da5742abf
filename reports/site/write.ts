import { createHash } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { addTo } from '../../results/collections.ts';
import { innerFolder, makeFolder } from '../../results/files/folders.ts';
import { parseJson } from '../../results/files/json.ts';
import { readPlainText, type UnreadableFile } from '../../results/files/plain.ts';
import { replaceWhole } from '../../results/files/whole.ts';
import { changesBetweenNights } from '../../results/history/night-changes.ts';
import { refuse } from '../../results/refusals/refusal.ts';
import { changedSetting } from '../../results/schema/comparison.ts';
import type { RunIndex } from '../../results/store/run-index/open.ts';
import { drawnText, type UndrawnPage } from './chart.ts';
import { atomFeed, jsonFeed } from './feeds.ts';
import { reportLinks } from './links.ts';
import { indexPage } from './page.ts';
import { seriesPage } from './series-page.ts';
import { boardOf, type SiteIndex, type SiteIndexQuery, type SiteIndexRow } from './site-index.ts';

export interface SiteOptions extends SiteIndexQuery {
  title: string;
  /** URL at which the site is published; null = unknown, so feeds contain no URL of the site. */
  url: string | null;
  /** URL below which the run folders are published; null = links are relative paths to the local folders. */
  reportUrl: string | null;
  /** True to ignore the state stored by the last update and write every page again. */
  anew: boolean;
}

export interface SiteFiles {
  board: SiteIndex;
  /** Path of the index.html that was written. */
  index: string;
  /** Number of files that were written because they are new or changed; unchanged files are not written. */
  written: number;
  removed: number;
}

/**
 * Writes a site about the history of runs, or updates an existing one. Files are replaced whole, in this order: pages of series,
 * index.html and feeds, stored state. Unchanged files are left alone; pages of series that no longer exist are deleted.
 * @throws Refusal if the folder has an index.html of another program, or cannot be written
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
    for (const [path, page] of pages) {
      const isSame = old.pages[path] === digestOfPage(page) && (await isThere(join(target, path)));
      if (isSame) continue;
      await replaceWhole(join(target, path), await drawnText(page));
      written += 1;
    }
    const gone = Object.keys(known?.pages ?? {}).filter((path) => isPage(path) && !pages.has(path));
    for (const path of gone) await rm(join(target, path), { force: true });
    const digests = Object.fromEntries([...pages].map(([path, page]) => [path, digestOfPage(page)]));
    const kept: SiteState = { schemaVersion: 1, pages: digests, changed };
    await replaceWhole(join(target, keptName), `${JSON.stringify(kept, null, 1)}\n`);
    return { board, index: join(dir, 'index.html'), written, removed: gone.length };
  } catch (error) {
    throw refuse('site-unwritable', { dir, why: error instanceof Error ? error.message : String(error) });
  }
}

const digestOfPage = ({ text, charts }: UndrawnPage): string =>
  digestOf([text, ...charts.map((figure) => JSON.stringify(figure.spec('wide')))].join('\n'));

/** True if the path is that of a series' page. The update deletes only such files, even if site.json lists others. */
const isPage = (path: string): boolean => /^series\/\w[\w.-]*\.html$/.test(path);

/**
 * Resolves to true if the file exists and was not written by collbench, whose pages have a `generator` tag. Also true if the file
 * cannot be read, but false if it or its folder does not exist.
 * @param path path of an HTML file
 */
const isOfOthers = (path: string): Promise<boolean> =>
  readPlainText(path, maxSiteBytes).then(
    (text) => !text.includes('<meta name="generator" content="collbench">'),
    (error: UnreadableFile) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/**
 * Returns all files of the site that may have to be written, except site.json, by path relative to the site's folder, in the order
 * of writing.
 * @param root folder to which the paths of run folders are relative
 * @param dir the site's folder
 */
function pagesOf(
  board: SiteIndex,
  root: string,
  dir: string,
  { title, url, reportUrl }: SiteOptions,
): Map<string, UndrawnPage> {
  const linkOf = reportLinks(root, dir, reportUrl);
  const bySeries = new Map<string, SiteIndexRow[]>();
  for (const row of board.rows) addTo(bySeries, row.page, row);
  return new Map([
    ...[...bySeries].map(([path, rows]) => [path, seriesPage(rows, title, linkOf)] as const),
    ['index.html', withoutCharts(indexPage(board, title, linkOf))],
    ['feed.json', withoutCharts(jsonFeed(board, title, url))],
    ['atom.xml', withoutCharts(atomFeed(board, title, url))],
  ]);
}

const withoutCharts = (text: string): UndrawnPage => ({ text, charts: [] });

// State of a site between two updates, stored in site.json: digests of the pages, and which settings changed between runs.
const keptName = 'site.json';

/** Maximum size in bytes of site.json and of the site's index.html; longer files are not read. */
const maxSiteBytes = 256 * 2 ** 20;

const kept = z.object({
  schemaVersion: z.literal(1),
  /** Digest of each written page, by its path relative to the site's folder. Unchanged pages are not written again. */
  pages: z.record(z.string(), z.string()),
  /**
   * Settings that changed between two runs; the key consists of the ids of both runs. They are stored so that runs need not be
   * compared again.
   */
  changed: z.record(z.string(), z.array(changedSetting)),
});
type SiteState = z.infer<typeof kept>;

const emptySiteState = (): SiteState => ({ schemaVersion: 1, pages: {}, changed: {} });

/** Reads the site's stored state, site.json. @returns null if it is missing or cannot be read @param dir the site's folder */
async function readKept(dir: string): Promise<SiteState | null> {
  try {
    return kept.parse(parseJson(await readPlainText(join(dir, keptName), maxSiteBytes)));
  } catch {
    return null;
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns a function like changesBetweenNights(), which finds the recorded settings that differ between the runs of two nights,
 * but with a cache: settings of two runs are compared only once.
 * @param old state stored by the last update
 * @param used collects the results that were needed; only these have to be stored again
 */
const cacheChanges =
  (old: SiteState, used: SiteState['changed']): typeof changesBetweenNights =>
  async (root, before, after) => {
    const key = `${before.runs.at(-1)?.id} ${after.runs[0]?.id}`;
    const found = used[key] ?? old.changed[key] ?? (await changesBetweenNights(root, before, after));
    used[key] = found;
    return found;
  };
