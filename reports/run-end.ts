import path from 'node:path';
import type { CellRecord, RunRecord } from '../results/schema/index.ts';
import { nameToType, nearPath } from '../results/store/paths.ts';
import { failureText } from '../results/verdicts/failure.ts';
import { wrongDataText } from '../results/verdicts/verdicts.ts';

/**
 * Returns the text printed at the end of a run with failures or wrong data. After failures it adds the configurations that are
 * kept, where the hosts' logs are, and how to resume; not for runs of pairs, which cannot be resumed. "" if all went well.
 * @param dir folder of the run
 */
export function runEndText(record: RunRecord, cells: readonly CellRecord[], dir: string): string {
  const name = nameToType(record.id, dir);
  const wrong = wrongDataText(cells, name);
  if (record.failures.length === 0) return wrong;
  const failures = record.failures.map(failureText).join('');
  const { expected, pairs } = record.plan;
  // Pairs cannot be resumed: they are measured together or not at all.
  if (pairs !== undefined) return wrong + failures;
  const ok = cells.filter((cell) => cell.status === 'ok');
  const whole = ok.filter((cell) => cell.flags.every(({ name }) => name !== 'interrupted'));
  const lines = [
    `${whole.length} of ${expected.cells} configurations are kept in run ${record.id} (${nearPath(dir)}).`,
    // `collbench resume` counts in the same way: it does not measure kept configurations again.
    ...(whole.length < ok.length
      ? [`${ok.length - whole.length} more have the figures so far; resuming measures them again.`]
      : []),
    ...((record.logs ?? []).length === 0 ? [] : [`Logs of the hosts: ${path.join(dir, 'logs')}`]),
    ...(whole.length < expected.cells ? [`Resume it: collbench resume ${name}`] : []),
  ];
  return `${wrong}${failures}${lines.join('\n')}\n`;
}
