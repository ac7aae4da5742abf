import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RunPlan, RunRecord } from '../results/schema/index.ts';
import { packageRoot } from './native.ts';

/** Variables that change what is measured; others may hold secrets and are not recorded. */
const recorded = /^(NCCL|NVSHMEM|UCX|OMPI|SOFTNTB|COLLBENCH)_/;

export function version(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const several = (items: readonly string[], what: string) =>
  items.length <= 2 ? items.join(' and ') : `${items.length} ${what}`;

/** "allreduce float32 sum, 2 ranks, socket and sisci". */
export function titleOf(plan: RunPlan): string {
  const distinct = (pick: (point: RunPlan['points'][number]) => string | null) =>
    [...new Set(plan.points.map(pick))].filter((word): word is string => word !== null);
  const what = [
    several(
      distinct((point) => point.collective),
      'collectives',
    ),
    several(
      distinct((point) => point.dtype),
      'data types',
    ),
    several(
      distinct((point) => point.op),
      'ops',
    ),
  ].filter((words) => words !== '');
  const over = several(
    plan.transports.map(({ name }) => name),
    'transports',
  );
  return `${what.join(' ')}, ${plan.ranks} ${plan.ranks === 1 ? 'rank' : 'ranks'}, ${over}`;
}

/** The record of a run that begins now. */
export function newRecord(plan: RunPlan): RunRecord {
  const environment = Object.entries(process.env).filter(([name]) => recorded.test(name));
  return {
    schemaVersion: 1,
    id: randomBytes(3).toString('hex'),
    title: titleOf(plan),
    startedAt: new Date().toISOString(),
    endedAt: null,
    state: 'running',
    exitCode: null,
    plan,
    inventory: {},
    environment: Object.fromEntries(environment) as Record<string, string>,
    versions: { collbench: version(), node: process.versions.node },
    launches: [],
    failures: [],
    summary: null,
  };
}
