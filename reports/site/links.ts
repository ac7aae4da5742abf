import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { NightRun } from '../../results/history/index.ts';

/**
 * Returns the URL of a run's report, or null if the run has no report. `up` leads from the page to the site's folder: "" or
 * "../".
 */
export type ReportAddress = (run: Pick<NightRun, 'folder'>, up: string) => string | null;

const encoded = (parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/**
 * Returns links to reports: paths relative to the site's folder, or URLs below the address of the published run folders.
 * @param root folder to which the run folders are relative
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
