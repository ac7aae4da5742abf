/** A host of a run, as the user named it. */
export interface HostSpec {
  /** Name for people, unique in a run: the host as typed, without user and port. */
  name: string;
  /** Name or address to connect to; an IPv6 address without brackets. */
  address: string;
  /** User name for the login; null = from the ssh configuration, else the user of this process. */
  user: string | null;
  /** Port; null = from the ssh configuration, else 22. */
  port: number | null;
  /** Maximum number of ranks; null = not given. */
  slots: number | null;
  /** Interface for its data connections; absent = the value of `--interface`. */
  iface?: string | null;
}
