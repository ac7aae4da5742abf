import type { ImportedRun } from '../../results/import/to-run.ts';
import type { RecordingResult } from '../../results/record/index.ts';
import { plural } from '../../results/units.ts';
import type { DocumentBlock } from '../document/blocks.ts';
import { terminalLines } from '../document/terminal.ts';
import { callTable } from '../recording/calls.ts';
import { capitalise } from '../wording.ts';

/**
 * Returns the results of a recorded job (`collbench record`) as text for a terminal.
 * @param dir folder of the run
 * @param width width of the terminal in characters
 */
export function recordedText(
  { run, totals, ranks, job }: RecordingResult,
  dir: string,
  width: number,
): string {
  const imported = run.plan.imported as NonNullable<ImportedRun['plan']['imported']>;
  const sentences = [...(imported.says ?? []), ...imported.notices].map(
    (text): DocumentBlock => ({ kind: 'paragraph', text: `${capitalise(text)}.` }),
  );
  const title = `recorded: ${imported.program}, ${plural(ranks, 'rank')}`;
  const form = { columns: width, color: false };
  return `${[
    ...terminalLines([{ kind: 'section', title, body: [callTable(totals), ...sentences] }], form),
    `Timeline: ${dir}/timeline.json, for ui.perfetto.dev or chrome://tracing`,
    `Run: ${dir}`,
    `Next: collbench report ${dir}`,
    ...(job === null ? [] : [`Next: collbench replay ${dir} --ranks ${job.ranks ?? ranks}`]),
  ].join('\n')}\n`;
}
