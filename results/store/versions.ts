import { isFields } from '../collections.ts';
import { StoreError } from './errors.ts';

/** The schema version of runs, cells and baselines that this build writes and reads. */
export const schemaVersion = 3;
const metricsVersion = 1;

/**
 * Checks the schema version of a parsed record. A record may have none, as lines with samples (their version is in run.json).
 * @param path path of the record's file, for error messages
 * @throws StoreError newer: written by a newer collbench; broken: the value is not an object, or its version is not a whole number
 * >= 1
 */
export function requireVersion(path: string, raw: unknown): void {
  if (!isFields(raw)) {
    throw new StoreError(
      'broken',
      path,
      `${path} holds ${JSON.stringify(raw)?.slice(0, 60)} where a record is due`,
    );
  }
  const { schemaVersion: own, kind, schema } = raw;
  const version = kind === 'metrics' ? schema : own;
  if (version === undefined) return;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new StoreError(
      'broken',
      path,
      `${path}: schemaVersion is ${JSON.stringify(version)}, a whole number from 1 is due`,
    );
  }
  const newest = kind === 'metrics' ? metricsVersion : schemaVersion;
  if (version > newest) {
    throw new StoreError(
      'newer',
      path,
      `${path} is of schema version ${version}; this collbench reads up to ${newest}. Nothing was changed. Update collbench to read it.`,
    );
  }
}
