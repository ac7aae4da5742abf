// The figure that nccl-tests ends with.
import { mean } from 'simple-statistics';
import { derivedOf, type FigureData, type OkCell, type WorkloadData } from '../results/schema/index.ts';
import { chartedRow, figureRow } from './rows.ts';
import { isOk, type SeriesGroup } from './series.ts';
import { formatBandwidth, plural } from './wording.ts';

/** More would fill the screen: the least and the most stand for all. */
const mostLines = 4;

/** What the other program averages, and the figure that it is made of; null where no figure is that of another program. */
function averaged(row: WorkloadData): { rate: FigureData; from: string; program: string } | null {
  const rate = chartedRow(row);
  if (rate?.isPerLink !== true) return null;
  const found = rate.from.map((name) => figureRow(row, name)).find((one) => one?.sameAs !== undefined);
  return found?.sameAs === undefined ? null : { rate, from: found.name, program: found.sameAs };
}

const rateOf = (cell: OkCell, { name, from }: FigureData, wanted: string): number | undefined =>
  [wanted, ...from].map((one) => derivedOf(cell, name, one)?.value).find((value) => value !== undefined);

interface MeanTime {
  name: string;
  program: string;
  title: string;
  values: number[];
  /** Planned, with what has no figure. */
  planned: number;
}

/**
 * "# Avg bus bandwidth: 2.31 GB/s", one per transport and series: the mean over sizes and placements, as nccl-tests has it
 * (common.cu: each row and both of its halves count alike). No score: large and small messages weigh the same.
 */
export function averageSentences(groups: readonly SeriesGroup[]): string[] {
  const found = new Map<string, MeanTime>();
  for (const group of groups) {
    const what = averaged(group.row);
    if (what === null) continue;
    // Both placements count together.
    const title = group.title.split(', ')[0] ?? '';
    for (const series of group.series) {
      const key = `${title} over ${series.name}`;
      const { rate, from, program } = what;
      const one = found.get(key) ?? { name: key, program, title: rate.title, values: [], planned: 0 };
      for (const { cell } of series.slots) {
        one.planned += 1;
        const value = isOk(cell) ? rateOf(cell, rate, from) : undefined;
        if (value !== undefined) one.values.push(value);
      }
      found.set(key, one);
    }
  }
  return sentencesOf([...found.values()].filter(({ values }) => values.length > 0));
}

function sentencesOf(all: readonly MeanTime[]): string[] {
  const [first] = all;
  if (first === undefined) return [];
  const left = all.reduce((sum, { planned, values }) => sum + planned - values.length, 0);
  const without = left === 0 ? '' : `, ${plural(left, 'result')} left out`;
  const note = ` (${first.program}' figure: mean over sizes and placements${without}; not a score)`;
  const head = `# Avg ${first.title}`;
  if (all.length > mostLines) {
    const means = all.map(({ values }) => mean(values));
    const [least, most] = [Math.min(...means), Math.max(...means)].map(formatBandwidth);
    return [`${head}: ${least} to ${most} in ${plural(all.length, 'series', 'series')}${note}`];
  }
  return all.map(({ name, values }, i) => {
    const of = all.length === 1 ? '' : ` of ${name}`;
    return `${head}${of}: ${formatBandwidth(mean(values))}${i === 0 ? note : ''}`;
  });
}
