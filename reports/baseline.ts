import { detectableOf } from '../results/baseline/detectable.ts';
import { loadFlagsOf } from '../results/compare/load.ts';
import { usualOptions } from '../results/compare/options.ts';
import { type Baseline, isOk } from '../results/schema/index.ts';
import { formatCount, formatPercent, plural, wrap } from './wording.ts';

const { groupThreshold, cellThreshold } = usualOptions;

/**
 * Returns the description of a baseline (stored results with which later runs are compared) as lines, with a newline at the end. It
 * names the source, the suite entries and the number of configurations. If `collbench baseline learn` has measured how much
 * launches and nights scatter, it adds for each series and size range this scatter, and the smallest change of time that a
 * comparison can detect; else a line says that nothing was learned.
 */
export function baselineText(value: Baseline): string {
  const { name, source, setAt, entries, learned } = value;
  const cells = entries.reduce((sum, entry) => sum + entry.cells.length, 0);
  const lines = [
    `baseline ${name}: ${source.kind} ${source.id}, set ${setAt.slice(0, 16).replace('T', ' ')} UTC`,
    `  ${source.title}`,
    `  ${plural(entries.length, 'entry', 'entries')}, ${plural(cells, 'configuration')}: ${entries.map(({ entry }) => entry).join(', ')}`,
    ...disturbedLines(value).map((line) => `  ${line}`),
  ];
  if (learned === null) {
    return [
      ...lines,
      '  scatter between nights: as earlier runs show it (nothing was learned with collbench baseline learn)',
      '',
    ].join('\n');
  }
  const { from, groups } = learned;
  lines.push(
    `  scatter learned from ${from.join(', ')}`,
    `  a change counts from ${formatPercent(groupThreshold)} of a size range, ${formatPercent(cellThreshold)} of a size; smallest detectable change:`,
  );
  for (const one of groups) {
    const { anchor, night } = detectableOf(one, groups.length);
    const sd = (variance: number) => formatPercent(Math.sqrt(variance));
    lines.push(
      ...wrap(`  ${one.entry}: ${one.title}`, 102, '    '),
      `    ${formatPercent(anchor)} against a reference build, ${formatPercent(night)} against another night (launches scatter ${sd(one.group.variance)}, nights ${sd(one.night.variance)}, ${plural(one.launches, 'launch', 'launches')})`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Returns a baseline (stored results with which later runs are compared) as object for --json. It has all fields except the
 * results, which are too many to print: of each suite entry (benchmark command) only the name, the id of its run, and the number of
 * configurations.
 */
export const baselineJson = ({ entries, ...rest }: Baseline): object => ({
  ...rest,
  entries: entries.map(({ entry, record, cells }) => ({ entry, run: record.id, cells: cells.length })),
});

/**
 * Returns the line about one baseline for the list of all baselines: name, time at which it was set, source, number of runs from
 * which scatter was learned, and title. A baseline is stored results with which later runs are compared. The line ends with a
 * newline.
 */
export function baselineLine({ name, setAt, source, learned }: Baseline): string {
  const nights = learned === null ? 'nothing learned' : `learned from ${learned.from.length} runs`;
  return `${name}  ${setAt.slice(0, 16).replace('T', ' ')}  ${source.kind} ${source.id}  ${nights}  ${source.title}\n`;
}

/**
 * Returns a line about the configurations of a baseline that other processes disturbed, because comparisons with them mostly have no
 * verdict; none if there are no such configurations.
 */
function disturbedLines({ entries }: Baseline): string[] {
  const measured = entries.flatMap(({ cells }) => cells.filter(isOk));
  const flags = measured.map(loadFlagsOf).filter((names) => names.length > 0);
  if (flags.length === 0) return [];
  const names = [...new Set(flags.flat())].join(', ');
  return [
    `! other processes disturbed ${formatCount(flags.length)} of ${plural(measured.length, 'configuration')} (${names}): a baseline of a quiet machine is better, measured with --wait-quiet`,
  ];
}

/**
 * Returns the message that a run or suite was stored as baseline, with which later runs are compared; it ends with a newline. A
 * second line warns if other processes disturbed the measurement.
 * @param before baseline of the same name that was replaced; null = none
 * @param file path of the baseline's file
 */
export function baselineSetText(value: Baseline, before: Baseline | null, file: string): string {
  const { name, source, entries } = value;
  const cells = entries.reduce((sum, one) => sum + one.cells.length, 0);
  const instead = before === null ? '' : `, replaces ${before.source.kind} ${before.source.id}`;
  const set = `baseline ${name}: ${source.kind} ${source.id}, ${plural(cells, 'configuration')} of ${plural(entries.length, 'entry', 'entries')}${instead} · ${file}`;
  return [set, ...disturbedLines(value), ''].join('\n');
}
