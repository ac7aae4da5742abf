// Shows an explanation or a bisection: its page, its text in a terminal, and the command to type next.
import path from 'node:path';
import type { DocumentBlock } from '../reports/document/blocks.ts';
import type { ShownExplanation } from '../reports/series.ts';
import type { BisectionRecord, ExplanationRecord, TimeShare } from '../results/schema/index.ts';
import type { LoadedFinding, StoredFinding } from '../results/store/findings.ts';
import { nameToType } from '../results/store/paths.ts';
import { shellWord } from '../results/text.ts';
import { sizeFlag } from '../results/units.ts';
import { rootWords } from './commands/options.ts';
import { lineOf, retypeCommand } from './line/retype-command.ts';
import { nearPath, printJson, printText, shapeOfStdout } from './terminal.ts';
import { writeNamed } from './write-file.ts';

async function documentOf(finding: StoredFinding): Promise<{ title: string; blocks: DocumentBlock[] }> {
  if (finding.kind === 'bisection') {
    const { bisectionDocument, bisectionTitle } = await import('../reports/bisection/document.ts');
    return {
      title: bisectionTitle(finding.record),
      blocks: bisectionDocument(finding.record, nextOfBisection(finding)),
    };
  }
  const { explanationDocument, explanationTitle } = await import('../reports/explanation/document.ts');
  return {
    title: explanationTitle(finding.record),
    blocks: explanationDocument(shownExplanation(finding)),
  };
}

const pageOf = ({ kind, dir }: StoredFinding): string => path.join(dir, `${kind}.html`);

/**
 * Writes the page of a finding (explanation or bisection) into its folder, as KIND.html; an older page is replaced.
 * @returns the path of the page
 * @throws Refusal if the file cannot be written
 */
export async function writeFindingPage(finding: StoredFinding): Promise<string> {
  const { documentPage } = await import('../reports/html/document-page.ts');
  const { title, blocks } = await documentOf(finding);
  const file = pageOf(finding);
  const command = finding.kind === 'explanation' ? 'explain' : 'bisect';
  await writeNamed(command, file, await documentPage(title, blocks));
  return file;
}

/**
 * Prints a finding (explanation or bisection) on stdout, as text with the path of its page. The page is not written.
 * @param json true = print one JSON object instead
 */
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
 * The explained command with the change that saves the largest share of the time, summed over all sizes. It is one line, quoted for
 * a shell. Null if no cause was found that a change of the command removes.
 */
function nextOf({ series, command }: ExplanationRecord): string | null {
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

/** Longest --budget that collbench explain accepts, in minutes. */
const maxBudgetMinutes = 24 * 60;

/**
 * Returns the command line that explains all requested sizes with a longer budget (24 h at most). Null if the explanation did not
 * stop because of its budget, or if the budget that it needs could not be estimated.
 */
function wholeCommand({ dir, record }: Pick<LoadedFinding<'explanation'>, 'dir' | 'record'>): string | null {
  const { ended, wholeBudgetS, run, at } = record;
  if (ended !== 'budget' || wholeBudgetS === undefined) return null;
  const minutes = Math.min(maxBudgetMinutes, Math.ceil(wholeBudgetS / 60));
  const sizes = at === undefined ? '' : ` --at ${at.map(sizeFlag).join()}`;
  return `collbench explain ${run}${sizes} --budget ${minutes}m${rootWords(nearPath(path.dirname(dir)))}`;
}

/**
 * Adds to an explanation the command lines that its report suggests to type next; they are null where there is nothing to suggest.
 */
export const shownExplanation = (
  finding: Pick<LoadedFinding<'explanation'>, 'dir' | 'record'>,
): ShownExplanation => ({
  record: finding.record,
  next: nextOf(finding.record),
  whole: wholeCommand(finding),
});

/** Limits of suggested commands: the highest --pairs that collbench bisect accepts, and the lowest --margin that is suggested. */
const [maxPairs, smallestMargin] = [1000, 0.01];

/** Options of a suggested bisection that differ from those of the stored one. */
type ChangedOptions = Partial<Pick<BisectionRecord, 'good' | 'bad' | 'margin' | 'maxPairs'>>;

function repeatedBisection(record: BisectionRecord, changed: ChangedOptions): string {
  const { good, bad, build, margin, maxPairs: pairs, budgetS, command } = { ...record, ...changed };
  return lineOf([
    ...['bisect', '--good', good, '--bad', bad, ...(build === null ? [] : ['--build', build])],
    ...['--margin', `${Number((100 * margin).toPrecision(6))}%`, '--budget', `${budgetS}s`],
    ...['--pairs', String(pairs), '--', ...command],
  ]);
}

/**
 * Divides the list of a bisection at the measured item that is nearest to half of the change, and returns the ends of the half that
 * changed more. Null if no item between the ends was measured, or if the items are settings, which are always two whole files.
 */
function largerHalf({ kind, items, good, bad, stages, probes }: BisectionRecord): ChangedOptions | null {
  const whole = Math.log(stages[0]?.whole?.ratio ?? 1);
  const shareOf = (logRatio: number): number => (whole === 0 ? 0 : logRatio / whole);
  const [middle] = probes
    .filter(({ stage, purpose, logRatios }) => stage === 0 && purpose === 'search' && logRatios.length > 0)
    .map(({ candidate: { item }, ratio }) => ({ item, share: shareOf(Math.log(ratio)) }))
    .sort((a, b) => Math.abs(a.share - 0.5) - Math.abs(b.share - 0.5));
  if (kind === 'settings' || middle === undefined) return null;
  const { name = '', value } = items[middle.item] ?? {};
  const typed = kind === 'files' ? path.join(path.dirname(good), name) : (value ?? name).slice(0, 12);
  return middle.share > 0.5 ? { good, bad: typed } : { good: typed, bad };
}

/**
 * The command line to type after a bisection, quoted for a shell; null if nothing is to be typed. It continues a bisection that
 * ended early. A complete one is repeated: with more pairs if there was no verdict, with a smaller margin if both ends were the
 * same. If the change came in many small steps, the half that changed more is searched; if no half can be chosen, the command shows
 * the report. Null if the bisection found the change, or cannot be repeated with more pairs or a smaller margin.
 */
export function nextOfBisection({
  dir,
  record,
}: Pick<LoadedFinding<'bisection'>, 'dir' | 'record'>): string | null {
  const { ended, stages, margin, maxPairs: pairs } = record;
  const name = shellWord(nameToType(record.id, dir));
  if (ended !== null) return `collbench resume ${name}`;
  const end = stages[0]?.end;
  const more = Math.min(maxPairs, 2 * pairs);
  const smaller = Math.max(smallestMargin, margin / 2);
  if (end === 'no-verdict' && more > pairs) return repeatedBisection(record, { maxPairs: more });
  if (end === 'same' && smaller < margin)
    return repeatedBisection(record, { margin: smaller, maxPairs: more });
  if (end !== 'gradual') return null;
  const half = largerHalf(record);
  // The page shows at which settings the time rises.
  return half === null ? `collbench report ${name}` : repeatedBisection(record, half);
}
