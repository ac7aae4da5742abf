import type { z } from 'zod';
import { parseJson } from '../files/json.ts';
import { StoreError } from './errors.ts';
import { readLines } from './lines.ts';
import type { UpgradeContext } from './upgrade/index.ts';
import { schemaVersion, upgrade } from './versions.ts';

/** @throws StoreError broken, with the field and what is wrong with it */
export function check<T>(path: string, schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') || 'the whole';
  const text = `${path} is not valid (schema version ${schemaVersion}): ${at}: ${issue?.message}`;
  throw new StoreError('broken', path, text);
}

/**
 * Records of an NDJSON file. A last line that cannot be read was being written when the writer ended: told, left out.
 * @param isSure spares the schema records that are many and long
 */
export async function* records<T>(
  path: string,
  name: string,
  schema: z.ZodType<T>,
  warnings: string[],
  context: UpgradeContext = {},
  isSure: (raw: unknown) => raw is T = (_raw): _raw is T => false,
): AsyncGenerator<T> {
  let bad: { number: number; what: string } | null = null;
  for await (const line of readLines(path)) {
    // Only the last line may be torn; an unreadable one before it means that somebody changed the file.
    if (bad !== null) throw new StoreError('broken', path, `${path}, line ${bad.number}: ${bad.what}`);
    let raw: unknown;
    try {
      // Even where it can be read: whoever goes on writing cuts it off.
      if (!line.complete) throw new Error('its end is missing');
      raw = parseJson(line.text);
    } catch (error) {
      bad = { number: line.number, what: error instanceof Error ? error.message : String(error) };
      continue;
    }
    const record = upgrade(path, raw, context);
    yield isSure(record) ? record : check(`${path}, line ${line.number}`, schema, record);
  }
  if (bad !== null) {
    warnings.push(
      `The last line of ${name} (${bad.number}) is torn and was left out: the writer was stopped while writing it.`,
    );
  }
}
