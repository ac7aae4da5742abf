// Tables of the main results of series: a few series on the first screen, all series in a chapter.
import { trialOf } from '../../results/schema/index.ts';
import { columnUnit, withUnit } from '../column-units.ts';
import type { SeriesHeadline } from '../first-screen/headlines.ts';
import { figureRow, isUnobservedSeries, namedX, type XAxisFormat } from '../rows.ts';
import { isOnDevice } from '../series.ts';
import { breakAfterCommas, formatPercent, shortTitles, spreadText } from '../wording.ts';
import { html, type SafeHtml, type TableColumn, table } from './markup.ts';

const dash = '–';
/** Maximum number of rows on the first screen: all series are shown if there are at most `all`, else only the first `few`. */
const maxRows = { all: 12, few: 6 };

/**
 * Returns the table of main results (latency, rate) on the first screen, one row per series; empty HTML if `all` is empty. Series
 * measured under a profiler, which slows operations down, are left out if others exist. If rows are missing, a link leads to the
 * chapter "all".
 * @param chapters ids of the chapters that the report has
 */
export function headlineTable(all: readonly SeriesHeadline[], chapters: ReadonlySet<string>): SafeHtml {
  if (all.length === 0) return html``;
  const plain = all.filter(({ series }) => isUnobservedSeries(series));
  const wanted = plain.length > 0 ? plain : all;
  const shown = wanted.length <= maxRows.all ? wanted : wanted.slice(0, maxRows.few);
  const rest =
    shown.length < all.length && chapters.has('all')
      ? html`<p class="more"><a href="#all">All ${all.length} series</a></p>`
      : '';
  return html`${seriesTable('The first figures of each series', shown)}${rest}`;
}

/** Returns an x value as text with no-break spaces, so that a column's head is not broken within the text. */
const placeText = (words: XAxisFormat, x: number): string => namedX(words, x).replaceAll(' ', '\u00a0');

/** Returns the title of the main time of the rows, for the head of its column: "latency", "time of one step". */
const latencyTitle = ([first]: readonly SeriesHeadline[]): string =>
  (first === undefined ? undefined : figureRow(first.group.row, first.group.figure))?.title ?? 'latency';

/**
 * Returns a table with one row per series: first the verdict on its transport and data, then latency with its interval, main rate
 * and its share of the upper limit, crossovers, and change since the last run. Each column has one unit. Columns without any value
 * are left out.
 */
export function seriesTable(caption: SafeHtml | string, rows: readonly SeriesHeadline[]): SafeHtml {
  const latency = columnUnit(
    'ns',
    rows.flatMap((row) => row.latency?.figure.value ?? []),
  );
  const of = rows.find(({ rate }) => rate !== null)?.rate?.of;
  const rate = columnUnit(
    of?.unit ?? 'GB/s',
    rows.flatMap((row) => row.rate?.value ?? []),
  );
  const at = (xs: readonly (number | undefined)[]): { text: string; isOne: boolean } => {
    const known = [...new Set(xs.filter((x) => x !== undefined))];
    const [x] = known;
    const words = rows[0]?.group.x;
    return {
      text:
        x === undefined || known.length > 1 || words === undefined || words.unit === null
          ? ''
          : ` at ${placeText(words, x)}`,
      isOne: known.length <= 1,
    };
  };
  const small = at(rows.map((row) => row.latency?.x));
  const large = at(rows.map((row) => row.rate?.x));
  const where = ({ group }: SeriesHeadline, x: number, isOne: boolean) =>
    isOne ? '' : ` at ${placeText(group.x, x)}`;
  const isSeveral = new Set(rows.map(({ group }) => group.key)).size > 1;
  const names = shortTitles(rows.map(({ group }) => group.title));
  const isTime = rows.some(
    ({ group }) => !isOnDevice(group) && trialOf(group.row, group.figure) !== 'isolated',
  );
  const columns: (TableColumn<SeriesHeadline> & { isThere: boolean })[] = [
    {
      head: 'verdict',
      isThere: true,
      // The verdict may be wrapped after commas; unwrapped, a long one would leave no space for the numbers.
      cell: ({ verdict }) =>
        html`<span class="verdict is-${verdict.kind}">${breakAfterCommas(verdict.text)}</span>`,
    },
    {
      head: names.head || 'series',
      isThere: isSeveral,
      cell: ({ group }) => names.textOf(group.title),
    },
    {
      head: 'over',
      isThere: true,
      cell: ({ series }) =>
        html`${series.name}${series.medium === 'emulated' ? html` <span class="emu">emulated</span>` : ''}`,
    },
    {
      head: withUnit(`${isTime ? 'time' : latencyTitle(rows)}${small.text}`, latency),
      number: true,
      isThere: true,
      cell: (row) =>
        row.latency === null
          ? dash
          : `${latency.text(row.latency.figure.value)}${where(row, row.latency.x, small.isOne)}`,
    },
    {
      head: '±',
      number: true,
      isThere: rows.some((row) => row.latency?.figure.interval != null),
      cell: ({ latency: found }) =>
        found?.figure.interval == null ? dash : spreadText(found.figure.value, found.figure.interval),
    },
    {
      head: withUnit(`${of?.longHead ?? of?.head ?? ''}${large.text}`, rate),
      number: true,
      isThere: of !== undefined,
      cell: (row) =>
        row.rate === null ? dash : `${rate.text(row.rate.value)}${where(row, row.rate.x, large.isOne)}`,
    },
    {
      head: 'of ceiling',
      number: true,
      isThere: rows.some(({ ceiling }) => ceiling !== null),
      cell: ({ ceiling }) => (ceiling === null ? dash : formatPercent(ceiling.share)),
    },
    {
      head: 'crosses at',
      isThere: rows.some(({ crossings }) => crossings !== ''),
      cell: ({ crossings }) => crossings || 'nowhere',
    },
    {
      head: 'since last run',
      isThere: rows.some(({ last }) => last !== ''),
      cell: ({ last }) => last || dash,
    },
  ];
  return table(
    caption,
    columns.filter(({ isThere }) => isThere),
    rows,
    ({ verdict }) => (verdict.kind === 'bad' ? 'bad' : ''),
  );
}
