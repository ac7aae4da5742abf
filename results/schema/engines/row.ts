/**
 * A fact, such as a library version, that ranks report when they start. Reports show it as a row in their table of versions.
 * `title`: name of the row.
 */
export interface LibraryFact {
  title: string;
  /** Key of the fact among the facts that a rank reports: "nccl.version". */
  fact: string;
  /** Key of the fact in `versions` of run.json; absent = it is not stored there. */
  version?: string;
}

/**
 * Keys of the facts that ranks report about the library that an engine measures, such as libnccl. A key names one of the texts in
 * `facts` of a rank in run.json.
 */
export interface EngineLibrary {
  facts: readonly LibraryFact[];
  /** Key of the fact with the time that creating the communicator took, ns. */
  initNs: string;
  /** Key of the fact with the GPU memory that creating the communicator used, bytes; absent if ranks do not report it. */
  memoryBytes?: string;
}

/** Facts about the GPU driver, CUDA and NVRTC, which ranks of all GPU engines report. */
export const gpuSoftware: readonly LibraryFact[] = [
  { title: 'driver', fact: 'driver.release', version: 'driver' },
  { title: 'CUDA of the driver', fact: 'driver.version', version: 'driver.cuda' },
  { title: 'NVRTC', fact: 'nvrtc.path', version: 'nvrtc' },
  { title: 'NVRTC missing', fact: 'nvrtc.missing' },
];

/**
 * Returns a sentence for reports on caches: calls use the same buffers (setting `cache` is "hot"), or move through 256 MiB of
 * buffers (any other value, or none).
 * @param settings engine settings of the plan
 */
export const cacheSentence = (settings: Readonly<Record<string, string>>): string =>
  settings.cache === 'hot'
    ? 'All calls use the same place in the buffers, so that caches stay hot.'
    : 'Calls rotate through 256 MiB of buffers whatever the size, so that caches stay cold.';

/**
 * Returns a sentence for reports: pipelined calls are replayed as a CUDA graph (setting `graph` is "1"), or started one by one by
 * the host (otherwise).
 * @param settings engine settings of the plan
 */
export const graphSentence = (settings: Readonly<Record<string, string>>): string =>
  settings.graph === '1'
    ? 'Pipelined calls are captured once and replayed as a CUDA graph (nccl-tests -G).'
    : 'The host launches calls one by one; no CUDA graph is used.';

/** Description of an engine for plans and reports. */
export interface EngineRow {
  name: string;
  /** Name of the engine for readers. */
  title: string;
  /** True if collbench cannot run the engine, so that it occurs only in results imported from other programs. */
  isForeign: boolean;
  /** True if the engine is collbench's own code on CPUs, which uses its own transports and algorithms. Absent = false. */
  isEmbedded?: boolean;
  /**
   * True if the clocks of the devices take the times, except of workloads that the host times. Operations are queued behind a
   * kernel that holds them back until all are queued, so that the host's cost to queue them is not part of the latency; it is a
   * figure of its own.
   */
  onDevice: boolean;
  /** Noun for a rank in reports: "GPU" if each rank always drives one, otherwise "rank". */
  rankNoun: 'rank' | 'GPU';
  /**
   * Settings, with their values, that make the ranks use GPUs, for engines such as `torch` that otherwise use CPUs; absent = there
   * are none.
   */
  gpusWith?: Readonly<Record<string, string>>;
  /**
   * Engine settings that change what is measured: names of settings (keys), with the names that they have in ids of cells (values).
   * All other settings only choose where the engine runs or how it is observed.
   */
  requested: Readonly<Record<string, string>>;
  /**
   * Settings, by the names that they have in ids of cells (the values of `requested`, such as `algorithm`), that need not be equal
   * in two cells that are compared. Example: the user fixes the algorithm in one run, and the engine chooses it in the other.
   */
  comparable: readonly string[];
  /** Library that the ranks load and report facts about, to which reports give a section of their own. Null = there is none. */
  library: EngineLibrary | null;
  /**
   * Returns sentences, for a report's chapter on methods, on how buffers are used and calls are made with these engine settings.
   * Absent if devices do not take the times.
   */
  callSentences?(settings: Readonly<Record<string, string>>): string[];
  /**
   * Evidence for the transport that the bytes took. `counters`: byte counters of the transports. `log`: the engine's own log.
   * `loads`: ranks map each other's memory, so there is no other path. `sockets`: the kernel's counters of the ranks' sockets.
   */
  evidence: 'counters' | 'log' | 'loads' | 'sockets';
  /**
   * Engine settings, with their values, that turn on the engine's own log. If a run has them, the log is the evidence, instead of
   * the kind in `evidence`. Absent = there are none.
   */
  logsWith?: Readonly<Record<string, string>>;
}
