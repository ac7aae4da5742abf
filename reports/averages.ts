// Average bus bandwidth, the last line that nccl-tests prints.
import { mean } from 'simple-statistics';
import {
  derivedOf,
  type FigureData,
  type OkCell,
  titleOf,
  type WorkloadData,
} from '../results/schema/index.ts';
import { chartedRow, figureRow } from './rows.ts';
import { axesOf, isOk, type SeriesGroup } from './series.ts';
import { formatBandwidth, plural } from './wording.ts';

/**
 * Maximum number of series for which an average is printed, each on a line. With more, a single line gives the lowest and the
 * highest average.
 */
const maxLines = 4;

/**
 * Returns the workload's main rate (`rate`), if it is a bandwidth per link and another benchmark (`program`), such as nccl-tests,
 * prints its average. `from` is the measured time from which collbench computes the rate; `program` prints the same time. Null
 * otherwise.
 */
function averagedRate(row: WorkloadData): { rate: FigureData; from: FigureData; program: string } | null {
  const rate = chartedRow(row);
  if (rate?.isPerLink !== true) return null;
  const found = rate.from.map((name) => figureRow(row, name)).find((one) => one?.sameAs !== undefined);
  return found?.sameAs === undefined ? null : { rate, from: found, program: found.sameAs };
}

const rateOf = (cell: OkCell, { name, from }: FigureData, wanted: string): number | undefined =>
  [wanted, ...from].map((one) => derivedOf(cell, name, one)?.value).find((value) => value !== undefined);

interface MeanTime {
  name: string;
  program: string;
  title: string;
  /** Title of the measured time from which the averaged rates are computed: "pipelined time". */
  time: string;
  values: number[];
  /** Number of planned configurations over which the mean is to be taken, including those without a measured value. */
  planned: number;
}

/**
 * Returns the average bandwidth as nccl-tests prints it, one line per operation and series: "# Avg bus bandwidth: 2.31 GB/s". As in
 * nccl-tests, the mean is over sizes and placements (in place and out of place), all with equal weight. A remark in the first line
 * names the time from which the rates are computed, and counts the configurations without a value; with `isBrief` it only names the
 * time. With more than four series, a single line has the lowest and the highest average. Empty if no such bandwidth was measured.
 */
export function averageSentences(groups: readonly SeriesGroup[], isBrief = false): string[] {
  const found = new Map<string, MeanTime>();
  for (const group of groups) {
    const what = averagedRate(group.row);
    if (what === null) continue;
    // A title without flags is equal for in place and out of place, so both are averaged together.
    const title = titleOf(group.row, axesOf(group), null);
    for (const series of group.series) {
      const key = `${title} over ${series.name}`;
      const { rate, from, program } = what;
      const one = found.get(key) ?? {
        name: key,
        program,
        title: rate.title,
        time: from.title,
        values: [],
        planned: 0,
      };
      for (const { cell } of series.slots) {
        one.planned += 1;
        const value = isOk(cell) ? rateOf(cell, rate, from.name) : undefined;
        if (value !== undefined) one.values.push(value);
      }
      found.set(key, one);
    }
  }
  return sentencesOf(
    [...found.values()].filter(({ values }) => values.length > 0),
    isBrief,
  );
}

function sentencesOf(all: readonly MeanTime[], isBrief: boolean): string[] {
  const [first] = all;
  if (first === undefined) return [];
  const left = all.reduce((sum, { planned, values }) => sum + planned - values.length, 0);
  const without = left === 0 ? '' : `, ${plural(left, 'result')} left out`;
  const note = isBrief
    ? ` (from ${first.time}; not a score)`
    : ` (${first.program}' figure: from ${first.time}, mean over sizes and placements${without}; not a score)`;
  const head = `# Avg ${first.title}`;
  if (all.length > maxLines) {
    const means = all.map(({ values }) => mean(values));
    const [least, most] = [Math.min(...means), Math.max(...means)].map(formatBandwidth);
    return [`${head}: ${least} to ${most} in ${plural(all.length, 'series', 'series')}${note}`];
  }
  return all.map(({ name, values }, i) => {
    const of = all.length === 1 ? '' : ` of ${name}`;
    return `${head}${of}: ${formatBandwidth(mean(values))}${i === 0 ? note : ''}`;
  });
}
