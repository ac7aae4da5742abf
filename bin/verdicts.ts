import type { CellRecord, Failure, OkCell, RunPlan, RunRecord } from '../results/schema/index.ts';
import { sizeText } from '../results/units.ts';

const isOk = (cell: CellRecord): cell is OkCell => cell.status === 'ok';
const nameOf = (cell: CellRecord) =>
  `${cell.collective} ${sizeText(cell.payloadBytes)} over ${cell.transport}`;

const grouped = (n: number) => n.toLocaleString('en-US');

/**
 * What makes a run that ended by itself a failure all the same: cells or checks that were planned and are missing, and
 * evidence that the bytes went another way than asked.
 */
export function verdicts(plan: RunPlan, cells: readonly CellRecord[], record: RunRecord): Failure[] {
  const failures: Failure[] = [];
  const failure = { details: [], rank: null, host: null, phase: null, next: `collbench show ${record.id}` };
  const ok = cells.filter(isOk);
  const checks = ok.reduce((sum, cell) => sum + cell.verification.checks, 0);
  if (ok.length < plan.expected.cells) {
    const message = `${ok.length} of ${plan.expected.cells} cells were measured`;
    failures.push({ ...failure, kind: 'incomplete', message });
  } else if (checks < plan.expected.checks) {
    const message = `${grouped(checks)} results were verified, the plan wants at least ${grouped(plan.expected.checks)}`;
    failures.push({ ...failure, kind: 'incomplete', message });
  }
  const contradicted = ok.filter((cell) => cell.evidence.verdict === 'contradicted');
  const first = contradicted[0];
  if (first !== undefined) {
    const message = `the evidence contradicts the transport in ${contradicted.length} of ${ok.length} cells, first in ${nameOf(first)}`;
    failures.push({ ...failure, kind: 'contradicted', message, details: [first.evidence.reason] });
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
