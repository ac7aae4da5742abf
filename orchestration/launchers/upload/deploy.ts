import type { Readable, Writable } from 'node:stream';
import { startRunningTimer } from '../../running-time.ts';
import { type AgentExit, StartError } from '../launcher.ts';
import type { OutputTail } from '../tail.ts';
import { type Bundle, sha256 } from './bundle.ts';
import { NoLine, PrefixedLines } from './prefixed-lines.ts';
import { cannotStore, hostMismatch, type RemoteFacts } from './remote-facts.ts';
import type { RemoteScript } from './remote-script.ts';
import { shellEndedError, shellMs } from './shell-exit.ts';

/**
 * Maximum number of times that a host may request one file: for the rest after an interrupted upload, for the whole
 * file, and again if the file arrived damaged.
 */
const maxRequests = 3;

/** Milliseconds that a connection may take to end after the remote shell's output ended unexpectedly; then it is cut. */
const exitMs = 2000;

/**
 * A shell on a host, in which collbench's script runs and then becomes the agent by exec. `tail` gets the stderr of the shell from
 * the caller. `marker`: word with which lines of the script begin.
 */
export interface RemoteShell {
  host: string;
  /** Stdin (`input`) and stdout (`output`) of the shell. */
  input: Writable;
  output: Readable;
  /**
   * True if the shell reads its commands from stdin, so that `script.firstLine` must be written before `script.text`. False if the
   * shell was started with `script.command`, which reads only `script.text` from stdin.
   */
  isBare: boolean;
  tail: OutputTail;
  marker: string;
  script: RemoteScript;
  bundle: Bundle;
  /** Resolves to the exit status of the shell, or to the reason why the connection broke (`lost`). Never rejects. */
  exit: Promise<AgentExit>;
  /**
   * Cuts the connection.
   * @returns true if `exit` will not say why the connection ended, so that the caller must name the reason
   */
  cut(): boolean;
  /**
   * Returns the error if the connection itself failed, so that no shell ran; null = the shell ran and failed. Absent = failed
   * connections cannot be told apart.
   */
  explain?(exit: AgentExit): Error | null;
}

/** The agent that the script on the host becomes. */
export interface DeployedAgent {
  /** Process id on the host. */
  pid: number;
  /** Folder of the agent on the host, as the host reports it; "" if the agent is on a shared file system. */
  dir: string;
}

/**
 * Exchanges messages with the script on the host until it becomes the agent, and sends the files that the host lacks. The next
 * byte of `output` is then from the agent. After an error the caller must end the shell.
 * @throws StartError if the host cannot be reached, the shell does not start the script within `shellMs`, or the host cannot store
 * or run the agent
 */
export async function deploy(shell: RemoteShell): Promise<DeployedAgent> {
  try {
    return await exchange(shell);
  } catch (error) {
    if (!(error instanceof NoLine)) throw error;
    // The exit code follows the end of output, if the connection still works.
    let isCut = false;
    const patience = setTimeout(
      () => {
        isCut = shell.cut();
      },
      error.isEndless ? 0 : exitMs,
    );
    const ending = await shell.exit;
    clearTimeout(patience);
    const exited = isCut ? { ...ending, lost: `the shell there: ${error.message}` } : ending;
    throw (
      (isCut ? null : (ending.startError ?? shell.explain?.(ending))) ??
      shellEndedError(shell.host, error, exited, shell.tail.lines())
    );
  }
}

/**
 * Exchanges messages with the script on the host, as deploy() does, but leaves an early end of the output to the caller. The shell
 * is not ended if it rejects.
 * @throws StartError as deploy() does; NoLine if the output ended, or had more than 1 MiB, before the script became the agent
 */
async function exchange({
  host,
  input,
  output,
  isBare,
  marker,
  script,
  bundle,
}: RemoteShell): Promise<DeployedAgent> {
  const lines = new PrefixedLines(output, `${marker} `);
  const requests = new Map<string, number>();
  const facts: RemoteFacts = { machine: '', libc: '', tried: [], dir: '', freeKib: null, isPod: false };
  try {
    // Writes are not awaited: a host without space may never accept the data, and its messages explain a failed write.
    if (isBare) {
      input.write(script.firstLine);
      await firstWord(lines, host);
    }
    input.write(script.text);
    await firstWord(lines, host);
    for (;;) {
      const [verb = '', rest = ''] = split(await lines.next());
      switch (verb) {
        case 'system':
          facts.machine = rest.split(' ')[1] ?? '';
          break;
        case 'libc':
          facts.libc = rest.trim();
          break;
        case 'contained':
          facts.isPod = true;
          break;
        case 'tried':
          facts.tried.push(rest.trim());
          break;
        case 'dir':
          facts.dir = rest.trim();
          break;
        case 'free':
          facts.freeKib = rest === '' ? null : Number(rest);
          break;
        case 'nohash':
          throw new StartError(
            `${host} cannot verify the copied agent: it has none of sha256sum, openssl and shasum`,
            ['Install coreutils there, or use --rsh openssh and an agent that is on the host already.'],
          );
        case 'nowhere':
          throw cannotStore(host, facts, null);
        case 'failed':
          throw cannotStore(host, facts, rest);
        case 'spoiled':
          throw new StartError(`${rest} arrived changed on ${host}, twice`, [
            `It was written to ${facts.dir}.`,
          ]);
        case 'file': {
          refuseUnfit(host, facts, bundle);
          const [name = '', have = '0', hash = ''] = rest.split(' ');
          requests.set(name, (requests.get(name) ?? 0) + 1);
          if ((requests.get(name) ?? 0) > maxRequests)
            throw new StartError(`${host} asked for ${JSON.stringify(name)} more than ${maxRequests} times`);
          put(input, bundle, name, Number(have), hash);
          break;
        }
        case 'ready':
          refuseUnfit(host, facts, bundle);
          // The number becomes part of a command that ends the agent: 1 would end all processes there.
          if (!/^[1-9]\d{0,9}$/.test(rest) || rest === '1')
            throw new StartError(`${host} names ${JSON.stringify(rest.slice(0, 80))} as the agent's process`);
          lines.release();
          input.write('run\n');
          return { pid: Number(rest), dir: facts.dir };
      }
    }
  } catch (error) {
    lines.release();
    throw error;
  }
}

/**
 * Waits for the first line of the script, which shows that the script runs. The line itself is dropped.
 * @param lines lines of the script
 * @throws StartError if no line came within `shellMs`
 * @throws NoLine if the output ended, or had more than 1 MiB, before this line
 */
async function firstWord(lines: PrefixedLines, host: string): Promise<void> {
  let stopWaiting = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    stopWaiting = startRunningTimer(shellMs, () => {
      const cause =
        'A start-up file of the shell there may wait for something (a question, a network file system).';
      reject(
        new StartError(`the shell on ${host} did not start our script within ${shellMs / 1000} s`, [cause]),
      );
    });
  });
  try {
    await Promise.race([lines.next(), late]);
  } finally {
    stopWaiting();
  }
}

function split(line: string): [string, string] {
  const space = line.indexOf(' ');
  return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}

function refuseUnfit(host: string, facts: RemoteFacts, bundle: Bundle): void {
  const error = hostMismatch(host, facts, bundle);
  if (error !== null) throw error;
}

/**
 * Sends a file to the host, without waiting. If the host has a part from an earlier attempt, and the part's hash matches the
 * beginning of the file, only the rest is sent; otherwise the whole file.
 * @param have number of bytes that the host has; 0 = none
 * @param hash SHA-256 of these bytes, hex
 * @throws StartError if the bundle has no file with this name
 */
function put(input: Writable, bundle: Bundle, name: string, have: number, hash: string): void {
  const file = bundle.files.find((one) => one.name === name);
  if (file === undefined)
    throw new StartError(`the host asked for ${JSON.stringify(name)}, which does not exist`);
  const isPrefix = have > 0 && have <= file.content.length && sha256(file.content.subarray(0, have)) === hash;
  const offset = isPrefix ? have : 0;
  input.write(`put ${offset}\n`);
  input.write(file.content.subarray(offset));
}
