import { keptText, loadRate, overlapPoints, overlapText, slowdownText } from '../load-overlap.ts';
import type { SeriesGroup } from '../series.ts';
import { formatTime } from '../wording.ts';
import { html, type SafeHtml, table } from './markup.ts';

/**
 * Returns a table of how much operations and a concurrent load (`--beside`) slow each other down, one row per x and load.
 * Empty if no series was measured with a load.
 */
export function overlapTable(group: SeriesGroup, number: number): SafeHtml {
  const rows = overlapPoints(group);
  type Row = (typeof rows)[number];
  return table(
    html`<b>Table ${number}. Beside a load.</b> Mean times per operation, because a load that takes turns with a rank delays few operations by much. Alone and beside are rates of the load of all ranks, by itself just before each block and while operations were timed; kept is their ratio. Overlap is the time saved by doing both at once, as a share of that time: 100 % if both run at full speed, 0 % as if they took turns, below 0 % if they hinder each other more than that. In brackets 95 % intervals between launches.`,
    [
      { head: group.x.noun, number: true, cell: (r: Row) => group.x.text(r.x) },
      { head: 'over', cell: (r: Row) => r.series.name },
      { head: 'quiet', number: true, cell: (r: Row) => formatTime(r.found.quietNs) },
      { head: 'with load', number: true, cell: (r: Row) => formatTime(r.found.besideNs) },
      { head: 'slowdown', number: true, cell: (r: Row) => slowdownText(r.found) },
      { head: 'load alone', number: true, cell: (r: Row) => loadRate(r.found.load.alone, r.found) },
      { head: 'load beside', number: true, cell: (r: Row) => loadRate(r.found.load.beside, r.found) },
      { head: 'kept', number: true, cell: (r: Row) => keptText(r.found) },
      { head: 'overlap', number: true, cell: (r: Row) => overlapText(r.found) },
    ],
    rows,
  );
}
