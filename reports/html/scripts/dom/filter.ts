import { isShown, type PageFilter, sizeTexts } from '../page-filter.ts';
import { createSvg, selectAll, setAttributes, setVisible } from './elements.ts';
import { centreOf, drawingsOf, marksIn, pointOf, type ShownFigure } from './figures.ts';

/**
 * A row of a table in the page, with the properties by which the page's filter shows or hides it; undefined or null = the row lacks
 * this property.
 */
interface FilteredRow {
  element: HTMLTableRowElement;
  transport: string | undefined;
  what: string | undefined;
  node: string | undefined;
  x: number | null;
  /**
   * Cell that shows the row's size, and the size as text. The cell is empty if the row above has the same size; the text never is.
   * Null if the table has no sizes.
   */
  size: { cell: HTMLElement; text: string } | null;
}

/** Rows of one table in the page; the page's filter shows or hides each of them. */
export type FilteredTable = FilteredRow[];

/** Returns all tables with rows that have attributes for the filter (RowData in markup.ts). */
export function loadTables(): FilteredTable[] {
  const rows = ':scope > :is([data-x], [data-transport], [data-node])';
  return selectAll<HTMLTableSectionElement>(document, 'tbody')
    .filter((body) => body.querySelector(rows) !== null)
    .map((body) => {
      let text = '';
      return [...body.rows].map((element) => {
        const { transport, what, node, x } = element.dataset;
        const cell = element.querySelector<HTMLElement>(':scope > .x');
        if (cell !== null) text = cell.textContent || text;
        const size = cell === null ? null : { cell, text };
        return { element, transport, what, node, x: x === undefined ? null : Number(x), size };
      });
    });
}

/**
 * Applies the reader's filter to the page's charts and tables. A chart of which no point is shown, or of a hidden host, is hidden
 * as a whole.
 * @returns number of shown points (`shown`) and of all points (`whole`) in all charts; only points with an x value count
 */
export function applyFilter(
  filter: PageFilter,
  figures: readonly ShownFigure[],
  tables: readonly FilteredTable[],
): { shown: number; whole: number } {
  const count = { shown: 0, whole: 0 };
  for (const figure of figures) {
    const points = figure.points.filter(({ x }) => typeof x === 'number');
    const shown = points.filter((point) => isShown(filter, point)).length;
    count.whole += points.length;
    count.shown += shown;
    const isEmpty = points.length > 0 && shown === 0;
    setVisible(figure.element, !isEmpty && isShown(filter, { node: figure.host }));
    if (shown > 0) for (const svg of drawingsOf(figure)) filterDrawing(filter, figure, svg);
  }
  for (const table of tables) filterTable(filter, table);
  return count;
}

/**
 * Hides those points of a drawing that the filter hides, and the lines of series without a visible point, whose names in the legend
 * become faint. If a range of sizes is chosen, lines are clipped to the visible points.
 */
function filterDrawing(filter: PageFilter, figure: ShownFigure, svg: SVGSVGElement): void {
  const series = new Set<string | null | undefined>();
  const xs: number[] = [];
  const isCut = filter.from !== null || filter.to !== null;
  for (const mark of marksIn(svg)) {
    const point = pointOf(figure, mark);
    const isVisible = point !== undefined && isShown(filter, point);
    setVisible(mark, isVisible);
    if (!isVisible) continue;
    series.add(point.series);
    if (isCut) xs.push(centreOf(mark).x);
  }
  const lines = selectAll<SVGElement>(svg, '[data-s]');
  for (const line of lines) {
    setVisible(line, series.has(figure.series[Number(line.dataset.s)]));
    line.removeAttribute('clip-path');
  }
  svg.querySelector('clipPath.range')?.remove();
  for (const text of selectAll(svg, 'text')) {
    const name = text.textContent ?? '';
    if (figure.series.includes(name)) text.classList.toggle('gone', !series.has(name));
  }
  if (!isCut || xs.length === 0 || lines.length === 0) return;
  const left = Math.min(...xs) - 1;
  const id = `range-${figure.number}-${svg.parentElement?.className}`;
  const clip = createSvg('clipPath', { id, class: 'range' });
  clip.append(createSvg('rect', { x: left, y: -100, width: Math.max(...xs) + 1 - left, height: 5000 }));
  svg.append(clip);
  for (const line of lines) setAttributes(line, { 'clip-path': `url(#${id})` });
}

/** Shows or hides the rows of a table. Of successive rows with the same size only the first visible row shows the size. */
function filterTable(filter: PageFilter, table: FilteredTable): void {
  const sizes = table.flatMap((row) => {
    const isVisible = isShown(filter, row);
    setVisible(row.element, isVisible);
    return row.size === null ? [] : [{ ...row.size, x: row.x, isVisible }];
  });
  for (const [i, text] of sizeTexts(sizes).entries()) {
    const size = sizes[i];
    if (size?.isVisible) size.cell.textContent = text;
  }
}
