/** A machine as the user named it. */
export interface HostSpec {
  /** Unique in a run, what people read: the host as typed, without user and port. */
  name: string;
  /** Name or address to reach it by; an IPv6 address without brackets. */
  address: string;
  /** `null` = what the ssh configuration says, else the user of this process. */
  user: string | null;
  /** `null` = what the ssh configuration says, else 22. */
  port: number | null;
  /** Ranks it may have; `null` = not said. */
  slots: number | null;
  /** Interface for its data connections; absent = what `--interface` says. */
  iface?: string | null;
}
