/** How hosts are reached over SSH; what is left out has the default named here. */
export interface SshOptions {
  /** TCP connection and SSH handshake together, without the time a person takes to type a passphrase; 10 s. */
  connectTimeoutMs?: number;
  /** A question to the server after so much silence (1000 ms); unanswered `keepaliveCount` times (3) = lost. */
  keepaliveMs?: number;
  keepaliveCount?: number;
  /** Hosts whose connections are set up at once: a handshake is some 20 ms of work for this machine; 16. */
  parallel?: number;
  /** Private keys to offer before those of the configuration. */
  identityFiles?: readonly string[];
  /** Read instead of `~/.ssh/config` and `/etc/ssh/ssh_config`. */
  configFile?: string | null;
  /** Read instead of the files the configuration names. */
  knownHostsFiles?: readonly string[] | null;
  /** LaunchContext the agent is kept on the hosts; absolute, or relative to the home there; `null` = the user's cache. */
  remoteDir?: string | null;
  /** Asked for the passphrase of a key file, once per file; `null` = there is nobody to ask. */
  passphrase?: ((keyFile: string) => Promise<string>) | null;
  /** Set for the agent, beside what the login there gives it. */
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
