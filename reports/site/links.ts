import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { NightRun } from '../../results/history/index.ts';

/** Address of a run's report from a page of the site; null where the run has none. */
export type ReportAddress = (run: Pick<NightRun, 'folder'>, up: string) => string | null;

const encoded = (parts: readonly string[]): string => parts.map(encodeURIComponent).join('/');

/**
 * Reports where they are: the way to them from the site's folder, or below an address where the run folders are published.
 * @param root that folders of runs are relative to
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
