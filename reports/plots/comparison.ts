import { nameOfRun } from '../../results/compare/run.ts';
import type { Comparison } from '../../results/schema/index.ts';
import { bandsText, ratioKinds } from '../comparison/chart.ts';
import { plain, trialText, xOfKey } from '../comparison/texts.ts';
import type { TerminalPlot } from '../terminal/plot.ts';

const percent = (value: number): string => `${value > 0 ? '+' : ''}${Number(value.toPrecision(3))} %`;
const change = (ratio: number): number => 100 * (ratio - 1);

/**
 * Returns charts for a terminal of the change of time over x, relative to the base run. There is one chart for each trial (isolated
 * or pipelined) and kind of x axis.
 */
export function comparisonPlots({ base, pairs, rules }: Comparison): TerminalPlot[] {
  return ratioKinds(pairs).flatMap(({ group, rows, names }): TerminalPlot[] => {
    if (rows.length === 0) return [];
    const x = xOfKey(group.key);
    const limit = 100 * rules.cellThreshold;
    return [
      {
        title: `Change of time against ${plain(nameOfRun(base), 40)}, ${trialText(group.key, group.change)} operations; above 0 is slower`,
        x: { title: `${x.title} (log)`, isLog: true, base: x.base, text: x.text },
        y: { title: 'change of time', isLog: false, text: percent },
        series: [...names].map(([label, { medium }]) => ({
          label: `${label}${medium === 'emulated' && !label.includes('emulated') ? ' EMULATED' : ''}`,
          points: rows
            .filter((row) => row.series === label)
            .map(({ [x.field]: at, ratio, low, high }) => ({
              x: Number(at),
              y: change(Number(ratio)),
              low: typeof low === 'number' ? change(low) : null,
              high: typeof high === 'number' ? change(high) : null,
            })),
        })),
        levels: [{ y: 0 }],
        notes: [`${bandsText} Single sizes count from ${percent(limit).slice(1)} on.`],
      },
    ];
  });
}
