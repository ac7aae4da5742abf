// What a site remembers between two calls, in site.json: the pages it wrote, and what was found between runs.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../results/files/json.ts';
import { readPlainText } from '../../results/files/plain.ts';
import { changesBetweenNights } from '../../results/history/index.ts';
import type { SettingChange } from '../../results/schema/index.ts';

export const keptName = 'site.json';

/** Bytes of site.json or of its first page. */
export const maxSiteBytes = 256 * 2 ** 20;

const kept = z.object({
  schemaVersion: z.literal(1),
  /** Digest of each page by its path below the site's folder. */
  pages: z.record(z.string(), z.string()),
  /** What changed between two runs, by their ids. */
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

/** @returns null where there is none, or none that can be read */
export async function readKept(dir: string): Promise<SiteState | null> {
  try {
    return kept.parse(parseJson(await readPlainText(join(dir, keptName), maxSiteBytes)));
  } catch {
    return null;
  }
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** changesBetweenNights() that asks two runs once. @param used takes what is asked for; the rest need not be kept */
export const cacheChanges =
  (old: SiteState, used: SiteState['changed']): typeof changesBetweenNights =>
  async (root, before, after) => {
    const key = `${before.runs.at(-1)?.id} ${after.runs[0]?.id}`;
    const found = used[key] ?? old.changed[key] ?? (await changesBetweenNights(root, before, after));
    used[key] = found;
    return found as SettingChange[];
  };
