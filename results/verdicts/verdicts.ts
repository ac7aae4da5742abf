import { pointText } from '../axis-text.ts';
import { addTo } from '../collections.ts';
import { completeness } from '../derive/index.ts';
import { type CellRecord, type Failure, failureWith, isOk, type RunRecord } from '../schema/index.ts';
import { nameToType } from '../store/paths.ts';
import { formatCount } from '../units.ts';

const nameOf = (cell: CellRecord) =>
  `${pointText(cell)} over ${cell.transport}${cell.group === undefined ? '' : `, ${cell.group.name}`}`;

/** Highest number of lines in the `details` of a failure; further lines are only counted: "and 7 more". */
const listed = 5;

function shortened(details: readonly string[]): string[] {
  const more = details.length - listed;
  return more > 0 ? [...details.slice(0, listed), `and ${more} more`] : [...details];
}

/**
 * Highest number of configurations, or pairs and rings, that one line in the `details` of a failure names; further ones are only
 * counted.
 */
const named = 2;

/**
 * Returns one line per reason with the names of the configurations, or pairs and rings, to which it applies, because many sizes
 * often have one reason: "A, B and 5 more: no time left". Reasons are in the order in which they first occur.
 */
function linesByReason(missing: readonly { name: string; reason: string }[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, reason } of missing) addTo(names, reason, name);
  return [...names].map(([reason, all]) => {
    const more = all.length - named;
    return `${all.slice(0, named).join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}: ${reason}`;
  });
}

/**
 * Returns the failures of a run that ended normally: planned cells or verifications are missing, or evidence shows that the bytes
 * used another transport than requested. For pairs of ranks, missing sets count instead of missing cells. Empty if the run has
 * none of these; wrong data are not among them.
 * @param dir folder of the run, from which the advised commands name the run
 */
export function verdicts(record: RunRecord, cells: readonly CellRecord[], dir: string): Failure[] {
  const { plan } = record;
  const name = nameToType(record.id, dir);
  const next = `collbench show ${name}`;
  return [
    ...(plan.pairs === undefined ? missingCells(record, cells, name) : missingSets(record, cells, next)),
    ...contradictions(cells, next),
  ];
}

/**
 * Returns the failure that lists configurations without a complete result or without verified results, as a list of one; empty if
 * the run is complete.
 * @param name name of the run by which the user can open it
 */
function missingCells(record: RunRecord, cells: readonly CellRecord[], name: string): Failure[] {
  const { plan } = record;
  const { complete, missing, unverified, checks, checksExpected } = completeness(plan, cells);
  if (complete) return [];
  const message =
    missing.length > 0
      ? `${cells.filter(isOk).length} of ${plan.expected.cells} configurations were measured in full`
      : `${formatCount(checks)} results were verified, the plan wants at least ${formatCount(checksExpected)}`;
  const details = shortened([
    ...linesByReason(missing),
    ...linesByReason(unverified.map((cell) => ({ name: nameOf(cell), reason: 'not verified' }))),
  ]);
  const next = `collbench ${missing.length > 0 ? 'resume' : 'show'} ${name}`;
  return [failureWith({ kind: 'incomplete', message, details, next })];
}

/**
 * Returns one failure that counts the pairs and rings without result and lists at most five reasons; an empty list if none is
 * missing.
 * @param next command that the failure advises
 */
function missingSets(record: RunRecord, cells: readonly CellRecord[], next: string): Failure[] {
  const sets = new Map(
    cells.flatMap((cell) =>
      cell.status === 'failed' || cell.status === 'skipped' ? [[cell.group?.name ?? '', cell.reason]] : [],
    ),
  );
  if (sets.size === 0) return [];
  const message = `${sets.size} of ${record.plan.pairs?.sets.length ?? 0} pairs and rings did not run`;
  const details = shortened(linesByReason([...sets].map(([name, reason]) => ({ name, reason }))));
  return [failureWith({ kind: 'incomplete', message, details, next })];
}

function contradictions(cells: readonly CellRecord[], next: string): Failure[] {
  const ok = cells.filter(isOk);
  const contradicted = ok.filter((cell) => cell.evidence.verdict === 'contradicted');
  const [first] = contradicted;
  if (first === undefined) return [];
  const message = `the evidence contradicts the transport in ${contradicted.length} of ${ok.length} configurations, first in ${nameOf(first)}`;
  const details = [first.evidence.reason];
  return [failureWith({ kind: 'contradicted', message, details, next })];
}

const told = 3;

/**
 * Returns the message about wrong data: at most three configurations, each with its first wrong rank, and the command to use
 * next. It has several lines and ends with a line break; "" if all data are correct.
 * @param run name of the run by which the user can open it
 */
export function wrongDataText(cells: readonly CellRecord[], run: string): string {
  const wrong = cells.filter(isOk).filter((cell) => cell.verification.wrongElements > 0);
  if (wrong.length === 0) return '';
  const lines: string[] = [];
  for (const cell of wrong.slice(0, told)) {
    const { first, wrongElements, comparedElements } = cell.verification;
    const where = first === null ? '' : `, rank ${first.rank}`;
    lines.push(
      `collbench: wrong data: ${nameOf(cell)}${where}, ${formatCount(wrongElements)} of ${formatCount(comparedElements)} elements`,
    );
    if (first === null) continue;
    lines.push(
      `  first: iteration ${first.iteration}, index ${first.index}, wanted ${first.wanted}, got ${first.got}`,
    );
    if (first.note !== '') lines.push(`  ${first.note}`);
  }
  if (wrong.length > told) lines.push(`  and in ${wrong.length - told} more configurations`);
  lines.push(`Next: collbench show ${run}`);
  return `${lines.join('\n')}\n`;
}
