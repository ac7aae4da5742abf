/** Facts about an engine that plans, figures and reports need. Its planning is in `suites`, its probing in `orchestration`. */
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
   * Engine settings that change what is measured, with their names in ids. Other settings choose where it runs or how it is
   * observed.
   */
  requested: Readonly<Record<string, string>>;
  /**
   * Values of `requested` whose difference does not prevent comparison, as in "fixed by the user" against "chosen by the engine".
   */
  comparable: readonly string[];
  /** Library whose version, settings and choices the ranks report, with its own section in reports; null = none. */
  library: string | null;
  /**
   * Kind of evidence for the path of the bytes. `counters`: those of the transports. `log`: the engine's own log. `loads`: ranks
   * map each other's memory. `sockets`: the kernel's counters of the ranks' sockets.
   */
  evidence: 'counters' | 'log' | 'loads' | 'sockets';
  /** Values of engine settings with which the engine's own log is the evidence, instead of `evidence`. */
  logsWith?: Readonly<Record<string, string>>;
}
