/** Small complete values for all tests. Each call returns a new value, with parts replaced as given. */
import {
  type BlockRequest,
  type CollectiveAxes,
  collective,
  type PointPlan,
  payloadOf,
  type RunPlan,
  type RunRecord,
  storedRow,
} from '../schema/index.ts';

/** A point of a plan, by default an allreduce of float32 sums out of place. @param count NCCL's count argument */
export function testPoint(
  { count = 256, ...parts }: Partial<Omit<CollectiveAxes, 'bytes'>> & { count?: number } = {},
  ranks = 2,
): PointPlan {
  const axes = {
    collective: 'allreduce',
    dtype: 'float32',
    op: 'sum',
    root: null,
    inPlace: false,
    ...parts,
  } as const;
  const bytes = payloadOf(axes.collective, axes.dtype, count, ranks);
  return { workload: collective.name, axes: { ...axes, bytes }, requestedX: bytes, count };
}

/**
 * A plan with two ranks on one node, transports socket and sisci, allreduce of 1 KiB and 1 MiB, and one cell expected per point
 * and transport; `parts` replaces fields.
 */
export function testPlan(parts: Partial<RunPlan> = {}): RunPlan {
  const plan: RunPlan = {
    schemaVersion: 3,
    command: ['collbench', 'allreduce'],
    engine: 'cpu',
    settings: {},
    algorithm: null,
    ranks: 2,
    hosts: [{ name: 'localhost', ranks: [0, 1] }],
    inProcess: false,
    transports: [
      { name: 'socket', medium: 'emulated', detail: { adapter: 'mock' }, options: { interface: 'lo' } },
      { name: 'sisci', medium: 'emulated', detail: { adapter: 'mock' }, options: { link: 'none' } },
    ],
    workloads: [storedRow(collective)],
    points: [testPoint(), testPoint({ count: 262144 })],
    skipped: [],
    sampling: { launches: 1, warmup: 2, iterations: null, batch: 0, check: 5, timeoutS: 30, seed: 1 },
    expected: { cells: 4, checks: 0 },
    estimateS: 1,
    ...parts,
  };
  return {
    ...plan,
    expected: parts.expected ?? { cells: plan.points.length * plan.transports.length, checks: 0 },
  };
}

/** Block requests of the plan: for every cell and launch an isolated and a pipelined block. */
export function testBlocks(plan: RunPlan, parts: Partial<BlockRequest> = {}): BlockRequest[] {
  const requests: BlockRequest[] = [];
  for (const point of plan.points.keys()) {
    for (let launch = 0; launch < plan.sampling.launches; launch += 1) {
      for (const transport of plan.transports.keys()) {
        for (const trial of ['isolated', 'pipelined'] as const) {
          requests.push({
            point,
            transport,
            launch,
            trial,
            warmup: plan.sampling.warmup,
            minSamples: 3,
            maxSamples: trial === 'isolated' ? 40 : 10,
            targetNs: 0,
            batch: trial === 'isolated' ? 1 : 5,
            checkEvery: 5,
            check: true,
            release: false,
            completesCell: trial === 'pipelined' && launch === plan.sampling.launches - 1,
            ...parts,
          });
        }
      }
    }
  }
  return requests;
}

export function testRecord(parts: Partial<RunRecord> = {}): RunRecord {
  return {
    schemaVersion: 3,
    id: '7f3a2c',
    title: 'allreduce float32 sum, 2 ranks',
    startedAt: '2026-11-21T01:00:00.000Z',
    endedAt: null,
    state: 'running',
    exitCode: null,
    plan: testPlan(),
    inventory: {},
    environment: {},
    versions: { collbench: '0.1.0' },
    launches: [],
    failures: [],
    summary: null,
    ...parts,
  };
}
