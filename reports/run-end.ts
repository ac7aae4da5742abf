import path from 'node:path';
import type { CellRecord, RunRecord } from '../results/schema/index.ts';
import { nameToType, nearPath } from '../results/store/paths.ts';
import { plural } from '../results/units.ts';
import { failureText } from '../results/verdicts/failure.ts';
import { wrongDataText } from '../results/verdicts/verdicts.ts';

/**
 * Returns the text printed at the end of a run with failures or wrong data; it ends with a newline. After failures it adds how many
 * configurations are kept, where the hosts' logs are, and how to resume the run if some are not finished; not for runs of pairs,
 * which cannot be resumed. "" if all went well.
 * @param dir path of the run's folder
 */
export function runEndText(record: RunRecord, cells: readonly CellRecord[], dir: string): string {
  const name = nameToType(record.id, dir);
  const wrong = wrongDataText(cells, name);
  if (record.failures.length === 0) return wrong;
  const failures = record.failures.map(failureText).join('');
  const { expected, pairs } = record.plan;
  // A run of pairs cannot be resumed: its pairs are measured together or not at all.
  if (pairs !== undefined) return wrong + failures;
  const ok = cells.filter((cell) => cell.status === 'ok');
  const whole = ok.filter((cell) => cell.flags.every(({ name }) => name !== 'interrupted'));
  const resume = `collbench resume ${name}`;
  const soFar = ok.length - whole.length;
  const folder = `run ${record.id} (${nearPath(dir)})`;
  const kept = `${ok.length} of ${plural(expected.cells, 'configuration')} ${ok.length === 1 ? 'is' : 'are'} kept in ${folder}`;
  // `collbench resume` counts in the same way: it measures only configurations that are not finished.
  const parts = `${whole.length} finished, ${soFar} with the figures so far, which resuming measures again`;
  const lines = [
    ok.length === 0
      ? `No configuration was finished in ${folder}.`
      : `${kept}${soFar === 0 ? '' : `: ${parts}`}.`,
    ...((record.logs ?? []).length === 0 ? [] : [`Logs of the hosts: ${path.join(dir, 'logs')}`]),
    ...(whole.length < expected.cells && record.failures.every(({ next }) => next !== resume)
      ? [`Resume it: ${resume}`]
      : []),
  ];
  return `${wrong}${failures}${lines.join('\n')}\n`;
}
