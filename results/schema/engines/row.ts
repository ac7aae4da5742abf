/** What plans, figures and reports must know of an engine. How it is planned and asked is in `suites` and `orchestration`. */
export interface EngineRow {
  name: string;
  /** For people. */
  title: string;
  /** Only other programs have it; found in imported runs alone. */
  isForeign: boolean;
  /** Times are marks on devices: latency behind a hold kernel, the enqueue cost beside it. */
  onDevice: boolean;
  /** What a rank of it runs on. */
  rankNoun: 'rank' | 'GPU';
  /** Words of its settings that change what is measured, with their name in ids. The others say where it runs or how it is observed. */
  requested: Readonly<Record<string, string>>;
  /** Names of these that do not keep cells apart that are compared: what was fixed by hand against what the engine chooses. */
  comparable: readonly string[];
  /** Library on whose version, settings and choices its ranks report, and reports have a section; null = none. */
  library: string | null;
  /**
   * What proves the way of the bytes: the counters of its transports, its own log, that ranks map each other's memory, or
   * what the kernel counts on the sockets of the ranks.
   */
  evidence: 'counters' | 'log' | 'loads' | 'sockets';
  /** Words of its settings with which its own log proves it instead. */
  logsWith?: Readonly<Record<string, string>>;
}
