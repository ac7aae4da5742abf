import type { OkCell } from '../../results/schema/index.ts';
import { averagesOf } from '../charts/index.ts';
import { comparisonSentence, comparisonsOf } from '../comparison.ts';
import { importedTime, isImported } from '../imported.ts';
import type { Group, Series, Slot } from '../series.ts';
import { figuresOf, isOk, onDevice } from '../series.ts';
import { sideBySideOf } from '../side-by-side.ts';
import {
  chosenText,
  formatBandwidth,
  formatBytes,
  formatBytesAbout,
  formatCount,
  formatPercent,
  formatRatio,
  formatTime,
  halfWidth,
  shortTransport,
} from '../wording.ts';
import { type Html, html, table } from './markup.ts';

interface TableRow {
  series: Series;
  slot: Slot;
  /** First row of its size: the size is written there. */
  first: boolean;
}

const dash = '–';

/** Every planned cell of a group: measured ones with all figures, others with their reason. */
export function cellTable(group: Group, number: number): Html {
  const sizes = [...new Set(group.series.flatMap((s) => s.slots.map((x) => x.payloadBytes)))].sort(
    (a, b) => a - b,
  );
  const rows = sizes.flatMap((bytes) =>
    group.series
      .flatMap((series) =>
        series.slots.filter((s) => s.payloadBytes === bytes).map((slot) => ({ series, slot })),
      )
      .map((row, i): TableRow => ({ ...row, first: i === 0 })),
  );
  const ok = (row: TableRow) => (isOk(row.slot.cell) ? row.slot.cell : null);
  const time = (ns: number | null | undefined) =>
    ns === null || ns === undefined ? dash : formatTime(ns, 'µs');
  const shown = (row: TableRow) => figuresOf(row.slot.cell, group.trial);
  const device = onDevice(group) && group.trial === 'isolated';
  const columns = [
    { head: 'size', number: true, cell: (r: TableRow) => (r.first ? formatBytes(r.slot.payloadBytes) : '') },
    { head: 'count', number: true, cell: (r: TableRow) => (r.first ? formatCount(r.slot.count) : '') },
    { head: 'over', cell: (r: TableRow) => r.series.name },
    {
      head: 'medium',
      cell: (r: TableRow) =>
        r.series.medium === 'emulated'
          ? html`<span class="emu">emulated</span>`
          : r.series.run.plan.imported === undefined
            ? 'hardware'
            : 'not told',
    },
    { head: device ? 'latency' : 'time', number: true, cell: (r: TableRow) => time(shown(r)?.medianNs) },
    { head: '±', number: true, cell: (r: TableRow) => spread(r, group) },
    { head: 'p95', number: true, cell: (r: TableRow) => time(shown(r)?.p95Ns) },
    { head: 'pipelined', number: true, cell: (r: TableRow) => time(ok(r)?.pipelined?.medianNs) },
    ...(device
      ? [
          { head: 'launch', number: true, cell: (r: TableRow) => time(ok(r)?.launchCostNs?.medianNs) },
          { head: 'algo/proto', cell: (r: TableRow) => chosen(ok(r)) },
        ]
      : []),
    { head: 'alg. bw', number: true, cell: (r: TableRow) => bandwidth(shown(r)?.algGBps) },
    { head: 'bus bw', number: true, cell: (r: TableRow) => bandwidth(shown(r)?.busGBps) },
    { head: 'wrong', number: true, cell: (r: TableRow) => wrong(r) },
    { head: 'evidence', cell: (r: TableRow) => ok(r)?.evidence.verdict ?? dash },
    { head: 'flags', cell: (r: TableRow) => notes(r) },
  ].filter((c) => c.head !== 'flags' || rows.some((r) => notes(r) !== ''));
  const meaning = isImported(group)
    ? `Time is the ${importedTime(group)}; bandwidths are computed from it.`
    : device
      ? 'Latency is the median time of one operation on the GPUs, ± half its 95 % interval, pipelined the time per operation back to back (nccl-tests’ time), launch what the host needs to queue one.'
      : `Time is the median of one ${group.trial} operation, ± half its 95 % interval, pipelined the time per operation back to back.`;
  const caption = html`<b>Table ${number}. All cells of ${group.title}.</b> ${meaning}`;
  const bad = (r: TableRow) =>
    ok(r) === null ||
    (ok(r)?.verification.wrongElements ?? 0) > 0 ||
    ok(r)?.evidence.verdict === 'contradicted';
  return html`<div class="broad">${table(caption, columns, rows, (r) => [r.first ? 'first' : '', bad(r) ? 'bad' : ''].join(' ').trim())}</div>`;
}

function chosen(cell: OkCell | null): string {
  return cell === null ? dash : chosenText(cell) || dash;
}

function spread(row: TableRow, group: Group): string {
  const figures = figuresOf(row.slot.cell, group.trial);
  if (figures === null || figures.interval === null) return dash;
  return formatPercent(halfWidth(figures.medianNs, figures.interval));
}

function bandwidth(gbps: number | undefined): string {
  return gbps === undefined ? dash : formatBandwidth(gbps);
}

function wrong(row: TableRow): string {
  if (!isOk(row.slot.cell)) return dash;
  const { verification } = row.slot.cell;
  return verification.enabled && verification.checks > 0
    ? formatCount(verification.wrongElements)
    : 'not checked';
}

function notes(row: TableRow): string {
  const { cell } = row.slot;
  if (cell === null) return 'not measured';
  return cell.status === 'ok' ? cell.flags.join(', ') : cell.status;
}

/** Which transport is faster where, one item per pair; crossings by name and size. */
export function crossings(group: Group): Html {
  const comparisons = comparisonsOf(group);
  if (comparisons.length === 0) return html``;
  return html`${comparisons.map((c) => {
    const said = comparisonSentence(c, 'µs', true);
    const points = c.crossovers.map(
      (x) =>
        `The two cross at ${formatBytesAbout(x.bytes)}; between ${formatBytesAbout(x.lowBytes)} and ${formatBytesAbout(x.highBytes)} the intervals leave it open. `,
    );
    return html`<p>${said}. ${points}</p>`;
  })}`;
}

/** Groups of ranks that worked at the same time, a row per size and transport; nothing where there are none. */
export function sideBySideTable(group: Group, number: number): Html {
  const rows = sideBySideOf(group);
  type Row = (typeof rows)[number];
  const at = ({ name, medianNs }: Row['slowest']) => `${name}, ${formatTime(medianNs, 'µs')}`;
  return table(
    html`<b>Table ${number}. Groups of ranks at the same time.</b> The slowest stands out where its whole 95 % interval lies above those of the others; together is the sum of the bus bandwidths; side by side is the smallest part of its time in which a group worked beside all others.`,
    [
      { head: 'size', number: true, cell: (r: Row) => formatBytes(r.bytes) },
      { head: 'over', cell: (r: Row) => shortTransport(r.transport) },
      { head: 'groups', number: true, cell: (r: Row) => r.members },
      { head: 'slowest', cell: (r: Row) => at(r.slowest) },
      { head: 'fastest', cell: (r: Row) => at(r.fastest) },
      { head: 'ratio', number: true, cell: (r: Row) => formatRatio(r.ratio) },
      { head: 'stands out', cell: (r: Row) => (r.standsOut ? 'yes' : 'no') },
      { head: 'together', number: true, cell: (r: Row) => formatBandwidth(r.aggregateGBps) },
      { head: 'side by side', number: true, cell: (r: Row) => formatPercent(r.overlap) },
    ],
    rows,
  );
}

export function averageTable(groups: readonly Group[], number: number): Html {
  const rows = averagesOf(groups);
  type Row = (typeof rows)[number];
  return table(
    html`<b>Table ${number}. Averages per collective.</b> Over the sizes that every transport measured.`,
    [
      { head: 'collective', cell: (r: Row) => r.collective },
      { head: 'over', cell: (r: Row) => r.series },
      { head: 'sizes', number: true, cell: (r: Row) => r.sizes },
      { head: 'mean size', number: true, cell: (r: Row) => formatBytesAbout(r.meanBytes) },
      { head: 'mean time', number: true, cell: (r: Row) => formatTime(r.meanTimeNs, 'µs') },
      { head: 'alg. bw', number: true, cell: (r: Row) => formatBandwidth(r.algGBps) },
      { head: 'bus bw', number: true, cell: (r: Row) => formatBandwidth(r.busGBps) },
    ],
    rows,
  );
}
