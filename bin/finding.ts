// Shows an explanation or a bisection: its page, its text in a terminal, and the command to type next.
import path from 'node:path';
import type { DocumentBlock } from '../reports/document/blocks.ts';
import type { ExplanationRecord, TimeShare } from '../results/schema/index.ts';
import type { StoredFinding } from '../results/store/findings.ts';
import { retypeCommand } from './line/retype-command.ts';
import { nearPath, printJson, printText, shapeOfStdout } from './terminal.ts';
import { writeNamed } from './write-file.ts';

async function documentOf(finding: StoredFinding): Promise<{ title: string; blocks: DocumentBlock[] }> {
  if (finding.kind === 'bisection') {
    const { bisectionDocument, bisectionTitle } = await import('../reports/bisection/document.ts');
    return { title: bisectionTitle(finding.record), blocks: bisectionDocument(finding.record) };
  }
  const { record } = finding;
  const { explanationDocument, explanationTitle } = await import('../reports/explanation/document.ts');
  return {
    title: explanationTitle(record),
    blocks: explanationDocument({ record, next: nextOf(record) }),
  };
}

const pageOf = ({ kind, dir }: StoredFinding): string => path.join(dir, `${kind}.html`);

/** Writes the page of a finding into its folder. @returns the path of the page */
export async function writeFindingPage(finding: StoredFinding): Promise<string> {
  const { documentPage } = await import('../reports/html/document-page.ts');
  const { title, blocks } = await documentOf(finding);
  const file = pageOf(finding);
  const command = finding.kind === 'explanation' ? 'explain' : 'bisect';
  await writeNamed(command, file, await documentPage(title, blocks));
  return file;
}

/** Prints a finding, as text with the path of its page, or as one JSON object. */
export async function printFinding(finding: StoredFinding, json: boolean): Promise<void> {
  if (json) {
    printJson({ type: finding.kind, ...finding.record });
    return;
  }
  const { terminalText } = await import('../reports/document/terminal.ts');
  const { blocks } = await documentOf(finding);
  printText(terminalText(blocks, shapeOfStdout(80)));
  printText(`report: ${nearPath(pageOf(finding))}\n`);
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
