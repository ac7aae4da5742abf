import { pointText } from '../axis-text.ts';
import { measureKey } from '../compare/pairing.ts';
import {
  type CellRecord,
  type GateFailure,
  type PairOfRuns,
  type SuiteEntry,
  valuesOfKey,
} from '../schema/index.ts';
import { formatCount } from '../units.ts';

/** Results of one suite entry in one measurement: the first one or, for suspected regressions, the second. */
interface PassCells {
  /** Results of the build under test, all runs of the entry; empty if nothing was measured. */
  tonight: readonly CellRecord[];
  /** Verdicts of the comparison of `tonight` with the reference; null if there is no reference. */
  pair: PairOfRuns | null;
}

/**
 * Returns the failures of a suite entry other than slowness: the entry was interrupted, failed or not measured, or some of its
 * results are missing, incomparable, wrong, or of another transport than requested. An optional entry that cannot run, or one that
 * was left out as not needed, is a failure only if the baseline has it.
 * @param tonight results of the build under test
 * @param pair comparison with the reference; null = there is no reference
 * @param known number of configurations of this entry in the baseline
 */
export function failuresOf(
  entry: SuiteEntry,
  tonight: readonly CellRecord[],
  pair: PairOfRuns | null,
  known = 0,
): GateFailure[] {
  const failures: GateFailure[] = [];
  const add = (kind: GateFailure['kind'], sentence: string): void => {
    failures.push({ kind, entry: entry.name, cell: null, sentence });
  };
  if (entry.status === 'interrupted') add('interrupted', `${entry.name} was interrupted`);
  if (entry.status === 'not-reached') add('not-run', `${entry.name} was not measured`);
  if (entry.status === 'cannot-run' && !entry.optional) {
    add('not-run', `${entry.name} cannot run here: ${entry.reason ?? ''}`);
  }
  if (entry.status === 'cannot-run' && entry.optional && known > 0) {
    add('missing', `${entry.name} cannot run here any more, the baseline has it: ${entry.reason ?? ''}`);
  }
  if (entry.status === 'not-needed' && known > 0) {
    add('missing', `${entry.name} was left out, the baseline has it: ${entry.reason ?? ''}`);
  }
  if (!entry.optional) {
    for (const { transport, reason } of entry.leftOut) {
      add('not-run', `${entry.name} without ${transport}: ${reason}`);
    }
  }
  failures.push(...failuresOfCells(entry.name, { tonight, pair }));
  // The entry's own failure is reported only if no other failure explains it.
  if ((entry.status === 'failed' || entry.status === 'incomplete') && failures.length === 0) {
    add(
      'not-run',
      `${entry.name} ${entry.status === 'failed' ? 'failed' : 'is incomplete'}: ${entry.reason ?? 'see its run'}`,
    );
  }
  return failures;
}

/**
 * Returns the failures of a repeated measurement; like those of the first measurement they make the gate fail. If a repeated run
 * ended with an error but none of its configurations failed, the result is one failure of the whole entry.
 */
export function failuresAgain(entry: SuiteEntry, pass: PassCells): GateFailure[] {
  const failures = failuresOfCells(entry.name, pass, ', measured again');
  const isBad = entry.runs.some((run) => run.pass === 'again' && run.exitCode !== 0);
  if (!isBad || failures.length > 0) return failures;
  const sentence = `${entry.name} failed when it was measured again: see its runs`;
  return [{ kind: 'not-run', entry: entry.name, cell: null, sentence }];
}

function failuresOfCells(entry: string, { tonight, pair }: PassCells, when = ''): GateFailure[] {
  const failures: GateFailure[] = [];
  const add = (kind: GateFailure['kind'], cell: string, sentence: string): void => {
    failures.push({ kind, entry, cell, sentence });
  };
  for (const cell of tonight) {
    const name = `${pointText(cell)} over ${cell.transport}${when}`;
    if (cell.status !== 'ok') {
      add('missing', cell.id, `${name} was not measured: ${cell.reason}`);
      continue;
    }
    const { wrongElements, comparedElements } = cell.verification;
    if (wrongElements > 0) {
      const share = `${formatCount(wrongElements)} of ${formatCount(comparedElements)}`;
      add('wrong-data', cell.id, `${name}: wrong data, ${share} elements`);
    }
    if (cell.evidence.verdict === 'contradicted') {
      add('contradicted', cell.id, `${name} used another transport: ${cell.evidence.reason}`);
    }
  }
  const told = new Set(failures.flatMap(({ cell }) => (cell === null ? [] : [measureKey(cell)])));
  for (const { id, from, reason } of pair?.missing ?? []) {
    if (from === 'other' && !told.has(measureKey(id)))
      add('missing', id, `${valuesOfKey(id).join(' ')}${when} was not measured: ${reason}`);
  }
  for (const { id, kind, reason } of pair?.refused ?? []) {
    if (!told.has(measureKey(id)))
      add('incomparable', id, `${valuesOfKey(id).join(' ')}${when} cannot be compared (${kind}): ${reason}`);
  }
  return failures;
}

/** Returns how many measured configurations the reference does not have; all of them if there is no reference. */
export function countUnknownCells({ tonight, pair }: PassCells): number {
  const measured = tonight.filter(({ status }) => status === 'ok');
  if (pair === null) return measured.length;
  const alone = new Set(pair.missing.flatMap(({ id, from }) => (from === 'base' ? [id] : [])));
  return measured.filter(({ id }) => alone.has(id)).length;
}
