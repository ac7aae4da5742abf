/** Options for connections over SSH; each comment gives the default of its option. */
export interface SshOptions {
  /** Time for TCP connection and SSH handshake together, without the time in which a person types a passphrase; default 10 s. */
  connectTimeoutMs?: number;
  /**
   * Silence after which the server is asked for a keepalive; default 1000 ms. The connection is lost after `keepaliveCount` of
   * them (default 3) without an answer.
   */
  keepaliveMs?: number;
  keepaliveCount?: number;
  /**
   * Maximum number of connections that are set up at once; default 16. A handshake takes about 20 ms of CPU time on this machine.
   */
  parallel?: number;
  /** Private keys that are offered before those of the configuration; default none. */
  identityFiles?: readonly string[];
  /** Configuration file that replaces `~/.ssh/config` and `/etc/ssh/ssh_config`; default null = those two. */
  configFile?: string | null;
  /** Files that replace the known_hosts files of the configuration; default null = those of the configuration. */
  knownHostsFiles?: readonly string[] | null;
  /** Folder for the agent on the hosts: absolute, or relative to the home there; null (default) = the user's cache. */
  remoteDir?: string | null;
  /** Asks for the passphrase of a key file, once per file; null (default) = there is nobody to ask. */
  passphrase?: ((keyFile: string) => Promise<string>) | null;
  /** Variables for the agent, added to those of its login; default none. */
  environment?: Readonly<Record<string, string>>;
}

export function withDefaults(options: SshOptions): Required<SshOptions> {
  return {
    connectTimeoutMs: 10_000,
    keepaliveMs: 1000,
    keepaliveCount: 3,
    parallel: 16,
    identityFiles: [],
    configFile: null,
    knownHostsFiles: null,
    remoteDir: null,
    passphrase: null,
    environment: {},
    ...options,
  };
}
