// Files with pools of recorded launches: medians of every cell in many equal launches, in compact form.
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { timedTrialNames } from '../../../results/schema/index.ts';

/** Several sizes of one series, measured in the same launches. */
export const pooledSeries = z.strictObject({
  /**
   * Name of what was measured: the suite's entry, otherwise the title of the run. Series with the same name share their
   * launches.
   */
  measured: z.string(),
  title: z.string(),
  collective: z.string(),
  engine: z.string(),
  transport: z.string(),
  medium: z.string(),
  sizesBytes: z.array(z.int().min(0)).min(1),
  /** Trial by size: the one that comparisons use (results/compare/families.ts). */
  trials: z.array(z.enum(timedTrialNames)).min(1),
  /**
   * True if launches 2k and 2k + 1 are a pair that measured in turn; their times are then lower quartiles (results/gate/low-times).
   * Absent = each launch measured alone.
   */
  isPaired: z.literal(true).optional(),
  /** Launch medians in ns: [launch][size], launches in the order of measuring. */
  launchMediansNs: z.array(z.array(z.number().positive())).min(2),
});
export type PooledSeries = z.infer<typeof pooledSeries>;

export const launchPool = z
  .strictObject({
    schemaVersion: z.literal(1),
    machine: z.string(),
    command: z.string(),
    note: z.string(),
    series: z.array(pooledSeries).min(1),
  })
  .superRefine(({ series }, context) => {
    for (const [at, { sizesBytes, trials, launchMediansNs }] of series.entries()) {
      const whole = [trials, ...launchMediansNs].every((row) => row.length === sizesBytes.length);
      if (!whole) {
        context.addIssue({ code: 'custom', path: ['series', at], message: 'rows of unlike length' });
      }
    }
  });
export type LaunchPool = z.infer<typeof launchPool>;

/** @throws Error if the file cannot be read, or has another shape */
export async function readPool(file: string): Promise<LaunchPool> {
  return launchPool.parse(JSON.parse(gunzipSync(await readFile(file)).toString('utf8')));
}

export async function writePool(file: string, pool: LaunchPool): Promise<void> {
  await writeFile(file, gzipSync(JSON.stringify(launchPool.parse(pool)), { level: 9 }));
}
