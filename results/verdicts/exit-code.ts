import type { CellRecord, Failure } from '../schema/index.ts';

/** What a command says to scripts (README, "Exit codes"). */
export const exitCode = {
  ok: 0,
  /** The command is invalid anywhere, or an error of collbench itself. */
  usage: 1,
  /** Valid, but something cannot run here, did not run, or hung. */
  notRun: 2,
  wrongData: 3,
  regression: 4,
  noVerdict: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The worst that happened decides: interrupted, wrong data, not run, ok. */
export function exitCodeOf(failures: readonly Failure[], cells: readonly CellRecord[]): ExitCode {
  const kinds = new Set(failures.map((failure) => failure.kind));
  if (kinds.has('interrupted')) return exitCode.interrupted;
  const isWrong = cells.some((cell) => cell.status === 'ok' && cell.verification.wrongElements > 0);
  if (isWrong || kinds.has('wrong-data')) return exitCode.wrongData;
  return failures.length > 0 ? exitCode.notRun : exitCode.ok;
}
