import { StoreError } from './errors.ts';
import { type UpgradeContext, upgradeV1 } from './upgrade/index.ts';
import { upgradeV2 } from './upgrade/stencil-path.ts';

/** What this build writes. It reads this and every older one. */
export const schemaVersion = 3;
/** Of the files of metrics. */
const metricsVersion = 1;

/**
 * Brings a record of an older schema version to the present one: a step for each version. What version 3 changed is in no record
 * of version 1.
 * @throws StoreError newer: written by a newer collbench; broken: no version where one must be
 */
export function upgrade(path: string, raw: unknown, context: UpgradeContext = {}): unknown {
  const version = requireVersion(path, raw);
  if (version === null || (raw as { kind?: unknown }).kind === 'metrics') return raw;
  if (version === 1) return upgradeV1(raw, context);
  return version === 2 ? upgradeV2(raw) : raw;
}

/** The version of a record that this build can read; null where it carries none. @throws StoreError as `upgrade` */
export function requireVersion(path: string, raw: unknown): number | null {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new StoreError(
      'broken',
      path,
      `${path} holds ${JSON.stringify(raw)?.slice(0, 60)} where a record is due`,
    );
  }
  const { schemaVersion: own, kind, schema } = raw as Record<string, unknown>;
  const version = kind === 'metrics' ? schema : own;
  // Blocks carry no version of their own: run.json beside them does.
  if (version === undefined) return null;
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
  return version;
}
