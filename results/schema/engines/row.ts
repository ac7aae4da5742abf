/** A fact such as a library version that ranks report when they start; reports show it as a row of their table of versions. */
export interface LibraryFact {
  title: string;
  /** Key of the fact in what a rank reports: "nccl.version". */
  fact: string;
  /** Key of the same fact in `versions` of run.json; absent if it is not there. */
  version?: string;
}

/** The library that an engine measures, such as libnccl: keys of the facts that ranks report about it. */
export interface EngineLibrary {
  facts: readonly LibraryFact[];
  /** Key of the fact "time to create the communicator", ns. */
  initNs: string;
  /** Key of the fact "GPU memory used to create the communicator", bytes; absent if ranks do not report it. */
  memoryBytes?: string;
}

/** Facts about driver, CUDA and NVRTC, which ranks of all GPU engines report. */
export const gpuSoftware: readonly LibraryFact[] = [
  { title: 'driver', fact: 'driver.release', version: 'driver' },
  { title: 'CUDA of the driver', fact: 'driver.version', version: 'driver.cuda' },
  { title: 'NVRTC', fact: 'nvrtc.path', version: 'nvrtc' },
  { title: 'NVRTC missing', fact: 'nvrtc.missing' },
];

/** Returns a sentence for reports: whether repeated calls use the same buffers (hot caches) or rotate through 256 MiB (cold). */
export const cacheSentence = (settings: Readonly<Record<string, string>>): string =>
  settings.cache === 'hot'
    ? 'All calls use the same place in the buffers, so that caches stay hot.'
    : 'Calls rotate through 256 MiB of buffers whatever the size, so that caches stay cold.';

/** Returns a sentence for reports: whether pipelined calls are replayed as a CUDA graph or started one by one. */
export const graphSentence = (settings: Readonly<Record<string, string>>): string =>
  settings.graph === '1'
    ? 'Pipelined calls are captured once and replayed as a CUDA graph (nccl-tests -G).'
    : 'The host launches calls one by one; no CUDA graph is used.';

/** Description of an engine (the library whose operations are measured: nccl, mpi, cpu, ...) for plans and reports. */
export interface EngineRow {
  name: string;
  /** Name of the engine for readers. */
  title: string;
  /** True if collbench cannot start the engine; it only occurs in results imported from other programs. */
  isForeign: boolean;
  /**
   * True if the engine is collbench's own code on CPUs, with its own transports and algorithms. Absent = false.
   */
  isEmbedded?: boolean;
  /**
   * True if times are taken by the devices. Operations are queued behind a kernel that holds them back, so that the host's
   * enqueue cost is not part of the latency; it is a figure of its own.
   */
  onDevice: boolean;
  /** Noun for a rank in reports: "GPU" if each rank drives one, otherwise "rank". */
  rankNoun: 'rank' | 'GPU';
  /** Settings with which the ranks use GPUs, for engines such as torch that otherwise use CPUs; absent = none. */
  gpusWith?: Readonly<Record<string, string>>;
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
  /** Library that the ranks load and report facts about; reports give it a section. Null = none. */
  library: EngineLibrary | null;
  /**
   * Returns sentences about buffers and calls under these settings, for the method chapter of a report; absent if times are not
   * taken by devices.
   */
  callSentences?(settings: Readonly<Record<string, string>>): string[];
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
