// The models of time over message size of a run's series: parameters and lines, or predictions for another number of ranks.
import { predict } from '../results/models/predict.ts';
import type { FittedModel, ModelSegment } from '../results/models/series-model.ts';
import { transportRow, trialOf } from '../results/schema/index.ts';
import {
  type CellColumn,
  type DocumentBlock,
  type DocumentText,
  onlyIn,
  tableOf,
} from './document/blocks.ts';
import { terminalText } from './document/terminal.ts';
import {
  bandwidthRow,
  estimateText,
  modelSentences,
  modelsOf,
  reasonText,
  type SeriesWithModel,
} from './models.ts';
import type { SeriesGroup } from './series.ts';
import type { ReportTopic } from './topics/topic.ts';
import { formatBandwidth, formatPercent, formatTime, joinWords, plural } from './wording.ts';

export const models: ReportTopic = {
  id: 'models',
  chapter: 'algorithms',
  title: 'Models',
  only: ['page'],
  ofReport: (groups) => modelDocument(groups),
};

/**
 * Returns the models of a run for a terminal of `columns` characters, without colours.
 * @param ranks number of ranks for which times are predicted, instead of listing the lines of the models; null = no prediction
 */
export const modelText = (groups: readonly SeriesGroup[], columns: number, ranks: number | null): string =>
  terminalText(modelDocument(groups, ranks), { columns, color: false });

/**
 * Returns the models of time over message size as a document. A terminal shows a sentence and the lines (or, for `ranks` ranks,
 * predicted times) of each series; an HTML page shows tables of those series to which a model fits. If no series has enough sizes,
 * only a terminal says so.
 */
function modelDocument(groups: readonly SeriesGroup[], ranks: number | null = null): DocumentBlock[] {
  const all = groups.flatMap(modelsOf);
  if (all.length === 0)
    return [
      onlyIn('terminal', { kind: 'paragraph', text: 'No series has the four sizes that a model needs.' }),
    ];
  const fitted = all.flatMap(({ model, ...rest }): ModelRow[] =>
    model.status === 'fitted' ? [{ ...rest, model }] : [],
  );
  const sentences = modelSentences(groups);
  const columns = nameColumns(groups.length > 1);
  const notice: DocumentBlock = { kind: 'paragraph', text: { strong: 'Model, not measured.' } };
  const inTerminal = onlyIn(
    'terminal',
    notice,
    ...all.flatMap((one, i) => seriesBlocks(one, `${sentences[i]}.`, ranks)),
  );
  // On CPUs no model fits most series, so a page shows only series that have a model.
  if (fitted.length === 0) return [inTerminal];
  return [
    inTerminal,
    onlyIn(
      'page',
      notice,
      { kind: 'paragraph', text: introductionTo(fitted) },
      parameterTable(fitted, columns),
      {
        kind: 'folded',
        summary: 'All lines of the models',
        body: [
          tableOf([...columns, ...lineColumns(fitted)], fitted.flatMap(linesOf), {
            caption: 'Lines of the models: time of S bytes is α + S / rate from the first to the last size.',
          }),
        ],
      },
    ),
  ];
}

type ModelRow = SeriesWithModel & { model: FittedModel };

function introductionTo(fitted: readonly ModelRow[]): DocumentText {
  const reasons = [...new Set(fitted.flatMap(({ model }) => model.intervalReason ?? []))];
  const intervals =
    reasons.length > 0
      ? `There are no intervals: ${joinWords(reasons)}.`
      : '± is half of the 95 % interval, from resampling launches.';
  return [
    'Each series is described by one to four straight lines T = α + βS, fitted to relative errors so that each size counts alike; a new line starts where the library changes its algorithm or the machine reaches another limit. Latency is α of the first line, saturation 1/β of the last, the half size n½ the smallest message that gets half of it. Series in which a line misses a time by more than 10 % have no model and are left out. ',
    `${intervals} Predict other numbers of ranks: `,
    { code: 'collbench model RUN --predict ranks=N' },
    '.',
  ];
}

const nameColumns = (isSeveral: boolean): CellColumn<SeriesWithModel>[] => [
  ...(isSeveral ? [{ head: 'series', cell: ({ group }: SeriesWithModel) => group.title }] : []),
  {
    head: 'over',
    cell: ({ series: { name, medium } }) => (medium === 'emulated' ? [`${name} `, { label: medium }] : name),
  },
];

function parameterTable(
  rows: readonly ModelRow[],
  names: readonly CellColumn<SeriesWithModel>[],
): DocumentBlock {
  const [bandwidth] = rows.flatMap(({ group }) => bandwidthRow(group) ?? []);
  const ceilings = [...new Set(rows.flatMap(({ ceiling }) => ceiling?.text ?? []))];
  const compared = ceilings.length === 0 ? '' : ` Ceilings: ${joinWords(ceilings)}.`;
  const saturationOf = ({ model }: ModelRow) => model.saturation;
  const columns: CellColumn<ModelRow>[] = [
    ...names,
    {
      head: 'latency α',
      align: 'right',
      cell: ({ model }) => estimateText(model.latencyNs, (ns) => formatTime(ns)),
    },
    {
      head: `saturation, ${bandwidth?.longHead ?? bandwidth?.head}`,
      align: 'right',
      cell: ({ model: { saturation } }) =>
        saturation === null ? null : estimateText(saturation.busGBps, formatBandwidth),
    },
    { head: 'reached', quantity: 'share', cell: (row) => saturationOf(row)?.reachedShare ?? null },
    { head: 'of ceiling', quantity: 'share', cell: shareOfCeiling },
    {
      head: 'half size n½',
      align: 'right',
      cell: ({ model: { saturation }, group }) =>
        saturation === null ? null : estimateText(saturation.halfBytes, group.x.about),
    },
    { head: 'lines', align: 'right', cell: ({ model }) => model.segments.length },
    {
      head: 'worst miss',
      align: 'right',
      cell: ({ model: { largestResidual: miss }, group: { x } }) =>
        `${formatPercent(miss.share)} at ${x.text(miss.bytes)}`,
    },
    { head: 'note', cell: ({ model }) => model.saturationReason },
  ];
  return tableOf(columns, rows, {
    title: 'Models.',
    caption: `Reached is the bandwidth measured at the largest size as a share of saturation; worst miss the largest share of a time by which its line is off.${compared}`,
    summary: `Models of ${plural(rows.length, 'series', 'series')}`,
  });
}

const shareOfCeiling = ({ model: { saturation }, ceiling }: ModelRow): number | null =>
  ceiling === null || saturation === null ? null : saturation.busGBps.value / ceiling.busGBps;

interface ModelLine extends ModelRow {
  segment: ModelSegment;
  /**
   * Change of the engine's algorithm or protocol nearest to the start of this line, at most one size away: "Ring/LL to Ring/Simple".
   * '' if there is no such change, if the engine does not report what it chose, and for the first line.
   */
  change: string;
}

const linesOf = (row: ModelRow): ModelLine[] =>
  row.model.segments.map((segment, i) => ({
    ...row,
    segment,
    change: row.model.breaks[i - 1]?.choice ?? '',
  }));

const lineColumns = ([first]: readonly ModelRow[]): CellColumn<ModelLine>[] =>
  first === undefined
    ? []
    : [
        { head: 'from', quantity: first.group.x, cell: ({ segment }) => segment.firstBytes },
        { head: 'to', quantity: first.group.x, cell: ({ segment }) => segment.lastBytes },
        { head: 'α', quantity: 'ns', cell: ({ segment }) => segment.alphaNs },
        {
          head: 'rate 1/β',
          quantity: 'GB/s',
          cell: ({ segment: { nsPerByte } }) => (nsPerByte > 0 ? 1 / nsPerByte : 'time does not grow'),
        },
        { head: 'the engine changed', cell: ({ change }) => change },
      ];

/**
 * Returns the document blocks about one series for a terminal: its sentence, and below it the lines of its model. If `ranks` is not
 * null, the lines are replaced by the range of times predicted for each size, and the reason why other sizes, or all, have no
 * prediction. Without a model only the sentence is returned.
 */
function seriesBlocks(one: SeriesWithModel, sentence: string, ranks: number | null): DocumentBlock[] {
  const { model, group } = one;
  const alone: DocumentBlock = { kind: 'paragraph', text: sentence };
  const name = { head: '', names: 'above' as const, cell: () => sentence };
  if (model.status === 'none') return [alone];
  if (ranks === null) {
    const row = { ...one, model };
    return [tableOf([name, ...lineColumns([row])], linesOf(row))];
  }
  const found = predictionOf(one, ranks);
  if (found.status === 'none')
    return [alone, { kind: 'paragraph', text: `no prediction for ${ranks} ranks: ${found.reason}` }];
  return [
    tableOf(
      [
        name,
        { head: group.x.noun, quantity: group.x, cell: ({ bytes }) => bytes },
        { head: 'from', quantity: 'ns', cell: ({ lowNs }) => lowNs },
        { head: `to, ${ranks} ranks`, quantity: 'ns', cell: ({ highNs }) => highNs },
      ],
      found.at,
    ),
    ...(found.missing === null
      ? []
      : [{ kind: 'paragraph' as const, text: `other sizes: ${found.missing}` }]),
  ];
}

/**
 * Returns the times that predict() computes for one series with another number of ranks: `at` has a range of times per size,
 * `missing` the reason why other sizes have none (null = all have one). If no prediction is possible, `status` is `none` and
 * `reason` says why.
 */
function predictionOf({ group, series, points, model }: SeriesWithModel, ranks: number) {
  if (model.status === 'none') return { status: 'none' as const, reason: reasonText(model, group) };
  const { hosts } = series.run.plan;
  return predict({
    what: group.what,
    model,
    points,
    fromRanks: series.member?.ranks.length ?? series.run.plan.ranks,
    toRanks: ranks,
    // GPUs with NVLink have links of their own; all other ranks of one host share its memory.
    isShared: hosts.length === 1 && transportRow(series.transport)?.gpuLinks !== 'nvlink',
  });
}

/**
 * Returns one object for --json per series with enough sizes. If no model fits a series, `status` is `none`.
 * @param ranks number of ranks for which times are predicted; null = no prediction
 */
export function modelObjects(groups: readonly SeriesGroup[], ranks: number | null): object[] {
  return groups.flatMap(modelsOf).map((modelled) => {
    const { group, series, model, ceiling } = modelled;
    const { engine } = series.run.plan;
    const name = {
      run: series.run.id,
      series: group.title,
      trial: trialOf(group.row, group.figure),
      engine,
      transport: series.transport,
    };
    const prediction = ranks === null ? {} : { predicted: { ranks, ...predictionOf(modelled, ranks) } };
    return {
      type: 'model',
      ...name,
      medium: series.medium,
      group: series.member?.name ?? null,
      // The text of the ceiling contains its name, so the name is left out.
      ceiling: ceiling === null ? null : { ...ceiling, name: undefined },
      ...model,
      ...prediction,
    };
  });
}
