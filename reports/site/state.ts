// State of a site between two calls, in site.json: digests of the pages, and changes found between runs.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../results/files/json.ts';
import { readPlainText } from '../../results/files/plain.ts';
import { changesBetweenNights } from '../../results/history/night-changes.ts';
import type { SettingChange } from '../../results/schema/index.ts';

export const keptName = 'site.json';

/** Maximum size in bytes of site.json and of the site's index.html; longer files are not read. */
export const maxSiteBytes = 256 * 2 ** 20;

const kept = z.object({
  schemaVersion: z.literal(1),
  /** Digest of each written page, by its path relative to the site's folder. Unchanged pages are not written again. */
  pages: z.record(z.string(), z.string()),
  /** Settings that changed between two runs; the key consists of both run ids. Stored so that runs need not be compared again. */
  changed: z.record(
    z.string(),
    z.array(
      z.object({
        about: z.string(),
        name: z.string(),
        base: z.string().nullable(),
        other: z.string().nullable(),
      }),
    ),
  ),
});
export type SiteState = z.infer<typeof kept>;

export const emptySiteState = (): SiteState => ({ schemaVersion: 1, pages: {}, changed: {} });

/** Reads the site's stored state, site.json. @returns null if it is missing or cannot be read @param dir the site's folder */
export async function readKept(dir: string): Promise<SiteState | null> {
  try {
    return kept.parse(parseJson(await readPlainText(join(dir, keptName), maxSiteBytes)));
  } catch {
    return null;
  }
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Returns a function like changesBetweenNights(), which finds the recorded settings that differ between the runs of two nights,
 * but with a cache: settings of two runs are compared only once.
 * @param old state stored by the last update
 * @param used collects the results that were needed; only these have to be stored again
 */
export const cacheChanges =
  (old: SiteState, used: SiteState['changed']): typeof changesBetweenNights =>
  async (root, before, after) => {
    const key = `${before.runs.at(-1)?.id} ${after.runs[0]?.id}`;
    const found = used[key] ?? old.changed[key] ?? (await changesBetweenNights(root, before, after));
    used[key] = found;
    return found as SettingChange[];
  };
