// Shows an explanation: its page, its text in a terminal, and the command to type next.
import path from 'node:path';
import type { ExplanationRecord, TimeShare } from '../results/schema/index.ts';
import type { LoadedExplanation } from '../results/store/explanations.ts';
import { retypeCommand } from './line/retype-command.ts';
import { nearPath, printJson, printText, shapeOfStdout } from './terminal.ts';
import { writeNamed } from './write-file.ts';

/** Name of the page in the folder of an explanation. */
const page = 'explanation.html';

/** Writes the page of an explanation into its folder. @returns the path of the page */
export async function writeExplanationPage({ dir, record }: LoadedExplanation): Promise<string> {
  const { explanationPage } = await import('../reports/explanation/page.ts');
  const file = path.join(dir, page);
  await writeNamed('explain', file, await explanationPage({ record, next: nextOf(record) }));
  return file;
}

/** Prints an explanation, as text with the path of its page, or as one JSON object. */
export async function printExplanation({ dir, record }: LoadedExplanation, json: boolean): Promise<void> {
  if (json) {
    printJson({ type: 'explanation', ...record });
    return;
  }
  const [{ explanationDocument }, { terminalText }] = await Promise.all([
    import('../reports/explanation/document.ts'),
    import('../reports/document/terminal.ts'),
  ]);
  const blocks = explanationDocument({ record, next: nextOf(record) });
  printText(terminalText(blocks, shapeOfStdout(80)));
  printText(`report: ${nearPath(path.join(dir, page))}\n`);
}

/**
 * The explained command with the change that recovers most, as the sum of its shares over all sizes and times; null if no cause
 * was found.
 */
export function nextOf({ series, command }: ExplanationRecord): string | null {
  const gains = new Map<string, Pick<TimeShare, 'change' | 'unset'> & { part: number }>();
  const ledgers = series.flatMap(({ sizes }) =>
    sizes.flatMap((size) => (size.backToBack === null ? [size] : [size, size.backToBack])),
  );
  for (const { time, shares } of ledgers)
    for (const { kind, title, ns, change, unset } of shares)
      if (kind === 'cause' && Object.keys(change).length + unset.length > 0)
        gains.set(title, { change, unset, part: (gains.get(title)?.part ?? 0) + ns / time.ns });
  const [best] = [...gains.values()].sort((a, b) => b.part - a.part);
  if (best === undefined) return null;
  const without = best.unset.map((name) => `-u ${name} `).join('');
  return `${without === '' ? '' : `env ${without}`}${retypeCommand(command)({ change: { ...best.change, out: null } })}`;
}
