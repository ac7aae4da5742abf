import path from 'node:path';
import type { CrosscheckScreen } from '../../orchestration/crosscheck/crosscheck.ts';
import { crosscheckFoot, crosscheckText } from '../../reports/terminal/crosscheck.ts';
import { crosscheckFile } from '../../results/store/folder.ts';
import { failureText } from '../../results/verdicts/failure.ts';
import { ProgressLine, printError, wantsColor } from '../terminal.ts';

/**
 * Output of `collbench crosscheck` (comparison with nccl-tests or OSU): tables, or with `isJson` an object per size, per collective
 * and at the end. Progress goes to stderr if stderr is a terminal.
 * @param out stream to which tables or objects are written
 */
export function crosscheckScreen(
  isJson: boolean,
  out: { write(text: string): boolean; isTTY?: boolean } = process.stdout,
): CrosscheckScreen {
  const line = new ProgressLine();
  const color = wantsColor(out.isTTY === true);
  const json = (value: object) => out.write(`${JSON.stringify(value)}\n`);
  return {
    progress(text) {
      if (text === '') line.clear();
      else line.show(() => text);
    },
    collective(result, record) {
      const { medium } = record;
      if (!isJson) {
        out.write(crosscheckText(result, record, color));
        return;
      }
      const { sizes, ...others } = result;
      const { collective, dtype, op, root, ranks } = result;
      for (const size of sizes) json({ type: 'size', collective, dtype, op, root, ranks, medium, ...size });
      json({ type: 'collective', medium, ...others });
    },
    end(record, dir) {
      const { id, state, exitCode, verdict, failures, library, gpus, medium } = record;
      if (isJson)
        json({ type: 'summary', id, state, exitCode, verdict, failures, library, gpus, medium, dir });
      else out.write(crosscheckFoot(record, path.join(dir, crosscheckFile)));
      printError(failures.map(failureText).join(''));
    },
  };
}
