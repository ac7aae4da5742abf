import { type Readable, Transform, type Writable } from 'node:stream';
import {
  type AgentExit,
  type AgentProcess,
  endsWithin,
  StartError,
  type StopGrace,
  writeLine,
} from '../launcher.ts';
import type { OutputTail } from '../tail.ts';

/** An agent that was started on another machine. `input` and `output`: its stdin and stdout, of which nothing has been read yet. */
export interface RemoteRun {
  input: Writable;
  output: Readable;
  /** Resolves to the exit status of the agent. Never rejects. */
  exit: Promise<AgentExit>;
  /** Sends a signal to the agent. Nothing confirms that the signal arrived. */
  signal(name: 'TERM' | 'KILL'): void;
  /** Closes the connection to the agent, without waiting. */
  destroy(): void;
}

/** Exit codes with which shells and loaders report that a program could not be started. */
const notStarted = [126, 127];
/** Maximum milliseconds to wait after SIGKILL until the agent's exit status arrives. */
const killMs = 2000;

/**
 * Returns an AgentProcess that can be used while the connection to its host is still being opened. Lines written before then are
 * sent once it is open. If stop() is called before then, it cancels the start, and `exit` has a start error. An error of `open`
 * becomes the start error, too.
 * @param open opens the connection and starts the agent; rejects with StartError. Its signal aborts when the agent is no longer
 * needed
 * @param tail gets the stderr of the agent from `open`
 */
export function remoteProcess(
  host: string,
  tail: OutputTail,
  open: (signal: AbortSignal) => Promise<RemoteRun>,
): AgentProcess {
  let said = false;
  const output = new Transform({
    transform: (chunk, _encoding, done) => {
      said = true;
      done(null, chunk);
    },
  });
  const abort = new AbortController();
  let isOpen = false;
  const opened = new Promise<RemoteRun>((resolve, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true });
    open(abort.signal).then((run) => {
      isOpen = true;
      if (abort.signal.aborted) run.destroy();
      else resolve(run);
    }, reject);
  });
  opened.then(
    (run) => {
      // EPIPE after the agent's death is ignored, because `exit` reports more.
      run.input.on('error', () => undefined);
      run.output.on('error', () => undefined);
      run.output.pipe(output);
      run.output.once('close', () => output.end());
    },
    () => output.end(),
  );
  const exit = opened.then(
    async (run): Promise<AgentExit> => {
      const ending = await run.exit;
      if (said || ending.code === null || !notStarted.includes(ending.code)) return ending;
      return { ...ending, startError: didNotStart(host, tail) };
    },
    (error: Error): AgentExit => ({
      code: null,
      signal: null,
      startError: abort.signal.aborted
        ? new StartError(`the start of the agent on ${host} was cancelled`)
        : error,
    }),
  );
  void exit.then(() => tail.end());
  let stopping: Promise<AgentExit> | null = null;
  return {
    host,
    output,
    exit,
    write: async (line) => {
      const run = await opened.catch(() => null);
      if (run !== null) await writeLine(run.input, line, exit);
    },
    stderrTail: () => tail.lines(),
    onErrorLine: (listener) => tail.listen(listener),
    stop: (grace) => {
      if (!isOpen) abort.abort();
      stopping ??= stop(opened, exit, output, grace);
      return stopping;
    },
  };
}

async function stop(
  opened: Promise<RemoteRun>,
  exit: Promise<AgentExit>,
  output: Readable,
  grace: StopGrace,
): Promise<AgentExit> {
  const run = await opened.catch(() => null);
  if (run === null) return exit;
  run.input.end();
  // The output may have no reader left; a full pipe must not keep the agent from ending.
  output.resume();
  if (!(await endsWithin(exit, grace.endMs))) {
    run.signal('TERM');
    if (!(await endsWithin(exit, grace.termMs))) {
      run.signal('KILL');
      await endsWithin(exit, killMs);
    }
  }
  run.destroy();
  return exit;
}

const noLoader =
  'Is there glibc 2.28 or newer? Images with musl (Alpine) or without a C library cannot run it.';

/**
 * Returns the error for an agent whose file is complete on the host, but which the host's operating system cannot execute.
 * @param tail stderr of the agent, which contains the reason
 */
function didNotStart(host: string, tail: OutputTail): StartError {
  const lines = tail.lines();
  const isUnloadable = lines.some((line) => /not found|no such file/i.test(line));
  return new StartError(
    `the agent does not start on ${host}${lines.length === 0 ? '' : `: ${lines.at(-1)}`}`,
    [...lines.slice(0, -1).map((line) => `${host}: ${line}`), ...(isUnloadable ? [noLoader] : [])],
  );
}
