import { deriveCell } from '../derive/cells/cell.ts';
import type { CellRecord, OkCell, RunRecord } from '../schema/index.ts';
import { seededNormal, testBlock } from './block.ts';
import { testPlan, testPoint, testRecord } from './plan.ts';

export interface SyntheticRun {
  id?: string;
  launches?: number;
  sizes?: readonly number[];
  seed?: number;
  /** Standard deviation of log time between launches, possibly by size. */
  sd?: number | ((bytes: number) => number);
  /** Factor on the time of a size over a transport. */
  factor?: (bytes: number, transport: string) => number;
  transports?: RunRecord['plan']['transports'];
  /** Cores that other processes use while a size is measured; from 0.2 on it is flagged cpu-busy. */
  competingCores?: (bytes: number) => number;
  record?: Partial<RunRecord>;
}

export const syntheticSizes = [8, 64, 512, 4096, 32768, 65536, 524288, 2097152, 4194304, 16777216, 67108864];

/** A run with given times: 10 us plus 1 ns per 10 bytes, with random scatter of the launches, isolated and pipelined. */
export function syntheticRecord(made: SyntheticRun = {}): { record: RunRecord; cells: CellRecord[] } {
  const {
    id = 'aaaaaa',
    launches = 5,
    sizes = syntheticSizes,
    seed = 1,
    sd = 0.005,
    factor = () => 1,
  } = made;
  const points = sizes.map((bytes) => testPoint({ count: bytes / 4 }));
  const base = testPlan();
  const transports = made.transports ?? base.transports.slice(0, 1);
  const plan = { ...testPlan({ points, transports }), sampling: { ...base.sampling, launches } };
  const normal = seededNormal(seed * 7919 + 17);
  const cells = sizes.flatMap((bytes, index) =>
    transports.map(({ name }, transport) => {
      const times = Array.from(
        { length: launches },
        () =>
          (10_000 + bytes / 10) *
          factor(bytes, name) *
          Math.exp((typeof sd === 'number' ? sd : sd(bytes)) * normal()),
      );
      const blocks = times.flatMap((ns, launch) =>
        (['isolated', 'pipelined'] as const).map((trial) =>
          testBlock(new Array(5).fill(Math.round(ns)), { point: index, transport, launch, trial }),
        ),
      );
      const cell = deriveCell(plan, index, transport, blocks);
      // No bytes are really moved, so the evidence is set.
      const evidence = { verdict: 'confirmed' as const, reason: 'decreed' };
      return cell.status === 'ok' ? { ...cell, evidence, ...loadOf(made.competingCores?.(bytes)) } : cell;
    }),
  );
  return { record: testRecord({ id, plan, ...made.record }), cells };
}

/** Load and flags of a cell measured during other load; empty if the load was not read. */
function loadOf(competingCores: number | undefined): Pick<OkCell, 'load' | 'flags'> | object {
  if (competingCores === undefined) return {};
  const host = { host: 'node0', coverage: 1, fill: 1, ticks: 5, cpuBusyShare: 0.9, competingCores };
  const flag = { name: 'cpu-busy', level: 'disturbs' as const, reason: 'others' };
  return {
    load: { hosts: [{ ...host, energyJ: null }], joulesPerGB: null, reasons: [] },
    flags: competingCores >= 0.2 ? [flag] : [],
  };
}
