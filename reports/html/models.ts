import type { FittedModel, ModelSegment } from '../../results/models/index.ts';
import { bandwidthRow, estimateText, modelsOf, reasonText, type SeriesWithModel } from '../models.ts';
import type { SeriesGroup } from '../series.ts';
import { formatBandwidth, formatPercent, formatTime, joinWords, plural } from '../wording.ts';
import { html, type SafeHtml, type TableColumn, table } from './markup.ts';

const dash = '–';
/** Maximum number of rows of a table that the page shows open; a longer table is collapsed. */
const mostRows = 24;

type ModelRow = SeriesWithModel & { model: FittedModel };

/**
 * Returns the section about models of time over message size; null if no series has enough sizes for a model.
 * @param next returns the next table number
 */
export function modelsSection(groups: readonly SeriesGroup[], next: () => number): SafeHtml | null {
  const all = groups.flatMap(modelsOf);
  if (all.length === 0) return null;
  const fitted = all.flatMap(({ model, ...rest }): ModelRow[] =>
    model.status === 'fitted' ? [{ ...rest, model }] : [],
  );
  const without = all.flatMap(({ model, group, series }) =>
    model.status === 'none' ? [`${group.title} over ${series.name}: ${reasonText(model, group)}`] : [],
  );
  const reasons = [...new Set(fitted.flatMap(({ model }) => model.intervalReason ?? []))];
  const intervals =
    fitted.length === 0
      ? ''
      : reasons.length > 0
        ? `There are no intervals: ${joinWords(reasons)}.`
        : '± is half of the 95 % interval, from resampling launches.';
  return html`<p><b>Model, not measured.</b> Each series is described by one to four straight lines T = α + βS, fitted to relative errors so that each size counts alike; a new line starts where the library changes its algorithm or the machine reaches another limit. Latency is α of the first line, saturation 1/β of the last, the half size n½ the smallest message that gets half of it. There is no model where a line misses a time by more than 10 %. ${intervals} Predict other numbers of ranks: <code>collbench model RUN --predict ranks=N</code>.</p>
${fitted.length === 0 ? '' : folded(parameterTable(fitted, groups.length > 1, next()), fitted.length)}
${fitted.length === 0 ? '' : html`<details><summary>All lines of the models</summary>${linesTable(fitted, groups.length > 1)}</details>`}
${without.length === 0 ? '' : html`<p>Without a model: ${joinWords(without)}.</p>`}`;
}

const folded = (body: SafeHtml, rows: number): SafeHtml =>
  rows <= mostRows
    ? body
    : html`<details><summary>Models of ${plural(rows, 'series', 'series')}</summary>${body}</details>`;

function nameColumns<T extends SeriesWithModel>(several: boolean): TableColumn<T>[] {
  return [
    ...(several ? [{ head: 'series', cell: (r: T) => r.group.title }] : []),
    {
      head: 'over',
      cell: (r: T) =>
        html`${r.series.name}${r.series.medium === 'emulated' ? html` <span class="emu">emulated</span>` : ''}`,
    },
  ];
}

function parameterTable(rows: readonly ModelRow[], several: boolean, number: number): SafeHtml {
  const saturation = (row: ModelRow) => row.model.saturation;
  const [bandwidth] = rows.flatMap(({ group }) => bandwidthRow(group) ?? []);
  const hasCeiling = rows.some(({ ceiling }) => ceiling !== null);
  const columns: TableColumn<ModelRow>[] = [
    ...nameColumns<ModelRow>(several),
    {
      head: 'latency α',
      number: true,
      cell: ({ model }) => estimateText(model.latencyNs, (ns) => formatTime(ns, 'µs')),
    },
    {
      head: `saturation, ${bandwidth?.longHead ?? bandwidth?.head}`,
      number: true,
      cell: (r) =>
        saturation(r) === null ? dash : estimateText(r.model.saturation?.busGBps ?? none, formatBandwidth),
    },
    {
      head: 'reached',
      number: true,
      cell: (r) => (saturation(r) === null ? dash : formatPercent(saturation(r)?.reachedShare ?? 0)),
    },
    ...(hasCeiling ? [{ head: 'of ceiling', number: true, cell: ofCeiling }] : []),
    {
      head: 'half size n½',
      number: true,
      cell: (r) =>
        saturation(r) === null ? dash : estimateText(r.model.saturation?.halfBytes ?? none, r.group.x.about),
    },
    { head: 'lines', number: true, cell: ({ model }) => model.segments.length },
    {
      head: 'worst miss',
      number: true,
      cell: ({ model, group }) =>
        `${formatPercent(model.largestResidual.share)} at ${group.x.text(model.largestResidual.bytes)}`,
    },
    {
      head: 'note',
      cell: ({ model }) => model.saturationReason ?? '',
    },
  ];
  const shown = columns.filter(
    ({ head }) => head !== 'note' || rows.some(({ model }) => model.saturationReason !== null),
  );
  const ceilings = [...new Set(rows.flatMap(({ ceiling }) => ceiling?.text ?? []))];
  const held = ceilings.length === 0 ? '' : ` Ceilings: ${joinWords(ceilings)}.`;
  return table(
    html`<b>Table ${number}. Models.</b> Reached is the bandwidth measured at the largest size as a share of saturation; worst miss the largest share of a time by which its line is off.${held}`,
    shown,
    rows,
  );
}

const none = { value: 0, interval: null };

function ofCeiling({ model, ceiling }: ModelRow): string {
  if (ceiling === null || model.saturation === null) return dash;
  return formatPercent(model.saturation.busGBps.value / ceiling.busGBps);
}

interface LineRow extends ModelRow {
  segment: ModelSegment;
  /** True for the first row of a series; its further rows do not repeat the series' name. */
  isFirst: boolean;
  change: string;
}

function linesTable(rows: readonly ModelRow[], several: boolean): SafeHtml {
  const lines = rows.flatMap((row): LineRow[] =>
    row.model.segments.map((segment, i) => ({
      ...row,
      segment,
      isFirst: i === 0,
      change: row.model.breaks[i - 1]?.choice ?? '',
    })),
  );
  const names = nameColumns<LineRow>(several).map((column) => ({
    ...column,
    cell: (r: LineRow) => (r.isFirst ? column.cell(r) : ''),
  }));
  return table(
    'Lines of the models: time of S bytes is α + S / rate from the first to the last size.',
    [
      ...names,
      { head: 'from', number: true, cell: ({ segment, group }: LineRow) => group.x.text(segment.firstBytes) },
      { head: 'to', number: true, cell: ({ segment, group }: LineRow) => group.x.text(segment.lastBytes) },
      { head: 'α', number: true, cell: ({ segment }: LineRow) => formatTime(segment.alphaNs, 'µs') },
      {
        head: 'rate 1/β',
        number: true,
        cell: ({ segment }: LineRow) =>
          segment.nsPerByte > 0 ? formatBandwidth(1 / segment.nsPerByte) : 'time does not grow',
      },
      { head: 'the engine changed', cell: ({ change }: LineRow) => change },
    ].filter(({ head }) => head !== 'the engine changed' || lines.some(({ change }) => change !== '')),
    lines,
    ({ isFirst }) => (isFirst ? 'first' : ''),
  );
}
