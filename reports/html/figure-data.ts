// Writes the data of a page's charts for the page's script: rows of the CSV, Vega-Lite specification, and facts about each point. A
// column that occurs several times is stored in the page once.
import { isFields } from '../../results/collections.ts';
import type { AboutPoint, ChartFigure, ChartRow } from '../charts/chart.ts';
import type { ChartSpec } from '../charts/spec.ts';
import { jsonScript, type SafeHtml } from './markup.ts';
import type { PackedColumn, PackedFigure, PackedRows, PointFacts } from './scripts/page-data.ts';

/**
 * Numbers of the points and lines (series) of a drawn chart, by their text labels. The SVG contains the numbers instead of the
 * labels; scripts use them to find the data of a point.
 */
export interface MarkLabels {
  points: Map<string, number>;
  series: Map<string, number>;
}

/**
 * Writer for the data of all charts of a page. It remembers the columns that it wrote, so that equal columns are stored only once.
 */
export class PageData {
  private readonly known = new Map<string, number>();
  private readonly configs: string[] = [];
  private fresh: PackedColumn[] = [];
  private readonly distributions: ReadonlyMap<string, string>;

  /** Creates a writer that has not written any column. @param distributions histograms of samples as text, by `distributionKey` */
  constructor(distributions: ReadonlyMap<string, string> = new Map()) {
    this.distributions = distributions;
  }

  /**
   * Returns HTML with the data of one chart, and the numbers of its marks. It contains only columns that no earlier chart has
   * written, so it must come after the HTML of earlier charts.
   * @param number number of the chart in the page
   * @param spec specification of the chart's wide form
   */
  of(figure: ChartFigure, number: number, spec: ChartSpec): { markup: SafeHtml; labels: MarkLabels } {
    const labelled = rowsWithin(spec).filter((row) => typeof row.tip === 'string');
    const about = new Map(figure.points?.map((point) => [point.tip, point]));
    const labels: MarkLabels = {
      points: new Map([...new Set(labelled.map(({ tip }) => String(tip)))].map((tip, i) => [tip, i])),
      series: new Map(),
    };
    const first = new Map(labelled.map((row) => [row.tip, row]));
    const points = [...labels.points.keys()].map((tip) => {
      const point = about.get(tip);
      return pointRow(tip, first.get(tip), point, this.distributions.get(point?.samples ?? ''));
    });
    for (const { series } of [...points, ...labelled])
      if (typeof series === 'string' && !labels.series.has(series))
        labels.series.set(series, labels.series.size);
    const { config, ...rest } = spec as { config?: unknown };
    const known = this.configs.indexOf(JSON.stringify(config));
    if (known < 0) this.configs.push(JSON.stringify(config));
    const packed = {
      number,
      name: figure.name,
      title: figure.title,
      ...(figure.host === undefined ? {} : { host: figure.host }),
      rows: this.packed(figure.rows, figure.hasLongTable === true ? 6 : null),
      spec: this.withoutRows(rest),
      config: known < 0 ? config : known,
      points: this.packed(points, null),
      series: [...labels.series.keys()],
    };
    // Packing the rows above has added new columns to `fresh`.
    const data: PackedFigure = { ...packed, fresh: this.fresh };
    this.fresh = [];
    return { markup: jsonScript(`data-${figure.name}`, data), labels };
  }

  private withoutRows(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.withoutRows(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        key === 'values' && isRows(one) ? this.packed(one, 6) : this.withoutRows(one),
      ]),
    );
  }

  /**
   * Converts chart rows to columns. Columns that the page does not contain yet are added to `fresh`, to be written with this chart.
   * @param digits significant digits to which numbers are rounded; null = full precision. A column that the page already has in
   * full precision is used instead of a rounded one.
   */
  private packed(rows: readonly ChartRow[], digits: number | null): PackedRows {
    const fields = new Set(rows.flatMap((row) => Object.keys(row)));
    return {
      rows: rows.length,
      columns: Object.fromEntries(
        [...fields].map((field) => [
          field,
          this.column(
            rows.map((row) => row[field] ?? null),
            digits,
          ),
        ]),
      ),
    };
  }

  private column(values: (string | number | null)[], digits: number | null): number {
    const whole = columnOf(values);
    const found = this.known.get(JSON.stringify(whole));
    if (found !== undefined) return found;
    const column =
      digits === null || !Array.isArray(whole)
        ? whole
        : whole.map((value) => (value === null ? null : Number(value.toPrecision(digits))));
    const text = JSON.stringify(column);
    const number = this.known.get(text) ?? this.known.size;
    if (number === this.known.size) {
      this.known.set(text, number);
      this.fresh.push(column);
    }
    return number;
  }
}

function columnOf(values: readonly (string | number | null)[]): PackedColumn {
  if (values.every((value): value is number | null => typeof value === 'number' || value === null))
    return [...values];
  const words = new Map<string | number | null, number>();
  const runs: number[] = [];
  for (const value of values) {
    const word = words.get(value) ?? words.size;
    words.set(value, word);
    if (runs.at(-2) === word) runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
    else runs.push(word, 1);
  }
  return { words: [...words.keys()], runs };
}

const isRows = (value: unknown): value is ChartRow[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFields);

/** Returns all data rows that a Vega-Lite specification contains, at any depth. */
function rowsWithin(value: unknown): ChartRow[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(rowsWithin);
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'values' && isRows(one) ? one : rowsWithin(one),
  );
}

const short = (value: number | null): number | null => (value === null ? null : Number(value.toPrecision(4)));

function pointRow(
  tip: string,
  row: ChartRow | undefined,
  about: AboutPoint | undefined,
  bins: string | undefined,
): PointFacts {
  const series = typeof row?.series === 'string' ? row.series : null;
  if (about === undefined) return { tip, series };
  const { transport, what, x, at, figure } = about;
  const known = { tip, series, transport, what, x, at };
  if (figure === undefined) return known;
  const { value, interval, samples, launches, min, max, p5, p95, p99, launchValues } = figure;
  return {
    ...known,
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    why: figure.intervalReason,
    samples,
    launches,
    min: short(min),
    p5: short(p5),
    p95: short(p95),
    p99: short(p99),
    max: short(max),
    each: launchValues.map(short).join(' '),
    ...(bins === undefined ? {} : { bins }),
  };
}
