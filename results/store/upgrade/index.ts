import { z } from 'zod';
import type { RunPlan } from '../../schema/plan.ts';
import { upgradeBaseline } from './baseline.ts';
import { upgradeCell } from './cell.ts';
import { upgradePlan } from './plan.ts';
import { upgradeSuite } from './suite.ts';

const runV1 = z.looseObject({ plan: z.looseObject({}), launches: z.array(z.unknown()) });
const baselineV1 = z.looseObject({ entries: z.array(z.looseObject({ cells: z.array(z.unknown()) })) });
const suiteV1 = z.looseObject({ entries: z.array(z.looseObject({ collective: z.string() })) });

/** Asked of every line of cells.ndjson: a schema would copy each of them. */
function isCellV1(raw: unknown): boolean {
  const { status, collective } = (raw ?? {}) as Record<string, unknown>;
  return typeof status === 'string' && typeof collective === 'string';
}

export interface UpgradeContext {
  /** Of the run that the cells are of, as the present version has it: what it asks for is part of their ids. */
  plan?: RunPlan;
}

/**
 * A record of schema version 1 as the present one has it: run.json, suite.json, baselines, lines of cells.ndjson. What is none of
 * them did not change. Nothing else knows version 1.
 */
export function upgradeV1(raw: unknown, { plan }: UpgradeContext = {}): unknown {
  if (isCellV1(raw)) return upgradeCell(raw, plan);
  const baseline = baselineV1.safeParse(raw);
  if (baseline.success) return upgradeBaseline(raw, upgradeRun);
  if (suiteV1.safeParse(raw).success) return upgradeSuite(raw);
  return upgradeRun(raw);
}

function upgradeRun(raw: unknown): unknown {
  const run = runV1.safeParse(raw);
  if (!run.success) return raw;
  return { ...run.data, schemaVersion: 3, plan: upgradePlan(run.data.plan) };
}
