import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { NightRun } from '../../results/history/nights.ts';

/**
 * A function that returns the URL of a run's report; null if the run has no report. `up` is the path from the page with the link to
 * the site's folder: "" or "../".
 */
export type ReportAddress = (run: Pick<NightRun, 'folder'>, up: string) => string | null;

const encoded = (parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/**
 * Returns a function that returns links to the reports of runs, and remembers them. Links are paths relative to the site's folder,
 * or URL/FOLDER/report.html if the run folders are published (FOLDER: last part of the folder's path).
 * @param root folder to which the paths of run folders are relative
 * @param dir the site's folder
 * @param url URL below which the run folders are published; null = not published
 */
export function reportLinks(root: string, dir: string, url: string | null): ReportAddress {
  const known = new Map<string, string | null>();
  return ({ folder }, up) => {
    let way = known.get(folder);
    if (way === undefined) {
      const file = join(root, folder, 'report.html');
      way = !existsSync(file)
        ? null
        : url === null
          ? encoded(relative(dir, file).split(sep))
          : `${url.replace(/\/+$/, '')}/${encoded([folder.split('/').at(-1) as string, 'report.html'])}`;
      known.set(folder, way);
    }
    return way === null || url !== null ? way : up + way;
  };
}
