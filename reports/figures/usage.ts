// Table of the system use (processors, memory, GPUs) while each operation was measured, as means over the timed blocks.
import { LoadAlignment } from '../../results/derive/metrics/align.ts';
import type { MetricsSeries } from '../../results/derive/metrics/load.ts';
import { spansOfHost } from '../../results/derive/metrics/windows.ts';
import { studentQuantile } from '../../results/derive/statistics/student.ts';
import type { CellRecord } from '../../results/schema/index.ts';
import type { ChartRow } from '../charts/index.ts';
import { isUnobservedSeries } from '../rows.ts';
import { isOk, type ReportRun, ranksOf, type Series } from '../series.ts';
import { capitalise, formatCount, formatTime, joinWords } from '../wording.ts';
import { countRange, mediumSentence, originSentence } from './captions.ts';
import { seriesFields } from './coverage.ts';
import type { FigureInput } from './gather.ts';
import type { PaperTable } from './paper.ts';
import { uniqueSeries } from './print-form.ts';
import { modelName, stepGroups } from './steps.ts';
import { quantities, type ReadingSource, reduceReadings, sources, type UsageQuantity } from './system-use.ts';

/**
 * System use on one host while one block was measured. `cell`: index of the block's configuration among those of the run; `ns`:
 * duration of the block; `shares`: mean use during the block, in the order and units (% or GiB) of `quantities` in system-use.ts;
 * null if it was not read.
 */
interface UsageBlock {
  cell: number;
  ns: number;
  /** Time between two readings of the system load, in ns. */
  readingNs: number;
  shares: (number | null)[];
}

/**
 * Returns the system use on one host during each block; blocks during which nothing could be read are left out. Readings are
 * processed one by one, because a run can have very many.
 */
async function blocksOn(series: MetricsSeries, cells: readonly CellRecord[]): Promise<UsageBlock[]> {
  const { header } = series;
  const spans = spansOfHost(header.host, header.attempt, cells);
  const channels = sources.map(({ unit, cumulative }, i) => ({ name: `source${i}.value`, unit, cumulative }));
  const alignment = new LoadAlignment(
    channels,
    spans.map((span, index) => ({ ...span, cell: index })),
  );
  const reduce = reduceReadings(series);
  for await (const line of series.lines()) if ('values' in line) alignment.take(reduce(line));
  return spans.flatMap(({ cell, fromNs, toNs }, index): UsageBlock[] => {
    const mean = (source: ReadingSource) => alignment.of(index, sources.indexOf(source))?.mean ?? null;
    const shares = quantities.map(({ of, by }) => {
      const [value, all] = [mean(of), by === undefined ? 100 : mean(by)];
      return value === null || all === null || all === 0 ? null : (100 * value) / all;
    });
    return shares.every((share) => share === null)
      ? []
      : [{ cell, ns: toNs - fromNs, readingNs: header.intervalUs * 1e3, shares }];
  });
}

/**
 * Returns the mean of several blocks, weighted by their duration, and the half width of its 95 % t interval. Blocks shorter than
 * the time between readings share a reading and are not independent, so n is at most the number of readings. `half` is null with
 * fewer than three blocks or readings.
 * @param values mean of each block and its duration in ns
 * @param readingNs time between two readings, in ns
 */
function meanOf(
  values: readonly { value: number; ns: number }[],
  readingNs: number,
): { mean: number; half: number | null } {
  const all = values.reduce((sum, { ns }) => sum + ns, 0);
  const mean = values.reduce((sum, { value, ns }) => sum + value * ns, 0) / all;
  const k = Math.min(values.length, Math.floor(all / readingNs));
  if (k < minReadings) return { mean, half: null };
  const squares = values.reduce((sum, { value, ns }) => sum + (ns * (value - mean)) ** 2, 0);
  return {
    mean,
    half: (studentQuantile(0.975, k - 1) * Math.sqrt((squares * values.length) / (k - 1))) / all,
  };
}

interface UsageRow {
  what: string;
  series: Series;
  blocks: number;
  seconds: number;
  means: ({ mean: number; half: number | null } | null)[];
}

/**
 * Returns the rows of the table of system use. If training workloads were measured without a profiler, a row is one of their
 * configurations: a model at one x value (for example a batch size). Otherwise a row is one series, with the configurations of all
 * its x values.
 */
function usageRows(material: FigureInput): { series: Series; what: string; cells: CellRecord[] }[] {
  const steps = stepGroups(material).filter(({ series }) => series.every(isUnobservedSeries));
  const groups = steps.length > 0 ? steps : material.groups;
  return groups.flatMap((group) =>
    group.series.flatMap((series) => {
      const ok = series.slots.flatMap(({ x, cell }) => (isOk(cell) ? [{ x, cell }] : []));
      if (steps.length === 0) return [{ series, what: group.title, cells: ok.map(({ cell }) => cell) }];
      return ok.map(({ x, cell }) => ({ series, what: modelName(group, x), cells: [cell] }));
    }),
  );
}

async function blocksOf(run: ReportRun): Promise<UsageBlock[]> {
  const blocks: UsageBlock[] = [];
  for (const series of (await run.metrics?.()) ?? []) blocks.push(...(await blocksOn(series, run.cells)));
  return blocks;
}

export const usage = async (material: FigureInput): Promise<PaperTable[]> => {
  const byRun = new Map<string, UsageBlock[]>();
  for (const run of material.runs) byRun.set(run.record.id, await blocksOf(run));
  const uses = usageRows(material).flatMap(({ series, what, cells }): UsageRow[] => {
    const run = material.runs.find(({ record }) => record.id === series.run.id);
    const mine = new Set(cells.map((cell) => run?.cells.indexOf(cell)));
    const blocks = (byRun.get(series.run.id) ?? []).filter(({ cell }) => mine.has(cell));
    if (blocks.length === 0) return [];
    const means = quantities.map((_one, q) => {
      const values = blocks.flatMap(({ shares, ns }) =>
        shares[q] == null ? [] : [{ value: shares[q], ns }],
      );
      return values.length === 0 ? null : meanOf(values, blocks[0]?.readingNs ?? 1);
    });
    return [{ what, series, blocks: blocks.length, seconds: sumNs(blocks) / 1e9, means }];
  });
  if (uses.length === 0) return [];
  const severalRanks = new Set(uses.map(({ series }) => ranksOf(series))).size > 1;
  const shown = quantities.map((_one, q) => uses.some(({ means }) => means[q] != null));
  const kept = quantities.filter((_one, q) => shown[q]);
  const noun = stepGroups(material).length > 0 ? 'model' : 'operation';
  const blocks = uses.map((use) => use.blocks);
  const apart = [...byRun.values()].flat().map(({ readingNs }) => formatTime(readingNs));
  const readings = joinWords([...new Set(apart)], 'or');
  const lacking = quantities.filter((_one, q) => !shown[q]).map(({ title }) => title);
  return [
    {
      kind: 'table',
      name: 'system-usage',
      title: `System usage by ${noun} and transport`,
      caption: `Mean use of what each machine has while the ${noun} was measured${intervalText(uses)}. n = ${countRange(blocks)} blocks per row; readings every ${readings}; blocks shorter than that share readings, and no more than the readings count. Memory is that of all processes, also of launches that wait for their turn.${lacking.length === 0 ? '' : ` Not read: ${lacking.join(', ')}.`} ${mediumSentence(uniqueSeries(uses.map(({ series }) => series)), 'named in the table')} ${originSentence(material.runs)}`,
      columns: [
        { head: capitalise(noun) },
        ...(severalRanks ? [{ head: 'Ranks', isNumber: true }] : []),
        { head: 'Transport (medium)' },
        { head: 'Blocks', isNumber: true },
        ...kept.map(({ title, unit }) => ({ head: `${title} (${unit})`, isNumber: true })),
      ],
      cells: uses.map((use) => [
        use.what,
        ...(severalRanks ? [formatCount(ranksOf(use.series))] : []),
        use.series.label,
        formatCount(use.blocks),
        ...use.means.filter((_mean, q) => shown[q]).map(meanText),
      ]),
      rows: uses.flatMap((use) =>
        use.means.flatMap((mean, q): ChartRow[] =>
          mean === null ? [] : [rowOf(use, quantities[q] as UsageQuantity, mean)],
        ),
      ),
    },
  ];
};

/** Minimum number of blocks, and of readings, from which an interval is computed. */
const minReadings = 3;

/** Returns the caption's explanation of the number after ±, and the reason why some rows have no such number. */
function intervalText(uses: readonly UsageRow[]): string {
  const halves = uses.flatMap(({ means }) => means.flatMap((mean) => (mean === null ? [] : [mean.half])));
  const without = halves.filter((half) => half === null).length;
  const why = `fewer than ${minReadings} readings`;
  if (without === halves.length) return ` (no intervals: ${why} per row)`;
  return `, ± half the 95 % interval over timed blocks${without === 0 ? '' : ` (none with ${why})`}`;
}

const sumNs = (blocks: readonly UsageBlock[]): number => blocks.reduce((sum, { ns }) => sum + ns, 0);

const meanText = (mean: { mean: number; half: number | null } | null): string =>
  mean === null ? '–' : `${mean.mean.toFixed(1)}${mean.half === null ? '' : ` ± ${mean.half.toFixed(1)}`}`;

function rowOf(
  use: UsageRow,
  { name, unit }: UsageQuantity,
  { mean, half }: { mean: number; half: number | null },
): ChartRow {
  const { what, series, blocks, seconds } = use;
  return {
    ...seriesFields(series, what),
    measure: `mean ${name} use`,
    unit,
    value: mean,
    low: half === null ? null : mean - half,
    high: half === null ? null : mean + half,
    blocks,
    seconds,
  };
}
