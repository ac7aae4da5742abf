/** Options for connections over SSH. The comment of each option names its default. */
export interface SshOptions {
  /**
   * Maximum ms for TCP connection and SSH handshake of one attempt together; time in which the user types a passphrase does not
   * count. Default 10,000.
   */
  connectTimeoutMs?: number;
  /**
   * `keepaliveMs`: interval in ms at which the server is asked for a keepalive; default 1000. `keepaliveCount`: number of intervals
   * in a row without data that a connection survives; after one more it is lost; default 3.
   */
  keepaliveMs?: number;
  keepaliveCount?: number;
  /**
   * Maximum number of connections that are set up at once; default 16. Each handshake costs this machine about 20 ms of CPU time.
   */
  parallel?: number;
  /**
   * Paths of private keys that are offered before the keys of the ssh configuration; default none. Files that do not exist are
   * skipped.
   */
  identityFiles?: readonly string[];
  /** Configuration file that replaces `~/.ssh/config` and `/etc/ssh/ssh_config`; null (default) = these two files. */
  configFile?: string | null;
  /** Files that replace the known_hosts files of the configuration; null (default) = the files of the configuration. */
  knownHostsFiles?: readonly string[] | null;
  /**
   * Folder for the agent on the hosts: absolute, or relative to the home folder on the host; null (default) = the user's cache
   * folder.
   */
  remoteDir?: string | null;
  /**
   * Asks the user for the passphrase of a key file, whose path it gets; again after a wrong one, up to three times per file. Null
   * (default) = nobody can be asked, and an encrypted key is an error.
   */
  passphrase?: ((keyFile: string) => Promise<string>) | null;
  /** Environment variables for the agent, added to the variables of the login; default none. */
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
