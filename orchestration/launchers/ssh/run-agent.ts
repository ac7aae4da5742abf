import type { Client, ClientChannel } from 'ssh2';
import { type AgentExit, StartError } from '../launcher.ts';
import type { Bundle } from './bundle.ts';
import { deploy } from './deploy.ts';
import { NoLine } from './lines.ts';
import type { RemoteRun, Tail } from './remote-process.ts';
import type { RemoteScript } from './remote-script.ts';

/** A login shell may read start-up files on a slow network file system before it comes to us. */
const shellMs = 60_000;
/** Between the end of a shell's output and the word of how it ended. */
const exitMs = 2000;

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
  try {
    await deploy({ input: channel, output: channel }, host, marker, script.text, bundle, shellMs);
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
    signal: (name) => {
      if (channel.writable || channel.readable) channel.signal(name);
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
    const lost = (): void => resolve({ code: null, signal: null, startError: null, lost: why });
    channel.once('exit', (code: number | null, signal?: string) => {
      resolve({ code, signal: signal ?? null, startError: null });
    });
    client.on('error', (error) => {
      why = error.message === 'Keepalive timeout' ? 'it answered no keepalives' : error.message;
    });
    client.once('close', lost);
    channel.once('close', lost);
  });
}

/** Our script did not get to its end: what the login shell said instead is all there is to tell. */
export function noShell(host: string, ended: NoLine, exit: AgentExit, stderr: string[]): StartError {
  const how =
    exit.lost !== undefined
      ? exit.lost
      : exit.signal !== null
        ? `the shell there was killed by ${exit.signal}`
        : `the shell there: ${ended.message}, with code ${exit.code}`;
  const said = [...ended.noise, ...stderr];
  return new StartError(
    `the agent cannot be started on ${host}: ${how}`,
    said.length === 0 ? ['It said nothing.'] : said.map((line) => `${host}: ${line}`),
  );
}
