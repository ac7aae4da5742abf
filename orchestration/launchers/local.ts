import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import {
  type AgentExit,
  type AgentProcess,
  endsWithin,
  type Launcher,
  type StopGrace,
  writeLine,
} from './launcher.ts';
import { OutputTail } from './tail.ts';

/** Launcher that starts the agent as a child process on this machine. */
export const local: Launcher = {
  name: 'local',
  start: (host, agentPath) => startChild(host, agentPath, [], process.env),
};

/**
 * Starts a program as an AgentProcess, in a separate session and process group. stop() closes the program's stdin and, if the
 * program does not end, sends SIGTERM and then SIGKILL to the whole group. If the program cannot be started, nothing is thrown:
 * `exit` says so. This function starts local agents, agents by a command template with {agent}, and the programs with which a
 * crosscheck compares.
 * @param host name of the host in messages
 * @param file program to start: a path, or a name that is searched in PATH
 * @param args arguments without the program's name
 * @param env whole environment of the program
 */
export function startChild(
  host: string,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): AgentProcess {
  // The child gets a separate session, so that Ctrl-C reaches only the controller, which then ends the agent in order.
  const child = spawn(file, args, { stdio: 'pipe', detached: true, env });
  const exit = new Promise<AgentExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, startError: null }));
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, startError: error });
    });
  });
  const tail = new OutputTail();
  // Without free file descriptors Node gives the child no pipes, and the event above reports the error.
  if ((child.stdout as Readable | undefined) === undefined) return neverStarted(host, exit);
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => tail.add(text))
    .once('close', () => tail.end());
  // EPIPE after the agent's death is ignored, because `exit` reports more.
  child.stdin.on('error', () => undefined);
  let stopping: Promise<AgentExit> | null = null;
  return {
    host,
    output: child.stdout,
    exit,
    write: (line) => writeLine(child.stdin, line, exit),
    stderrTail: () => tail.lines(),
    onErrorLine: (listener) => tail.listen(listener),
    stop: (grace) => {
      stopping ??= stop(child, exit, grace);
      return stopping;
    },
  };
}

function neverStarted(host: string, exit: Promise<AgentExit>): AgentProcess {
  return {
    host,
    output: Readable.from([]),
    exit,
    write: async () => undefined,
    stderrTail: () => [],
    onErrorLine: () => undefined,
    stop: () => exit,
  };
}

async function stop(
  child: ChildProcessWithoutNullStreams,
  exit: Promise<AgentExit>,
  grace: StopGrace,
): Promise<AgentExit> {
  child.stdin.end();
  // The output may have no reader left; a full pipe must not keep the agent from ending.
  child.stdout.resume();
  if (!(await endsWithin(exit, grace.endMs))) {
    signalGroup(child, 'SIGTERM');
    if (!(await endsWithin(exit, grace.termMs))) signalGroup(child, 'SIGKILL');
  }
  const ending = await exit;
  // A grandchild may hold the pipes open; they must not keep this process alive.
  child.stdout.destroy();
  child.stderr.destroy();
  return ending;
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}
