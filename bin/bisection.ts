// Shows a bisection: its page, its text in a terminal, and the command to type next.
import path from 'node:path';
import type { LoadedBisection } from '../results/store/bisections.ts';
import { nearPath, printJson, printText, shapeOfStdout } from './terminal.ts';
import { writeNamed } from './write-file.ts';

/** Name of the page in the folder of a bisection. */
const page = 'bisection.html';

/** Writes the page of a bisection into its folder. @returns the path of the page */
export async function writeBisectionPage({ dir, record }: LoadedBisection): Promise<string> {
  const { bisectionPage } = await import('../reports/bisection/page.ts');
  const file = path.join(dir, page);
  await writeNamed('bisect', file, await bisectionPage(record));
  return file;
}

/** Prints a bisection, as text with the path of its page, or as one JSON object. */
export async function printBisection({ dir, record }: LoadedBisection, json: boolean): Promise<void> {
  if (json) {
    printJson({ type: 'bisection', ...record });
    return;
  }
  const [{ bisectionDocument }, { terminalText }] = await Promise.all([
    import('../reports/bisection/document.ts'),
    import('../reports/document/terminal.ts'),
  ]);
  printText(terminalText(bisectionDocument(record), shapeOfStdout(80)));
  printText(`report: ${nearPath(path.join(dir, page))}\n`);
}
