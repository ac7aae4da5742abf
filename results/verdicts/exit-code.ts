import type { CellRecord, Failure, RunState } from '../schema/index.ts';

/** Exit codes of all commands. */
export const exitCode = {
  ok: 0,
  usage: 1,
  notRun: 2,
  wrongData: 3,
  regression: 4,
  noVerdict: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The meaning of each exit code, as `collbench help exit` prints it. */
export const exitMeanings: Record<keyof typeof exitCode, string> = {
  ok: 'everything was measured and verified',
  usage: 'the command is invalid on any machine, or collbench itself failed',
  notRun:
    'the command is valid but cannot run here; a run failed, hung, or used a different transport than requested; a run or file does not exist, or cannot be read or written; doctor: an error; topo: a host did not answer',
  wrongData: 'wrong data',
  regression:
    'compare --fail-on: slower; suite --gate: regression; crosscheck: the two programs differ; pairs: a host, a pair or a ring stands out, or --bisect named one',
  noVerdict:
    'no verdict (compare --fail-on, suite --gate, crosscheck, pairs). If the first line says NOT CONFIRMED, something looks much slower: measure again at once. doctor: warnings or unknowns',
  interrupted: 'interrupted; results measured before are kept',
};

/**
 * Returns the exit code of a run. The first of these that applies decides: interrupted, wrong data (a failure of this kind, or a
 * wrong element in any cell), any other failure, ok.
 */
export function exitCodeOf(failures: readonly Failure[], cells: readonly CellRecord[]): ExitCode {
  const kinds = new Set(failures.map((failure) => failure.kind));
  if (kinds.has('interrupted')) return exitCode.interrupted;
  const isWrong = cells.some((cell) => cell.status === 'ok' && cell.verification.wrongElements > 0);
  if (isWrong || kinds.has('wrong-data')) return exitCode.wrongData;
  return failures.length > 0 ? exitCode.notRun : exitCode.ok;
}

/**
 * Returns the state in which a run ended that was not interrupted: `complete` if there is no failure. It is `incomplete`, not
 * `failed`, if configurations lack a complete result only because the time was over.
 */
export function endedStateOf(
  failures: readonly Failure[],
  cells: readonly CellRecord[],
): Exclude<RunState, 'running' | 'interrupted'> {
  if (failures.length === 0) return 'complete';
  const isOver = failures.every(({ kind }) => kind === 'incomplete');
  return isOver && cells.every(({ status }) => status === 'ok' || status === 'aborted')
    ? 'incomplete'
    : 'failed';
}
