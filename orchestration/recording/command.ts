import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface CommandResult {
  /** As a shell gives it: 128 and the signal's number where a signal ended it. */
  exitCode: number;
  signal: NodeJS.Signals | null;
  /** A signal came to us while it ran. */
  interrupted: NodeJS.Signals | null;
  seconds: number;
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a command on our own stdin, stdout and stderr, and lives as long as it does. @throws the error of its start */
export async function runCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const [program = '', ...rest] = words;
  const startedAt = performance.now();
  const child = spawn(program, rest, { stdio: 'inherit', env: environment });
  let interrupted: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    interrupted = signal;
    // Ctrl-C reaches the whole terminal by itself: twice means something else to launchers.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of passedOn) process.on(signal, onSignal);
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (...how) => resolve(how));
    });
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    return { exitCode, signal, interrupted, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    for (const signal of passedOn) process.off(signal, onSignal);
  }
}
