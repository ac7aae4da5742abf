/** Facts about an engine that plans, figures and reports need. Planning is in `suites`, probing of hosts in `orchestration`. */
export interface EngineRow {
  name: string;
  /** Name of the engine for readers. */
  title: string;
  /** True if collbench cannot run the engine: it only occurs in runs imported from other programs. */
  isForeign: boolean;
  /**
   * True if times are taken by the devices. Operations are queued behind a kernel that holds them back, so that the host's
   * enqueue cost is not part of the latency; it is a figure of its own.
   */
  onDevice: boolean;
  /** Noun for a rank, by the hardware that it uses. */
  rankNoun: 'rank' | 'GPU';
  /**
   * Engine settings that change what is measured (key), with their names in cell ids (value). All other settings only choose
   * where the engine runs or how it is observed.
   */
  requested: Readonly<Record<string, string>>;
  /**
   * Names of settings (values of `requested`) that may differ between two compared cells. Example: the algorithm fixed by the
   * user in one run, chosen by the engine in the other.
   */
  comparable: readonly string[];
  /** Library whose version, settings and choices the ranks report, with its own section in reports; null = none. */
  library: string | null;
  /**
   * The proof of the path that the bytes took. `counters`: byte counters of the transports. `log`: the engine's own log. `loads`:
   * ranks map each other's memory, so there is no other path. `sockets`: the kernel's counters of the ranks' sockets.
   */
  evidence: 'counters' | 'log' | 'loads' | 'sockets';
  /**
   * Engine settings with values that turn on the engine's own log. With these settings the log is the evidence instead of
   * `evidence`.
   */
  logsWith?: Readonly<Record<string, string>>;
}
