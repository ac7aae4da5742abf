// Tables of counts and steps below the table of a run.
import type { Colors } from 'picocolors/types.js';
import { rangeText } from '../rows.ts';
import { cellAt, figureOf, type SeriesGroup, xsOf } from '../series.ts';
import { column, headLine, line, widthOf } from '../terminal/columns.ts';
import { formatTime, wrap } from '../wording.ts';
import { countedRows, countsOf, sideCountText } from './counts.ts';
import { partSentences } from './sentences.ts';
import { concurrentTimes, partAt, partGroups, partRows, stepsOf, variantName } from './variants.ts';

/** Maximum number of groups that get tables; more would push the verdicts off the screen. */
const mostGroups = 2;

/**
 * Returns the lines about operations that are measured in parts. For each group they have a table of counts, a table of parts
 * at the smallest x, and sentences. Empty without such groups.
 */
export function partLines(groups: readonly SeriesGroup[], width: number, colours: Colors): string[] {
  const found = partGroups(groups);
  const rest = found.length - mostGroups;
  const lines = found
    .slice(0, mostGroups)
    .flatMap((group) => [
      ...countTable(group, found.length > 1, width, colours),
      ...stepTable(group, width, colours),
      '',
      ...partSentences(group).flatMap((text) => wrap(`${text}.`, width, '  ')),
    ]);
  return rest > 0 ? [...lines, '', `${rest} more of such tables in the report`] : lines;
}

/**
 * Returns the table of counts per operation (such as doorbells), one row per variant. Columns with the time at the smallest
 * and the largest x follow, as far as the width allows.
 * @param isTitled true if the table needs a title, because several groups have tables
 */
function countTable(group: SeriesGroup, isTitled: boolean, width: number, colours: Colors): string[] {
  const rows = countsOf(group).map(({ series, xs, counts }) => {
    const where = xs.length === xsOf([series]).length ? '' : ` (${rangeText(group.x, xs)})`;
    return { series, name: variantName(group, series) + where, counts: counts.map(sideCountText) };
  });
  const ofCounts = countedRows(group).map(({ name, head }, i) =>
    column(name, head, Math.max(...rows.map(({ counts }) => counts[i]?.length ?? 0))),
  );
  const xs = xsOf(group.series);
  const times = [...new Set([xs[0], xs.at(-1)])].flatMap((x) =>
    x === undefined ? [] : [{ x, column: column(`at ${x}`, group.x.text(x), 8) }],
  );
  const widest = Math.max(...rows.map(({ name }) => name.length));
  const room = width - widthOf(ofCounts) - 2;
  const fitting = [times, times.slice(0, 1), []].find(
    (some) => widest + some.reduce((sum, one) => sum + one.column.width + 2, 0) <= room,
  );
  const shown = fitting ?? [];
  // A name that leaves no room for its counts gets a line of its own.
  const name = column('name', 'per operation', Math.min(widest, Math.max(13, room)), 'left');
  const columns = [name, ...ofCounts, ...shown.map((one) => one.column)];
  const lines = rows.flatMap(({ series, name: text, counts }) => {
    const values = Object.fromEntries([
      ...ofCounts.map(({ key }, i) => [key, counts[i] ?? ''] as const),
      ...shown.map(({ x, column: { key } }) => {
        const figure = figureOf(cellAt(series, x), group);
        return [key, figure === null ? '' : formatTime(figure.value)] as const;
      }),
    ]);
    return text.length <= name.width
      ? [line(columns, { ...values, name: text })]
      : [text, line(columns, values)];
  });
  const title = isTitled ? [colours.bold(group.title)] : [];
  return ['', ...title, colours.dim(headLine(columns)), ...lines];
}

/** Formats a value for a column with two decimals, or none from 1000 up: "0.42", "97.31", "1250". */
const decimals = (value: number): string => value.toFixed(value < 1000 ? 2 : 0);

/** Breaks a variant's name into lines of at most `width` characters, without its commas. */
function brokenName(name: string, width: number): string[] {
  return wrap(name.replaceAll(',', ''), width, '');
}

/**
 * Returns the table of an operation's steps (timed parts) at the smallest x: one row per step, one column per variant.
 * Variants that do not fit are only in the report.
 */
function stepTable(group: SeriesGroup, width: number, colours: Colors): string[] {
  const [x] = xsOf(group.series);
  const steps = [...stepsOf(group), ...partRows(group.row, 'whole'), ...concurrentTimes(group)];
  if (x === undefined) return [];
  const all = group.series.filter((one) => steps.some((of) => partAt(one, x, of) !== null));
  if (all.length === 0) return [];
  // The fastest variant decides the unit; otherwise its steps could all print as 0.00.
  const longest = all.map((one) => Math.max(...steps.map((of) => partAt(one, x, of)?.value ?? 0)));
  const unit = Math.min(...longest) < 1e6 ? { name: 'us', ns: 1e3 } : { name: 'ms', ns: 1e6 };
  const lead = column(
    'step',
    `${unit.name} at ${group.x.text(x)}`,
    Math.max(...steps.map(({ title }) => title.length)),
    'left',
  );
  const heads = all.map((one) => brokenName(variantName(group, one), 10));
  const each = heads.map((words, i) => column(`${i}`, '', Math.max(6, ...words.map((word) => word.length))));
  let fits = all.length;
  while (fits > 1 && widthOf([lead, ...each.slice(0, fits)]) > width) fits -= 1;
  const columns = [lead, ...each.slice(0, fits)];
  const deepest = Math.max(...heads.slice(0, fits).map(({ length }) => length));
  const headLines = Array.from({ length: deepest }, (_, row) =>
    line(columns, {
      ...(row === deepest - 1 ? { step: lead.head } : {}),
      ...Object.fromEntries(heads.map((words, i) => [`${i}`, words[row - deepest + words.length] ?? ''])),
    }),
  );
  const lines = steps.map((of) =>
    line(columns, {
      step: of.title,
      ...Object.fromEntries(
        all.slice(0, fits).map((one, i) => {
          const part = partAt(one, x, of);
          return [`${i}`, part === null ? '' : decimals(part.value / unit.ns)];
        }),
      ),
    }),
  );
  const rest = all.length - fits;
  const note = rest === 0 ? [] : [`${rest} more in the report`];
  return ['', ...headLines.map(colours.dim), ...lines, ...note];
}
