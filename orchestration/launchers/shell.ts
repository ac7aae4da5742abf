import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { ConnectionLimiter } from './connection-limiter.ts';
import { endsWithin, type Launcher, type StartError } from './launcher.ts';
import { OutputTail } from './tail.ts';
import { type Bundle, bundleOf } from './upload/bundle.ts';
import {
  type ChildShell,
  deployThroughChild,
  endChild,
  exitOfChild,
  spawnInSession,
} from './upload/child-shell.ts';
import { type RemoteRun, remoteProcess } from './upload/remote-process.ts';
import { remoteScript, removalLine } from './upload/remote-script.ts';
import { killCommand } from './upload/shell-exit.ts';

export interface ShellOptions {
  name: string;
  /** Returns the argv of the command on this machine that connects its stdin and stdout to a shell on the host. */
  words(host: string): readonly string[];
  /**
   * Folder for the agent on the hosts, where the agent stays for later runs; null = a temporary folder, which close()
   * removes.
   */
  remoteDir: string | null;
  /** True if hosts may see the agent of this machine under the same path (shared file system), so that it need not be copied. */
  isShared: boolean;
  /** True if signals to the command reach the agent; false if they are sent from a second shell on the host. */
  passesSignals: boolean;
  /**
   * Returns the error for a command that did not reach a shell, from the last lines of its stderr; null = no known
   * explanation.
   */
  explain(host: string, lines: readonly string[]): StartError | null;
}

/** Maximum number of hosts on which agents are started at once. */
const parallel = 16;
/** Maximum ms that a command may take which removes the agent from a host, or sends the agent a signal. */
const shortMs = 10_000;

/**
 * Returns a launcher for all commands that connect to a shell on a host: the agent is uploaded over the shell's stdin, checked by
 * its hash, and started. The host needs a POSIX shell and the usual small programs; busybox is enough. close() ends what still
 * runs and removes temporary folders from the hosts.
 */
export function shellLauncher(options: ShellOptions): Launcher {
  const { name, remoteDir } = options;
  const temporaryName = randomBytes(8).toString('hex');
  const bundles = new Map<string, Promise<Bundle>>();
  const limiter = new ConnectionLimiter(parallel);
  const never = new AbortController().signal;
  const running = new Set<ChildProcessWithoutNullStreams>();
  /** Temporary folder of the agent on each host that has one, keyed by name of the host. */
  const folders = new Map<string, string>();

  function connect(host: string): ChildProcessWithoutNullStreams {
    const [program = '', ...args] = options.words(host);
    const child = spawnInSession(program, args);
    running.add(child);
    child.once('close', () => running.delete(child));
    child.once('error', () => running.delete(child));
    return child;
  }

  async function start(
    host: string,
    agentPath: string,
    tail: OutputTail,
    signal: AbortSignal,
  ): Promise<RemoteRun> {
    const bundle = await bundleOf(bundles, agentPath);
    const marker = randomBytes(12).toString('hex');
    const sharedPath = options.isShared ? agentPath : null;
    const script = remoteScript(marker, bundle, { remoteDir, environment: {}, temporaryName, sharedPath });
    return limiter.pass(signal, async () => {
      const child = connect(host);
      const shell: ChildShell = {
        ...{ host, tail, marker, script, bundle, isBare: true },
        exit: exitOfChild(child),
        explain: () => options.explain(host, tail.lines()),
        signal: (kind, pid) => {
          if (options.passesSignals) child.kill(`SIG${kind}`);
          else void runLine(host, `${killCommand(kind, pid)}\n`);
        },
      };
      const { run, agent } = await deployThroughChild(child, shell, signal);
      // The host reports the name of this folder, which close() removes: only the name that was requested is trusted.
      if (remoteDir === null && agent.dir.endsWith(`/${temporaryName}`)) folders.set(host, agent.dir);
      return run;
    });
  }

  /**
   * Runs one line, given with its newline, in a new shell on the host, for at most `shortMs`. Its result is ignored; never
   * rejects.
   */
  async function runLine(host: string, line: string): Promise<void> {
    const child = connect(host);
    const exit = exitOfChild(child);
    child.stdin.on('error', () => undefined);
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.end(line);
    if (!(await endsWithin(exit, shortMs))) endChild(child);
  }

  return {
    name,
    remote: true,
    start: (host, agentPath) => {
      const tail = new OutputTail();
      return remoteProcess(host, tail, (signal) => start(host, agentPath, tail, signal));
    },
    close: async () => {
      for (const child of running) endChild(child);
      const removals = [...folders].map(([host, dir]) =>
        limiter.pass(never, () => runLine(host, removalLine(dir))),
      );
      await Promise.all(removals);
    },
  };
}
