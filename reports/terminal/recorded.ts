import type { ImportedRun } from '../../results/import/to-run.ts';
import type { FunctionTotal, RecordingResult } from '../../results/record/index.ts';
import { bytesText, countText, formatTime, plural, sizeText } from '../../results/units.ts';
import { capitalise, wrap } from '../wording.ts';

const mostRows = 12;

/** Returns the table row about all calls of one function with one size, with the mean time of a call. */
function row({
  function: name,
  bytesEach,
  calls,
  bytes,
  hostNs,
  deviceNs,
  timed,
  issued,
}: FunctionTotal): string[] {
  const time = timed > 0 ? deviceNs / timed : hostNs / calls;
  const what = timed > 0 ? 'kernel' : issued === calls ? 'begin' : 'call';
  return [
    name,
    bytesEach ? sizeText(bytesEach) : '',
    countText(calls),
    bytes > 0 ? bytesText(bytes) : '',
    time > 0 ? `${formatTime(time)} ${what}` : 'not known',
  ];
}

/**
 * Returns the results of a recorded job (`collbench record`) as text for the terminal.
 * @param dir folder of the run
 * @param width width of the terminal
 */
export function recordedText(
  { run, totals, ranks, job }: RecordingResult,
  dir: string,
  width: number,
): string {
  const imported = run.plan.imported as NonNullable<ImportedRun['plan']['imported']>;
  const head = ['function', 'size', 'calls', 'all bytes', 'mean time'];
  const table = [head, ...totals.slice(0, mostRows).map(row)];
  const widths = head.map((_, i) => Math.max(...table.map((cells) => cells[i]?.length ?? 0)));
  const lines = table.map((cells) =>
    `  ${cells.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  ')}`.trimEnd(),
  );
  const rest = totals.length - mostRows;
  const told = (text: string) => wrap(`${capitalise(text)}.`, width - 2).map((line) => `  ${line}`);
  return `${[
    `recorded: ${imported.program}, ${plural(ranks, 'rank')}`,
    ...lines,
    ...(rest > 0 ? [`  and ${plural(rest, 'more row')} in the report`] : []),
    ...(imported.says ?? []).flatMap(told),
    ...imported.notices.flatMap(told),
    `Timeline: ${dir}/timeline.json, for ui.perfetto.dev or chrome://tracing`,
    `Run: ${dir}`,
    `Next: collbench report ${dir}`,
    ...(job === null ? [] : [`Next: collbench replay ${dir} --ranks ${job.ranks ?? ranks}`]),
  ].join('\n')}\n`;
}
