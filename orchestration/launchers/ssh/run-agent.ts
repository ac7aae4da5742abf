import type { Client, ClientChannel } from 'ssh2';
import { type AgentExit, StartError } from '../launcher.ts';
import type { OutputTail } from '../tail.ts';
import type { Bundle } from '../upload/bundle.ts';
import { deploy } from '../upload/deploy.ts';
import type { RemoteRun } from '../upload/remote-process.ts';
import type { RemoteScript } from '../upload/remote-script.ts';
import { killCommand } from '../upload/shell-exit.ts';
import { isReset, keepaliveTimeout } from './connection.ts';

const lastWordsMs = 300;

/**
 * Uploads the agent to a connected host and starts it, all over one SSH channel. The connection `client` closes when the agent
 * ends, or at once if the start fails or is aborted.
 * @param client connection to the host
 * @param host name of the host, for messages
 * @param marker word with which lines of the script begin
 * @param script script that prepares the host and becomes the agent
 * @param bundle files of the agent
 * @param tail gets the stderr of the shell and the agent
 * @throws StartError if the host cannot store or run the agent; the signal's reason if it was aborted before
 */
export async function runAgent(
  client: Client,
  host: string,
  marker: string,
  script: RemoteScript,
  bundle: Bundle,
  tail: OutputTail,
  signal: AbortSignal,
): Promise<RemoteRun> {
  const giveUp = (): void => void client.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  let running: AgentChannel | null = null;
  let pid = 0;
  try {
    signal.throwIfAborted();
    const { channel, exit } = await execute(client, host, script.command, tail);
    // Cutting gives no reason of its own: the exit status then says why the connection was lost.
    const cut = (): boolean => {
      giveUp();
      return false;
    };
    const wire = { input: channel, output: channel, isBare: false, exit, cut };
    ({ pid } = await deploy({ host, ...wire, tail, marker, script, bundle }));
    running = { channel, exit };
  } finally {
    if (running === null) client.destroy();
    signal.removeEventListener('abort', giveUp);
  }
  const { channel, exit } = running;
  // The connection ends after the channel closes, so that all output has been read by then.
  channel.once('close', () => client.end());
  return {
    input: channel,
    output: channel,
    exit,
    // The protocol's own signal request is not used: many servers ignore it, for example OpenSSH for logins of root.
    signal: (name) => {
      client.exec(killCommand(name, pid), (_, killing) => killing?.on('error', () => undefined).resume());
    },
    destroy: () => void client.destroy(),
  };
}

interface AgentChannel {
  channel: ClientChannel;
  exit: Promise<AgentExit>;
}

function execute(client: Client, host: string, command: string, tail: OutputTail): Promise<AgentChannel> {
  return new Promise((resolve, reject) => {
    const refused = (why: string): void =>
      reject(
        new StartError(`${host} accepts the login but starts no program: ${why}`, [
          'Is the login restricted to another command?',
        ]),
      );
    client.once('close', () => refused('the connection was closed'));
    client.exec(command, (error, channel) => {
      if (error) {
        refused(error.message);
        return;
      }
      // The listeners are added at once, because one packet may bring the last output and the exit status.
      channel.on('error', () => undefined);
      channel.stderr.setEncoding('utf8').on('data', (text: string) => tail.add(text));
      resolve({ channel, exit: exitOf(client, channel) });
    });
  });
}

/**
 * Resolves to the exit status of the agent, once its stderr is closed or `lastWordsMs` later. If its channel closes without an
 * exit status, the connection broke, and `lost` has the reason. Never rejects.
 */
function exitOf(client: Client, channel: ClientChannel): Promise<AgentExit> {
  return new Promise((resolve) => {
    let why = 'the connection was closed';
    let ended: AgentExit | null = null;
    const over = (): void => resolve(ended ?? { code: null, signal: null, startError: null, lost: why });
    channel.once('exit', (code: number | null, signal?: string) => {
      ended = { code, signal: signal ?? null, startError: null };
      // Output may follow the exit status, but a grandchild may hold stderr open for ever.
      channel.stderr.once('close', over);
      setTimeout(over, lastWordsMs).unref();
      channel.off('close', over);
    });
    client.on('error', (error) => {
      if (isReset(error)) return;
      why = error.message === keepaliveTimeout ? 'it answered no keepalives' : error.message;
    });
    client.once('close', over);
    channel.once('close', over);
  });
}
