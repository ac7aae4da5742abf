import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type AgentExit, StartError } from '../launcher.ts';
import { type DeployedAgent, deploy, type RemoteShell } from './deploy.ts';
import type { RemoteRun } from './remote-process.ts';

/** Milliseconds that a child may take to exit after SIGTERM; then it is killed. */
const exitMs = 2000;
/** Maximum milliseconds to wait for the last output on a child's stderr after the child has ended. */
const lastWordsMs = 300;

/** A child process on this machine, such as ssh or kubectl, that connects its stdin and stdout to a shell on a host. */
export interface ChildShell extends Omit<RemoteShell, 'input' | 'output' | 'cut'> {
  /** Sends a signal to the agent with this process id on the host. */
  signal(name: 'TERM' | 'KILL', pid: number): void;
}

/**
 * Uploads the agent through a child process and starts it. The child then keeps running as the connection to the agent. If the
 * start fails or is aborted, the child is ended.
 * @param abort signal that aborts the start
 * @throws StartError if the host cannot be reached, cannot store or run the agent, or the start is aborted
 */
export async function deployThroughChild(
  child: ChildProcessWithoutNullStreams,
  { signal, ...shell }: ChildShell,
  abort: AbortSignal,
): Promise<{ run: RemoteRun; agent: DeployedAgent }> {
  const giveUp = (): void => endChild(child);
  abort.addEventListener('abort', giveUp, { once: true });
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => shell.tail.add(text));
  const wire = { input: child.stdin, output: child.stdout };
  try {
    const agent = await deploy({ ...shell, ...wire, cut: () => child.kill('SIGKILL') });
    const run: RemoteRun = {
      ...wire,
      exit: shell.exit,
      signal: (name) => signal(name, agent.pid),
      destroy: () => abandonChild(child),
    };
    return { run, agent };
  } catch (error) {
    abandonChild(child);
    throw error;
  } finally {
    abort.removeEventListener('abort', giveUp);
  }
}

/**
 * Resolves to the exit status of a child when the child has ended and its stderr is closed, at the latest `lastWordsMs` after its
 * end: a process that the child left behind may hold stderr open. Resolves at once, with `startError`, if the program cannot be
 * started. Never rejects. Call it before the child can end.
 */
export function exitOfChild(child: ChildProcessWithoutNullStreams): Promise<AgentExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid !== undefined) return;
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const message = isMissing ? `there is no program ${child.spawnfile} on this machine` : error.message;
      resolve({ code: null, signal: null, startError: new StartError(message) });
    });
    child.once('exit', (code, signal) => {
      // A process that the child left behind may hold stderr open. The timer keeps this process until the reason is known.
      const patience = setTimeout(over, child.stderr.closed ? 0 : lastWordsMs);
      child.stderr.once('close', over);
      function over(): void {
        clearTimeout(patience);
        resolve({ code, signal, startError: null });
      }
    });
  });
}

/**
 * Ends a child process with SIGTERM, and after `exitMs` with SIGKILL. A process that is suspended, or blocked on a dead file
 * system, ignores SIGTERM. Returns at once; does nothing if the child has ended.
 */
export function endChild(child: ChildProcessWithoutNullStreams): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  const patience = setTimeout(() => child.kill('SIGKILL'), exitMs);
  child.once('exit', () => clearTimeout(patience));
}

/** Ends a child process and closes its pipes, so that processes which it leaves behind read no more input. Does not wait. */
function abandonChild(child: ChildProcessWithoutNullStreams): void {
  endChild(child);
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}

/**
 * Starts a program with pipes, in a separate session, so that Ctrl-C reaches only the controller. If it cannot be started, the
 * child emits `error`; nothing is thrown.
 */
export const spawnInSession = (program: string, args: readonly string[]): ChildProcessWithoutNullStreams =>
  spawn(program, args, { stdio: 'pipe', detached: true });
