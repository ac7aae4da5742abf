import { stringify } from 'csv-stringify/sync';
import type { CellRecord, OkCell, TrialFigures } from '../schema/index.ts';

interface Row {
  cell: CellRecord;
  figures: TrialFigures | null;
}

const ok = (row: Row): OkCell | null => (row.cell.status === 'ok' ? row.cell : null);

/** Columns in their order; the unit is in the name. Empty means: not there. */
const columns: Record<string, (row: Row) => string | number | boolean | null> = {
  id: ({ cell }) => cell.id,
  status: ({ cell }) => cell.status,
  trial: ({ figures }) => figures?.trial ?? null,
  collective: ({ cell }) => cell.collective,
  dtype: ({ cell }) => cell.dtype,
  op: ({ cell }) => cell.op,
  root: ({ cell }) => cell.root,
  in_place: ({ cell }) => cell.inPlace,
  requested_bytes: ({ cell }) => cell.requestedBytes,
  payload_bytes: ({ cell }) => cell.payloadBytes,
  count: ({ cell }) => cell.count,
  ranks: ({ cell }) => cell.ranks,
  nodes: ({ cell }) => cell.nodes,
  group: ({ cell }) => cell.group?.index ?? null,
  group_name: ({ cell }) => cell.group?.name ?? null,
  group_ranks: ({ cell }) => cell.group?.ranks.join(' ') ?? null,
  group_overlap: (row) => ok(row)?.overlap ?? null,
  engine: ({ cell }) => cell.engine,
  transport: ({ cell }) => cell.transport,
  // Imported cells: nobody told.
  medium: ({ cell }) => (cell.printed === undefined ? cell.medium : null),
  detail: ({ cell }) => cell.detail,
  algorithm: (row) => ok(row)?.algorithm ?? null,
  samples: ({ figures }) => figures?.samples || null,
  effective_samples: ({ figures }) => figures?.effectiveSamples || null,
  launches: ({ figures }) => figures?.launches ?? null,
  batch: ({ figures }) => figures?.batch ?? null,
  median_ns: ({ figures }) => figures?.medianNs ?? null,
  interval_low_ns: ({ figures }) => figures?.interval?.lowNs ?? null,
  interval_high_ns: ({ figures }) => figures?.interval?.highNs ?? null,
  interval_scope: ({ figures }) => figures?.interval?.scope ?? null,
  interval_basis: ({ figures }) => figures?.interval?.basis ?? null,
  stopped_because: ({ figures }) => figures?.stopped ?? null,
  interval_missing_because: ({ figures }) => figures?.intervalReason ?? null,
  min_ns: ({ figures }) => figures?.minNs ?? null,
  p5_ns: ({ figures }) => figures?.p5Ns ?? null,
  p95_ns: ({ figures }) => figures?.p95Ns ?? null,
  p99_ns: ({ figures }) => figures?.p99Ns ?? null,
  max_ns: ({ figures }) => figures?.maxNs ?? null,
  late_share: ({ figures }) => figures?.lateShare ?? null,
  alg_gb_per_s: ({ figures }) => figures?.algGBps ?? null,
  bus_gb_per_s: ({ figures }) => figures?.busGBps ?? null,
  bus_factor: (row) => ok(row)?.busFactor ?? null,
  sync: ({ figures }) => figures?.method.sync ?? null,
  summary_over_ranks: ({ figures }) => figures?.method.summary ?? null,
  checks: (row) => ok(row)?.verification.checks ?? null,
  wrong_elements: (row) => ok(row)?.verification.wrongElements ?? null,
  evidence: (row) => ok(row)?.evidence.verdict ?? null,
  evidence_reason: (row) => ok(row)?.evidence.reason ?? null,
  flags: (row) => ok(row)?.flags.join(' ') ?? null,
  reason: ({ cell }) => (cell.status === 'ok' ? null : cell.reason),
};

/** Column names of cellsToCsv(), in order. */
export const csvColumns = Object.keys(columns);

/** One row per cell and trial kind, one for a cell without figures; in the order of csvColumns. */
export function rowsOf(cells: readonly CellRecord[]): (string | number | boolean | null)[][] {
  const rows = cells.flatMap((cell): Row[] => {
    const trials = cell.status === 'ok' ? [cell.isolated, cell.pipelined].filter((one) => one !== null) : [];
    return trials.length === 0 ? [{ cell, figures: null }] : trials.map((figures) => ({ cell, figures }));
  });
  return rows.map((row) => Object.values(columns).map((value) => value(row)));
}

/** Cells as CSV with a head. Text that a spreadsheet would take for a formula is escaped. */
export function cellsToCsv(cells: readonly CellRecord[]): string {
  return stringify(rowsOf(cells), {
    header: true,
    columns: csvColumns,
    escape_formulas: true,
    cast: { boolean: (value) => (value ? 'true' : 'false') },
  });
}
