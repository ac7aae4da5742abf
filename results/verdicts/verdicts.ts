import { pointText } from '../axis-text.ts';
import { completeness } from '../derive/index.ts';
import {
  type CellRecord,
  type Failure,
  failureWith,
  type OkCell,
  type RunPlan,
  type RunRecord,
} from '../schema/index.ts';

const isOk = (cell: CellRecord): cell is OkCell => cell.status === 'ok';
const nameOf = (cell: CellRecord) =>
  `${pointText(cell)} over ${cell.transport}${cell.group === undefined ? '' : `, ${cell.group.name}`}`;

const grouped = (n: number) => n.toLocaleString('en-US');

/** Missing cells named one by one. */
const listed = 5;

/**
 * What makes a run that ended by itself a failure all the same: cells or checks that were planned and are missing, and
 * evidence that the bytes went another way than asked.
 */
export function verdicts(plan: RunPlan, cells: readonly CellRecord[], record: RunRecord): Failure[] {
  const failures: Failure[] = [];
  const next = `collbench show ${record.id}`;
  const ok = cells.filter(isOk);
  const { complete, missing, unverified, checks, checksExpected } = completeness(plan, cells);
  if (!complete) {
    const message =
      missing.length > 0
        ? `${ok.length} of ${plan.expected.cells} cells were measured in full`
        : `${grouped(checks)} results were verified, the plan wants at least ${grouped(checksExpected)}`;
    const details = [
      ...missing.map(({ name, reason }) => `${name}: ${reason}`),
      ...unverified.map((cell) => `${nameOf(cell)}: not verified`),
    ];
    const more = details.length - listed;
    if (more > 0) details.splice(listed, more, `and ${more} more`);
    failures.push(failureWith({ kind: 'incomplete', message, details, next }));
  }
  const contradicted = ok.filter((cell) => cell.evidence.verdict === 'contradicted');
  const first = contradicted[0];
  if (first !== undefined) {
    const message = `the evidence contradicts the transport in ${contradicted.length} of ${ok.length} cells, first in ${nameOf(first)}`;
    failures.push(failureWith({ kind: 'contradicted', message, details: [first.evidence.reason], next }));
  }
  return failures;
}

const told = 3;

/** What was wrong, where first, and what to do; empty when nothing was. */
export function wrongDataText(cells: readonly CellRecord[], run: string): string {
  const wrong = cells.filter(isOk).filter((cell) => cell.verification.wrongElements > 0);
  if (wrong.length === 0) return '';
  const lines: string[] = [];
  for (const cell of wrong.slice(0, told)) {
    const { first, wrongElements, comparedElements } = cell.verification;
    const where = first === null ? '' : `, rank ${first.rank}`;
    lines.push(
      `collbench: wrong data: ${nameOf(cell)}${where}, ${grouped(wrongElements)} of ${grouped(comparedElements)} elements`,
    );
    if (first === null) continue;
    lines.push(
      `  first: iteration ${first.iteration}, index ${first.index}, wanted ${first.wanted}, got ${first.got}`,
    );
    if (first.note !== '') lines.push(`  ${first.note}`);
  }
  if (wrong.length > told) lines.push(`  and in ${wrong.length - told} more cells`);
  lines.push(`Next: collbench show ${run}`);
  return `${lines.join('\n')}\n`;
}
