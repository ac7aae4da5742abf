import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface CommandResult {
  /** Exit code of the command. If a signal ended it, 128 plus the signal's number, as in shells. */
  exitCode: number;
  signal: NodeJS.Signals | null;
  /** Signal that this process (collbench) received while the command ran; null = none. */
  interrupted: NodeJS.Signals | null;
  seconds: number;
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command until it ends. The command uses stdin, stdout and stderr of this process. SIGINT, SIGTERM and SIGHUP do not
 * end this process meanwhile, but are passed on.
 * @throws the error of the system if the command cannot be started
 */
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
    // The terminal sends Ctrl-C to all processes itself; launchers treat a second one differently.
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
