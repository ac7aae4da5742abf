import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { AgentExit } from '../launcher.ts';
import type { OutputTail } from '../tail.ts';
import type { Bundle } from './bundle.ts';
import { type DeployedAgent, deploy } from './deploy.ts';
import { NoLine } from './prefixed-lines.ts';
import type { RemoteRun } from './remote-process.ts';
import type { RemoteScript } from './remote-script.ts';
import { shellEndedError, shellMs } from './shell-exit.ts';

/**
 * Milliseconds that a child may take to exit after the remote shell's output ended unexpectedly, or after SIGTERM; then it is
 * killed.
 */
const exitMs = 2000;

/** A child process on this machine, such as ssh or kubectl, that connects its stdin and stdout to a shell on a host. */
export interface ChildShell {
  host: string;
  tail: OutputTail;
  marker: string;
  script: RemoteScript;
  bundle: Bundle;
  /** True if the shell reads its commands from stdin; false if it was started with the script's command. */
  isBare: boolean;
  /** How the child ended. Never rejects. */
  exit: Promise<AgentExit>;
  /** Error if the child itself failed, so that it never reached a shell; null = the shell failed. */
  explain(exit: AgentExit): Error | null;
  /** Sends a signal to the agent with this process id on the host. */
  signal(name: 'TERM' | 'KILL', pid: number): void;
}

/**
 * Uploads the agent through a child process and starts it. The child stays the connection to the agent.
 * @throws StartError if the host cannot be reached, or cannot store or run the agent
 */
export async function deployThroughChild(
  child: ChildProcessWithoutNullStreams,
  { host, tail, marker, script, bundle, isBare, exit, explain, signal }: ChildShell,
): Promise<{ run: RemoteRun; agent: DeployedAgent }> {
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => tail.add(text));
  const wire = { input: child.stdin, output: child.stdout, isBare };
  const agent = await deploy(wire, host, marker, script, bundle, shellMs).catch(async (error) => {
    if (!(error instanceof NoLine)) throw error;
    let isKilled = false;
    const patience = setTimeout(
      () => {
        isKilled = child.kill('SIGKILL');
      },
      error.isEndless ? 0 : exitMs,
    );
    const ending = await exit;
    clearTimeout(patience);
    const exited = isKilled ? { ...ending, lost: `the shell there: ${error.message}` } : ending;
    throw (
      (isKilled ? null : (ending.startError ?? explain(ending))) ??
      shellEndedError(host, error, exited, tail.lines())
    );
  });
  const run: RemoteRun = {
    input: child.stdin,
    output: child.stdout,
    exit,
    signal: (name) => signal(name, agent.pid),
    destroy: () => abandonChild(child),
  };
  return { run, agent };
}

/**
 * Ends a child process with SIGTERM, and after `exitMs` with SIGKILL. A process that is suspended, or blocked on a dead file
 * system, ignores SIGTERM. Does not wait.
 */
export function endChild(child: ChildProcessWithoutNullStreams): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  const patience = setTimeout(() => child.kill('SIGKILL'), exitMs);
  child.once('exit', () => clearTimeout(patience));
}

/** Ends a child process and closes its pipes, so that processes which it leaves behind read no more input. Does not wait. */
export function abandonChild(child: ChildProcessWithoutNullStreams): void {
  endChild(child);
  child.stdin.destroy();
  child.stdout.destroy();
  child.stderr.destroy();
}

/** Starts a program with pipes, in a session of its own, so that Ctrl-C reaches only the controller. */
export const spawnInSession = (program: string, args: readonly string[]): ChildProcessWithoutNullStreams =>
  spawn(program, args, { stdio: 'pipe', detached: true });
