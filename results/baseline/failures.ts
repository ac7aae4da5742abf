import type { CellRecord, GateFailure, PairOfRuns, SuiteEntry } from '../schema/index.ts';
import { sizeText } from '../units.ts';

const nameOf = (cell: Pick<CellRecord, 'collective' | 'payloadBytes' | 'transport'>): string =>
  `${cell.collective} ${sizeText(cell.payloadBytes)} over ${cell.transport}`;

/**
 * What is wrong whatever the times say.
 * @param tonight cells of this entry, of all its runs as one; empty where nothing was measured
 * @param pair null where there is nothing to hold them against
 */
export function failuresOf(
  entry: SuiteEntry,
  tonight: readonly CellRecord[],
  pair: PairOfRuns | null,
): GateFailure[] {
  const failures: GateFailure[] = [];
  const add = (kind: GateFailure['kind'], cell: string | null, sentence: string): void => {
    failures.push({ kind, entry: entry.name, cell, sentence });
  };
  if (entry.status === 'interrupted') add('interrupted', null, `${entry.name} was interrupted`);
  if (entry.status === 'not-reached') add('not-run', null, `${entry.name} was not reached`);
  if (entry.status === 'cannot-run' && !entry.optional) {
    add('not-run', null, `${entry.name} cannot run here: ${entry.reason ?? ''}`);
  }
  if (!entry.optional) {
    for (const { transport, reason } of entry.leftOut) {
      add('not-run', null, `${entry.name} without ${transport}: ${reason}`);
    }
  }
  for (const cell of tonight) {
    if (cell.status !== 'ok') {
      add('missing', cell.id, `${nameOf(cell)} was not measured: ${cell.reason}`);
      continue;
    }
    const { wrongElements, comparedElements } = cell.verification;
    if (wrongElements > 0) {
      const share = `${wrongElements.toLocaleString('en-US')} of ${comparedElements.toLocaleString('en-US')}`;
      add('wrong-data', cell.id, `${nameOf(cell)}: wrong data, ${share} elements`);
    }
    if (cell.evidence.verdict === 'contradicted') {
      add('contradicted', cell.id, `${nameOf(cell)} went another way: ${cell.evidence.reason}`);
    }
  }
  const told = new Set(failures.map(({ cell }) => cell));
  for (const { id, from, reason } of pair?.missing ?? []) {
    if (from === 'other' && !told.has(id)) add('missing', id, `${id} was not measured: ${reason}`);
  }
  for (const { id, kind, reason } of pair?.refused ?? []) {
    if (!told.has(id)) add('incomparable', id, `${id} cannot be compared (${kind}): ${reason}`);
  }
  // Only what nothing else explains.
  if (entry.status === 'failed' && failures.length === 0) {
    add('not-run', null, `${entry.name} failed: ${entry.reason ?? 'see its run'}`);
  }
  return failures;
}
