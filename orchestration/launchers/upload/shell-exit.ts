import { type AgentExit, StartError } from '../launcher.ts';
import type { NoLine } from './prefixed-lines.ts';

/**
 * Milliseconds that the login shell may take until it starts collbench's script. It may first read start-up files from a slow
 * network file system.
 */
export const shellMs = 60_000;

/**
 * Returns a shell command that sends a signal to the agent and its child processes, or to the agent alone if it leads no process
 * group. Commands of a login usually lead one. The command fails if the agent has ended.
 * @param pid process id of the agent on the host
 */
export function killCommand(signal: 'TERM' | 'KILL', pid: number): string {
  return `exec /bin/sh -c 'kill -s ${signal} -- -${pid} 2>/dev/null || kill -s ${signal} ${pid}'`;
}

const startUpFiles =
  'A start-up file of the shell there (.bashrc) may end it or read its input: leave it early where nobody types (case $- in *i*) ;; *) return ;; esac).';

/**
 * Returns the error for a login shell on the host that ended, or printed without end, before collbench's script had started the
 * agent; it is not thrown. Its details are the last output of the shell, on stdout and stderr.
 * @param ended says whether the output ended or exceeded its limit; has the last lines on stdout
 * @param exit exit status of the shell, or the reason why the connection broke (`lost`)
 * @param stderr last lines of the shell's stderr, oldest first
 */
export function shellEndedError(host: string, ended: NoLine, exit: AgentExit, stderr: string[]): StartError {
  const how =
    exit.lost !== undefined
      ? exit.lost
      : exit.signal !== null
        ? `the shell there was killed by ${exit.signal}`
        : `the shell there: ${ended.message}, with code ${exit.code}`;
  const said = [...ended.noise, ...stderr];
  return new StartError(
    `the agent cannot be started on ${host}: ${how}`,
    said.length > 0
      ? said.map((line) => `${host}: ${line}`)
      : ['It printed nothing.', ...(exit.lost === undefined && exit.signal === null ? [startUpFiles] : [])],
  );
}
