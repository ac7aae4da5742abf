import type { Client, ClientChannel } from 'ssh2';
import { type AgentExit, StartError } from '../launcher.ts';
import type { Bundle } from './bundle.ts';
import { deploy } from './deploy.ts';
import { keepaliveTimeout } from './keepalive.ts';
import { NoLine } from './lines.ts';
import type { RemoteRun, Tail } from './remote-process.ts';
import type { RemoteScript } from './remote-script.ts';
import { killCommand, noShell, shellMs } from './shell-endings.ts';

/** Between the end of a shell's output and the word of how it ended. */
const exitMs = 2000;
const lastWordsMs = 300;

/** Brings the agent to a connected host and starts it there, all over one channel. @throws StartError */
export async function runAgent(
  client: Client,
  host: string,
  marker: string,
  script: RemoteScript,
  bundle: Bundle,
  tail: Tail,
  signal: AbortSignal,
): Promise<RemoteRun> {
  const channel = await execute(client, host, script.command);
  const exit = exitOf(client, channel);
  channel.on('error', () => undefined);
  channel.stderr.setEncoding('utf8').on('data', (text: string) => tail.add(text));
  const giveUp = (): void => void client.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  let started = false;
  let pid = 0;
  try {
    pid = await deploy({ input: channel, output: channel }, host, marker, script.text, bundle, shellMs);
    started = true;
  } catch (error) {
    if (!(error instanceof NoLine)) throw error;
    // The code follows the end of output, if the connection lives.
    const patience = setTimeout(() => client.destroy(), exitMs);
    const ending = await exit;
    clearTimeout(patience);
    throw noShell(host, error, ending, tail.lines());
  } finally {
    if (!started) client.destroy();
    signal.removeEventListener('abort', giveUp);
  }
  // Whoever still reads gets all of it: the channel closes after its last byte has been taken.
  channel.once('close', () => client.end());
  return {
    input: channel,
    output: channel,
    exit,
    // Not the channel's own way: many servers ignore it, OpenSSH for instance where root logs in.
    signal: (name) => {
      client.exec(killCommand(name, pid), (_, killing) => killing?.on('error', () => undefined).resume());
    },
    destroy: () => void client.destroy(),
  };
}

function execute(client: Client, host: string, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const refused = (why: string): void =>
      reject(
        new StartError(`${host} let us in but starts no program: ${why}`, [
          'Is the login limited to something else?',
        ]),
      );
    client.once('close', () => refused('the connection was closed'));
    client.exec(command, (error, channel) => {
      if (error) refused(error.message);
      else resolve(channel);
    });
  });
}

/** A channel that closes without a word of how the process ended means that the way to it broke. */
function exitOf(client: Client, channel: ClientChannel): Promise<AgentExit> {
  return new Promise((resolve) => {
    let why = 'the connection was closed';
    let ended: AgentExit | null = null;
    const over = (): void => resolve(ended ?? { code: null, signal: null, startError: null, lost: why });
    channel.once('exit', (code: number | null, signal?: string) => {
      ended = { code, signal: signal ?? null, startError: null };
      // Its last words may come after the word of its end; a grandchild may hold stderr open for ever.
      channel.stderr.once('close', over);
      setTimeout(over, lastWordsMs).unref();
      channel.off('close', over);
    });
    client.on('error', (error) => {
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return;
      why = error.message === keepaliveTimeout ? 'it answered no keepalives' : error.message;
    });
    client.once('close', over);
    channel.once('close', over);
  });
}
