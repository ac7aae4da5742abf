import type { Client } from 'ssh2';
import { getOrMake } from '../../../results/collections.ts';
import type { HostSpec } from '../../hosts/host.ts';
import { ConnectionLimiter } from '../connection-limiter.ts';
import { StartError } from '../launcher.ts';
import type { SshConfig } from './config.ts';
import { connect } from './connection.ts';
import { KeyFiles } from './keys/key-file.ts';
import { KnownHosts } from './keys/known-hosts.ts';
import { hostLabel } from './names.ts';
import type { SshOptions } from './options.ts';
import { hopOf, type SshHostSettings, settingsOf } from './settings.ts';

interface SshConnection {
  settings: SshHostSettings;
  client: Client;
}

/** Maximum number of jump hosts in a row. A longer chain means that ProxyJump settings form a cycle. */
const maxHops = 8;

/**
 * All SSH connections of a run. Connections to jump hosts are shared: a bastion gets one login, however many hosts are behind
 * it.
 */
export class SshPool {
  private readonly options: Required<SshOptions>;
  private readonly config: SshConfig;
  private readonly keys: KeyFiles;
  private readonly known = new KnownHosts();
  private readonly limiter: ConnectionLimiter;
  private readonly jumps = new Map<string, Promise<SshHostSettings>>();
  private readonly hops = new Map<string, Promise<SshConnection>>();
  private readonly clients = new Set<Client>();
  private readonly ending = new AbortController();

  constructor(config: SshConfig, options: Required<SshOptions>) {
    this.options = options;
    this.config = config;
    this.keys = new KeyFiles(options.passphrase);
    this.limiter = new ConnectionLimiter(options.parallel);
  }

  /**
   * Opens a new connection to the host, through its jump hosts. At most `options.parallel` are set up at once; others wait. The
   * caller may end it; close() ends all.
   * @throws StartError if the host or a jump host cannot be reached or rejects the login, or the configuration cannot be used; the
   * signal's reason if it aborts
   */
  async connect(host: HostSpec, signal: AbortSignal): Promise<Client> {
    return this.limiter.pass(signal, async () => {
      const settings = await settingsOf(host, this.config, this.options);
      const hop = await this.through(await this.route(settings));
      return this.open(settings, hop, signal);
    });
  }

  /**
   * Ends all connections, also those being opened; resolves when open ones are closed, and never rejects. Later calls of connect()
   * reject.
   */
  async close(): Promise<void> {
    this.ending.abort(new StartError('the run is over'));
    await Promise.all(
      [...this.clients].map(
        (client) =>
          new Promise<void>((resolve) => {
            client.once('close', () => resolve());
            client.destroy();
          }),
      ),
    );
  }

  /**
   * Returns the jump hosts on the way to a host, in the order of connecting; empty if the host is reached directly. As with `ssh
   * -J`, the first jump host may have jump hosts of its own.
   * @throws StartError if a jump host is invalid, or there are more than `maxHops`
   */
  private async route(to: SshHostSettings): Promise<SshHostSettings[]> {
    const hops: SshHostSettings[] = [];
    for (let next = to; next.jumps.length > 0; ) {
      const before = await Promise.all(next.jumps.map((jump) => this.hopSettings(jump)));
      hops.unshift(...before);
      if (hops.length > maxHops) {
        const question = 'does ProxyJump go in circles?';
        throw new StartError(`${to.name} lies behind more than ${maxHops} jump hosts; ${question}`);
      }
      next = before[0] as SshHostSettings;
    }
    return hops;
  }

  private hopSettings(jump: string): Promise<SshHostSettings> {
    return getOrMake(this.jumps, jump, async () => settingsOf(hopOf(jump), this.config, this.options));
  }

  /**
   * Connects through these jump hosts, one after the other. A connection is shared until it closes; the caller must not end it.
   * @returns the connection to the last jump host; null if there are none
   * @throws StartError if a jump host cannot be reached or rejects the login
   */
  private async through(hops: readonly SshHostSettings[]): Promise<SshConnection | null> {
    const settings = hops.at(-1);
    if (settings === undefined) return null;
    const key = hops.map(({ user, hostname, port }) => hostLabel(user, hostname, port)).join(',');
    let hop = this.hops.get(key);
    if (hop === undefined) {
      hop = this.through(hops.slice(0, -1))
        .then((before) => this.open(settings, before, this.ending.signal))
        .then((client) => ({ settings, client: client.once('close', () => this.hops.delete(key)) }));
      hop.catch(() => this.hops.delete(key));
      this.hops.set(key, hop);
    }
    return hop;
  }

  private async open(
    settings: SshHostSettings,
    hop: SshConnection | null,
    signal: AbortSignal,
  ): Promise<Client> {
    const either = AbortSignal.any([signal, this.ending.signal]);
    either.throwIfAborted();
    const { options, keys, known } = this;
    const client = await connect(settings, { options, keys, known, hop, signal: either });
    this.clients.add(client);
    client.once('close', () => this.clients.delete(client));
    return client;
  }
}
