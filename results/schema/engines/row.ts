/** A fact that ranks report, as a row of the report's table of versions. */
export interface LibraryFact {
  title: string;
  /** Name of the fact in the report of a rank. */
  fact: string;
  /** Name of the same fact among the versions of run.json; absent if they do not have it. */
  version?: string;
}

/** Library of an engine: the names of the facts that ranks report about it. */
export interface EngineLibrary {
  facts: readonly LibraryFact[];
  /** Name of the fact with the time to create the communicator, in ns. */
  initNs: string;
  /** Name of the fact with the GPU memory that creating the communicator used, in bytes; absent if ranks do not report it. */
  memoryBytes?: string;
}

/** Facts about the GPU software that every library on GPUs uses. */
export const gpuSoftware: readonly LibraryFact[] = [
  { title: 'driver', fact: 'driver.release', version: 'driver' },
  { title: 'CUDA of the driver', fact: 'driver.version', version: 'driver.cuda' },
  { title: 'NVRTC', fact: 'nvrtc.path', version: 'nvrtc' },
  { title: 'NVRTC missing', fact: 'nvrtc.missing' },
];

/** Returns the sentence about caches on GPUs. (native/cuda: kColdBytes) */
export const cacheSentence = (settings: Readonly<Record<string, string>>): string =>
  settings.cache === 'hot'
    ? 'All calls use the same place in the buffers, so that caches stay hot.'
    : 'Calls rotate through 256 MiB of buffers whatever the size, so that caches stay cold.';

/** Returns the sentence about CUDA graphs. */
export const graphSentence = (settings: Readonly<Record<string, string>>): string =>
  settings.graph === '1'
    ? 'Pipelined calls are captured once and replayed as a CUDA graph (nccl-tests -G).'
    : 'The host launches calls one by one; no CUDA graph is used.';

/** Facts about an engine that plans, figures and reports need. Planning is in `suites`, probing of hosts in `orchestration`. */
export interface EngineRow {
  name: string;
  /** Name of the engine for readers. */
  title: string;
  /** True if collbench cannot run the engine: it only occurs in runs imported from other programs. */
  isForeign: boolean;
  /**
   * True if collbench itself moves the bytes, in host memory: the engine runs on every machine, and its transports and
   * algorithms are those of this project. Absent = false.
   */
  isEmbedded?: boolean;
  /**
   * True if times are taken by the devices. Operations are queued behind a kernel that holds them back, so that the host's
   * enqueue cost is not part of the latency; it is a figure of its own.
   */
  onDevice: boolean;
  /** Noun for a rank, by the hardware that it uses. */
  rankNoun: 'rank' | 'GPU';
  /** Engine settings with values that put the ranks on GPUs, in engines whose ranks otherwise use CPUs. */
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
  /** Library that the engine loads and whose facts the ranks report, with its own section in reports; null = none. */
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
