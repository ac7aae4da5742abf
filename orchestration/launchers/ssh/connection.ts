import net from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2, { type Client } from 'ssh2';
import { PausableDeadline } from '../../running-time.ts';
import { StartError } from '../launcher.ts';
import { busyServerError, jumpHostError, unreachableHost } from './failures.ts';
import { hostKeyCheck } from './keys/host-key.ts';
import { SshIdentities } from './keys/identities.ts';
import type { KeyFiles } from './keys/key-file.ts';
import type { KnownHosts } from './keys/known-hosts.ts';
import type { SshOptions } from './options.ts';
import type { SshHostSettings } from './settings.ts';

export interface SshContext {
  options: Required<SshOptions>;
  keys: KeyFiles;
  known: KnownHosts;
  /** The last jump host before this host, with its open connection; null = this host is connected directly. */
  hop: { settings: SshHostSettings; client: Client } | null;
  signal: AbortSignal;
}

/**
 * Maximum number of attempts to connect to one host, which together take about half a minute. Repeating helps because a server at
 * its limit MaxStartups drops connections at random.
 */
const hangUpTries = 8;
const firstPauseMs = 100;

/**
 * Opens a connection to a host and logs in; the caller ends it. If the server closes the connection before the
 * handshake, connecting is tried again after growing pauses.
 * @param ways options, keys and known hosts of the run, the jump host, and the signal that aborts
 * @throws StartError if the host cannot be reached or rejects the login; the signal's reason if it aborts
 */
export async function connect(host: SshHostSettings, ways: SshContext): Promise<Client> {
  for (let tries = 1; ; tries += 1) {
    const client = await connectOnce(host, ways);
    if (client !== 'hung up') return client;
    if (tries === hangUpTries) throw busyServerError(host, tries);
    // Random jitter keeps clients that were rejected together from returning together.
    const pauseMs = firstPauseMs * 2 ** tries * (0.5 + Math.random());
    await sleep(pauseMs, undefined, { signal: ways.signal });
  }
}

async function connectOnce(host: SshHostSettings, ways: SshContext): Promise<Client | 'hung up'> {
  const { options, keys, known, signal } = ways;
  const check = await hostKeyCheck(host, known);
  const patience = new PausableDeadline(options.connectTimeoutMs);
  const identities = await SshIdentities.of(host, keys, (isAsking) => patience.hold(isAsking));
  // An abort that has already happened would not trigger the listener below.
  signal.throwIfAborted();
  const client = new ssh2.Client();
  const over = new AbortController();
  let verdict: StartError | null = null;
  let methods: readonly string[] = [];
  let isPartial = false;
  let shown = false;
  let offered = false;
  let sock: Duplex | null = null;
  try {
    return await new Promise<Client | 'hung up'>((resolve, reject) => {
      const fail = (error: unknown): void => reject(error);
      patience.start(() => {
        fail(
          unreachableHost(
            host,
            failure(sock === null ? 'CONNECT_TIMEOUT' : 'HANDSHAKE_TIMEOUT'),
            options.connectTimeoutMs,
          ),
        );
      });
      signal.addEventListener('abort', () => fail(signal.reason), { once: true });
      client.on('ready', () => {
        watchKeepalive(client, sock as Duplex, options.keepaliveMs, options.keepaliveCount);
        resolve(client);
      });
      client.on('close', () => {
        fail(verdict ?? (offered ? identities.refused(host, methods, isPartial) : lostEarly(host)));
      });
      client.on('error', (error) => {
        const { level, message } = error as Error & { level?: string };
        if (verdict !== null) fail(verdict);
        else if (level === 'agent')
          return; // concerns one key only; `identities` keeps the reason
        else if (level === 'client-authentication') fail(identities.refused(host, methods, isPartial));
        else if (message === 'Connection lost before handshake' || (!shown && isReset(error)))
          resolve('hung up');
        else if (message.includes('no matching host key format')) fail(check.otherTypes());
        else if (offered && message.includes('Too many authentication failures')) {
          fail(identities.refused(host, methods, isPartial));
        } else fail(unreachableHost(host, error, options.connectTimeoutMs));
      });
      tunnel(host, ways, over.signal)
        .then((opened) => {
          sock = opened;
          if (over.signal.aborted) return;
          client.connect({
            sock: opened,
            username: host.user,
            readyTimeout: 0,
            keepaliveInterval: options.keepaliveMs,
            keepaliveCountMax: Number.POSITIVE_INFINITY, // watchKeepalive() decides when the connection is lost
            algorithms: { serverHostKey: check.algorithms },
            hostVerifier: (key: Buffer) => {
              shown = true;
              verdict = check.judge(key);
              return verdict === null;
            },
            authHandler: (left, partial, next) => {
              methods = left ?? methods;
              isPartial ||= partial === true;
              if (offered) return next(false as never);
              offered = true;
              next({ type: 'agent', username: host.user, agent: identities });
            },
          });
        })
        .catch(fail);
    });
  } catch (error) {
    over.abort();
    client.destroy();
    (sock as Duplex | null)?.destroy();
    throw error;
  } finally {
    patience.end();
  }
}

/**
 * Opens a byte stream to a host: a TCP connection, or a channel through the last jump host. The caller must end it. `signal`
 * aborts only the connecting by TCP.
 * @throws StartError if the host cannot be reached, or the jump host cannot reach it
 */
async function tunnel(
  host: SshHostSettings,
  { hop, options }: SshContext,
  signal: AbortSignal,
): Promise<Duplex> {
  if (hop !== null) {
    return new Promise((resolve, reject) => {
      hop.client.forwardOut('127.0.0.1', 0, host.hostname, host.port, (error, channel) => {
        if (error) reject(jumpHostError(host, hop.settings, error));
        else resolve(channel);
      });
    });
  }
  const sock = net.connect({
    host: host.hostname,
    port: host.port,
    family: host.addressFamily,
    // Nagle's algorithm is switched off: ssh2 leaves it on, which costs 40 ms per round trip.
    noDelay: true,
    signal,
  });
  return new Promise((resolve, reject) => {
    sock.once('connect', () => resolve(sock));
    sock.once('error', (error) => reject(unreachableHost(host, firstOf(error), options.connectTimeoutMs)));
  });
}

/**
 * Returns the first of several errors; an error that holds no others is returned itself. If a name has several addresses, one
 * AggregateError holds an error for each address.
 */
function firstOf(error: Error): Error {
  return error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
}

/** True if the error means that the server closed the connection while data from this process was in transit. */
export const isReset = (error: Error): boolean =>
  ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function lostEarly(host: SshHostSettings): StartError {
  return new StartError(`${host.name} closed the connection during the ssh handshake`, [...host.notes]);
}

export const keepaliveTimeout = 'Keepalive timeout';

/**
 * Ends a connection if no byte arrives in more than `count` intervals of `ms` milliseconds, with the same error event as ssh2.
 * The check of ssh2 itself counts only answers to its keepalive requests. These may be queued behind megabytes of output that
 * this process reads slowly.
 * @param client SSH connection to end
 * @param sock byte stream that carries it
 */
function watchKeepalive(client: Client, sock: Duplex, ms: number, count: number): void {
  let silentTurns = 0;
  sock.on('data', () => {
    silentTurns = 0;
  });
  const timer = setInterval(() => {
    silentTurns += 1;
    if (silentTurns <= count) return;
    clearInterval(timer);
    client.emit('error', new Error(keepaliveTimeout));
    client.destroy();
    sock.destroy();
  }, ms);
  client.once('close', () => clearInterval(timer));
}
