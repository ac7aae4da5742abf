import { addTo } from '../collections.ts';
import { deriveFigures, identity } from '../derive/cells/cell.ts';
import {
  type CellRecord,
  type Failure,
  failureWith,
  type ImportedPlan,
  imported,
  type MeasuredFigure,
  measuredRows,
  type PointPlan,
  type RunPlan,
  storedRow,
  type TransportDetail,
  type TransportPlan,
} from '../schema/index.ts';
import type { ImportedOutput, ImportedRow } from './imported-output.ts';

export interface ImportedRun {
  plan: RunPlan;
  cells: CellRecord[];
  /** Reasons why the run is incomplete or wrong; empty if it is neither. */
  failures: Failure[];
}

/** Facts about an import that are not in the imported content. */
export interface ImportOrigin {
  /** Command line of the import as typed. */
  command: string[];
  format: string;
  file: ImportedPlan['file'];
  /** Name for the imported series in tables and charts, as the user gave it; null = `series` of the imported output. */
  label: string | null;
}

interface RowPoint {
  row: ImportedRow;
  point: number;
  series: string;
}

/** Facts that the output of no other program contains. */
const alwaysUnknown = ['evidence of the transport', 'hardware or emulated', 'between-launch scatter'];

/**
 * Converts imported output to a run; `imported.unknown` in its plan lists the facts that the output lacks. The result depends only
 * on the arguments.
 */
export function runOf(found: ImportedOutput, origin: ImportOrigin): ImportedRun {
  const { points, places } = placesOf(found, origin.label ?? found.series);
  const detail: TransportDetail = {
    library: found.program,
    origin: origin.format === 'record' ? 'recorded' : 'imported',
  };
  // A plan needs a transport, even if nothing was timed.
  const series = places.length === 0 ? [origin.label ?? found.series] : places.map((place) => place.series);
  const transports = [...new Set(series)].map(
    (name): TransportPlan => ({ name, medium: 'unknown', detail, options: {} }),
  );
  const plan = planOf(found, origin, points, transports, places.length);
  const cells = places.map((place) => cellOf(plan, found, place));
  return { plan, cells, failures: failuresOf(found, cells) };
}

/**
 * Assigns each imported row to a point (index into `points`: operation, data type, reduction, root, in-place form, size and count)
 * and to a series. If a series already has the point, the row gets a series of its own: "nccl-tests #2".
 * @param base name of the series
 */
function placesOf(found: ImportedOutput, base: string): { points: PointPlan[]; places: RowPoint[] } {
  const byGroup = new Map<string, ImportedRow[]>();
  for (const row of found.rows) addTo(byGroup, groupOf(row), row);
  const points: PointPlan[] = [];
  const indices = new Map<string, number>();
  const seen = new Map<string, number>();
  const places = [...byGroup.values()].flat().map((row): RowPoint => {
    const key = `${groupOf(row)} ${row.payloadBytes} ${row.count}`;
    const point = indices.get(key) ?? points.length;
    if (point === points.length) {
      indices.set(key, point);
      points.push(pointOf(row));
    }
    const name = row.variant === '' ? base : `${base} ${row.variant}`;
    const times = (seen.get(`${point} ${name}`) ?? 0) + 1;
    seen.set(`${point} ${name}`, times);
    return { row, point, series: times === 1 ? name : `${name} #${times}` };
  });
  return { points, places };
}

const groupOf = ({ operation, dtype, op, root, inPlace }: ImportedRow): string =>
  [operation, dtype, op, root, inPlace].join(' ');

function pointOf(row: ImportedRow): PointPlan {
  const { operation, dtype, op, root, inPlace, payloadBytes, count } = row;
  return {
    workload: imported.name,
    axes: { operation, dtype, op, root, inPlace, bytes: payloadBytes },
    requestedX: payloadBytes,
    count,
  };
}

function planOf(
  found: ImportedOutput,
  origin: ImportOrigin,
  points: PointPlan[],
  transports: TransportPlan[],
  cells: number,
): RunPlan {
  const { ranks, hosts } = found;
  const names = hosts.length === 0 ? ['unknown'] : hosts;
  const perHost = Math.ceil(ranks / names.length);
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  return {
    schemaVersion: 3,
    command: origin.command,
    engine: found.engine,
    settings: {},
    algorithm: null,
    ranks,
    hosts: names.map((name, i) => ({ name, ranks: all.slice(i * perHost, (i + 1) * perHost) })),
    inProcess: false,
    transports,
    workloads: [storedRow(imported)],
    points,
    skipped: [],
    sampling: {
      launches: 1,
      warmup: 0,
      iterations: null,
      batch: 0,
      check: found.rows.some(({ wrong }) => wrong !== null) ? 1 : 0,
      timeoutS: 1,
      seed: 0,
    },
    expected: { cells, checks: 0 },
    estimateS: 0,
    imported: {
      format: origin.format,
      program: found.program,
      file: origin.file,
      measuredAt: found.measuredAt,
      statistic: found.statistic,
      conversions: found.conversions,
      ...(found.says === undefined ? {} : { says: found.says }),
      unknown: [...(hosts.length === 0 ? ['nodes'] : []), ...found.unknown, ...alwaysUnknown],
      notices: found.notices.slice(0, maxNotices),
    },
  };
}

/** Highest number of notices that are kept. A damaged file could cause one for every row. */
const maxNotices = 200;

function cellOf(plan: RunPlan, found: ImportedOutput, { row, point, series }: RowPoint): CellRecord {
  const at = plan.points[point] as PointPlan;
  const transport = plan.transports.find(({ name }) => name === series) as TransportPlan;
  const own = { ...identity(plan, at, transport, point), printed: row.printed };
  const { timeNs, wrong } = row;
  if (timeNs === null) {
    return { ...own, status: 'failed', reason: row.reason ?? `${found.program} gives no time` };
  }
  const figure = figureOf(found, row, timeNs);
  const place = { axes: at.axes, ranks: plan.ranks };
  return {
    ...own,
    status: 'ok',
    choice: { algorithm: '', protocol: null },
    figures: [figure, ...deriveFigures(imported, place, [figure])],
    firstCallNs: [],
    verification: {
      enabled: wrong !== null,
      // The check was the other program's own, which may cover several operations.
      checks: wrong === null ? 0 : 1,
      share: null,
      wrongElements: wrong ?? 0,
      comparedElements: 0,
      first: null,
    },
    evidence: { verdict: 'unproven', reason: `${found.program} does not tell which way the data went` },
    flags: [],
  };
}

function figureOf(found: ImportedOutput, row: ImportedRow, timeNs: number): MeasuredFigure {
  const { samples = 0, minNs = null, maxNs = null, p95Ns = null, p99Ns = null } = row;
  const { clock, sync } = found.method;
  const batch = row.trial === 'isolated' ? 1 : found.method.batch;
  const why =
    samples === 0
      ? `${found.program} gives one figure (${found.statistic}), no samples`
      : `${found.program} gives no single samples`;
  return {
    kind: 'measured',
    name: measuredRows(imported).find(({ trial }) => trial === row.trial)?.name ?? row.trial,
    unit: 'ns',
    value: timeNs,
    interval: null,
    intervalReason: why,
    samples,
    effectiveSamples: 0,
    launches: 1,
    batch,
    min: minNs,
    max: maxNs,
    p5: null,
    p95: p95Ns,
    p99: p99Ns,
    launchValues: [timeNs],
    lateShare: 0,
    method: { clock, sync, summary: found.statistic, warmup: 0, batch },
  };
}

function failuresOf(found: ImportedOutput, cells: readonly CellRecord[]): Failure[] {
  const failures: Failure[] = [];
  const wrong = found.rows.filter((row) => (row.wrong ?? 0) > 0).length;
  if (wrong > 0 || found.saysWrong) {
    const where =
      wrong > 0 ? `in ${wrong} of ${cells.length} imported configurations` : 'in none of its rows by itself';
    failures.push(
      failureWith({ kind: 'wrong-data', message: `${found.program} found wrong data, ${where}` }),
    );
  }
  if (!found.complete) {
    const details = found.notices.slice(0, 5);
    const message = `incomplete output of ${found.program}: imported what it has; the closing lines are missing`;
    failures.push(failureWith({ kind: 'incomplete', message, details }));
  }
  const without = cells.flatMap((cell) => (cell.status === 'ok' ? [] : [cell.reason]));
  if (without.length > 0) {
    const details = [...new Set(without)].slice(0, 3);
    const message = `${without.length} of ${cells.length} rows of ${found.program} have no figure that can be used`;
    failures.push(failureWith({ kind: 'incomplete', message, details }));
  }
  return failures;
}
