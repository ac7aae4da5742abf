import type { z } from 'zod';
import { parseJson } from '../files/json.ts';
import { StoreError } from './errors.ts';
import { readLines } from './lines.ts';
import { requireVersion, schemaVersion } from './versions.ts';

/**
 * Checks a parsed JSON value against a schema and returns it.
 * @param path file (and line) for messages
 * @throws StoreError newer: written by a later collbench; broken, with the field and what is wrong with it
 */
export function check<T>(path: string, schema: z.ZodType<T>, raw: unknown): T {
  requireVersion(path, raw);
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') || 'the whole';
  const text =
    at === 'schemaVersion'
      ? `${path} is of schema version ${(raw as { schemaVersion?: unknown }).schemaVersion}, from before the first release; this collbench does not read it. Measure it again.`
      : `${path} is not valid (schema version ${schemaVersion}): ${at}: ${issue?.message}`;
  throw new StoreError('broken', path, text);
}

/**
 * Yields the checked records of an NDJSON file; none if it does not exist. A last line that cannot be parsed or has no line break
 * was cut off when its writer ended, so it is left out with a warning.
 * @param name file name for messages
 * @param warnings receives the warning
 * @param isSure fast check for numerous long records; if it returns true, the schema is not applied
 * @throws StoreError broken: a line before the last cannot be parsed, or a record violates the schema; newer
 */
export async function* records<T>(
  path: string,
  name: string,
  schema: z.ZodType<T>,
  warnings: string[],
  isSure: (raw: unknown) => raw is T = (_raw): _raw is T => false,
): AsyncGenerator<T> {
  let bad: { number: number; what: string } | null = null;
  for await (const line of readLines(path)) {
    // Only the last line may be cut off. A line before it that cannot be parsed means that the file was changed.
    if (bad !== null) throw new StoreError('broken', path, `${path}, line ${bad.number}: ${bad.what}`);
    let raw: unknown;
    try {
      // An incomplete line is left out even if it can be parsed, because the next writer cuts it off.
      if (!line.complete) throw new Error('its end is missing');
      raw = parseJson(line.text);
    } catch (error) {
      bad = { number: line.number, what: error instanceof Error ? error.message : String(error) };
      continue;
    }
    if (!isSure(raw)) yield check(`${path}, line ${line.number}`, schema, raw);
    else {
      requireVersion(path, raw);
      yield raw;
    }
  }
  if (bad !== null) {
    warnings.push(
      `The last line of ${name} (${bad.number}) is torn and was left out: the writer was stopped while writing it.`,
    );
  }
}
