/** A host of a run, as the user named it. */
export interface HostSpec {
  /**
   * Name of the host for people, unique in a run: the host as typed, without user and port. Hosts that differ only in the port are
   * named `name:port`.
   */
  name: string;
  /** Name or address to connect to; an IPv6 address without brackets. */
  address: string;
  /** User name for the login; null = the user of the ssh configuration or, if it names none, of this process. */
  user: string | null;
  /** Port of the ssh server; null = the port of the ssh configuration or, if it names none, 22. */
  port: number | null;
  /** Maximum number of ranks on the host; null = not given. */
  slots: number | null;
  /** Network interface for the host's data connections; absent or null = the value of `--interface`. */
  iface?: string | null;
}
