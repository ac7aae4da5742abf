/** Facts about an engine that plans, figures and reports need. Planning is in `suites`, probing of hosts in `orchestration`. */
export interface EngineRow {
  name: string;
  /** Name for readers. */
  title: string;
  /** True if only other programs have the engine; it then occurs only in imported runs. */
  isForeign: boolean;
  /** True if times come from marks on devices: latency after a hold kernel, with the enqueue cost as a separate figure. */
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
   * Kind of evidence for the path of the bytes. `counters`: those of the transports. `log`: the engine's own log. `loads`: ranks
   * map each other's memory. `sockets`: the kernel's counters of the ranks' sockets.
   */
  evidence: 'counters' | 'log' | 'loads' | 'sockets';
  /**
   * Engine settings with values that turn on the engine's own log. With these settings the log is the evidence instead of
   * `evidence`.
   */
  logsWith?: Readonly<Record<string, string>>;
}
