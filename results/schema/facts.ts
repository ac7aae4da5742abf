import { z } from 'zod';

/**
 * Facts of a machine as the agent reads them (native/metrics/facts); `results/machine` interprets them. They are the unchanged text
 * of kernel files, values of the running system, GPUs by NVML, and libraries. The agent reads at most 20,000 files, at most 32 KiB
 * of each, at most 8 MiB together.
 */
export const machineFacts = z.object({
  files: z.object({
    /** File content by absolute path; PCI `config` files as hexadecimal text. */
    text: z.record(z.string(), z.string()),
    /** Target of each symbolic link, by path of the link; links in the target are resolved, too. "" = the target does not exist. */
    links: z.record(z.string(), z.string()),
    /** Paths of files that exist but that the agent's user may not read. */
    denied: z.array(z.string()),
    /** Paths of files of which only the first 32 KiB are in `text`. */
    cut: z.array(z.string()),
    /** True if the limit on files or bytes was reached, so that files are missing. */
    full: z.boolean(),
  }),
  /** Values that the agent reads from the running system. Null if the facts come from a recorded copy of the files. */
  live: z
    .object({
      glibc: z.string(),
      /** Size of /dev/shm in bytes; null if it does not exist. */
      shmBytes: z.number().nullable(),
      shmFreeBytes: z.number().nullable(),
      clockSynchronised: z.boolean().nullable(),
      clockMaxErrorUs: z.number(),
      root: z.boolean(),
      /**
       * Content of /proc/stat, read 0.2 s after the copy in `files.text`; the difference shows how busy the CPUs are. "" = not read
       * a second time.
       */
      statLater: z.string(),
      environment: z.record(z.string(), z.string()),
    })
    .nullable(),
  nvml: z
    .object({
      /** Reason why NVML could not be used; "" if it could. */
      missing: z.string(),
      driver: z.string(),
      gpus: z.array(
        z.object({
          pci: z.string(),
          name: z.string(),
          linkWidth: z.int().nullable(),
          linkWidthMax: z.int().nullable(),
          linkGeneration: z.int().nullable(),
          linkGenerationMax: z.int().nullable(),
          /** Number of processes that use the GPU for computing; null = not known. */
          processes: z.int().nullable(),
          memoryBytes: z.number().nullable(),
          memoryUsedBytes: z.number().nullable(),
          persistence: z.int().nullable(),
          /**
           * Number of active NVLinks of the GPU. `nvlinkMBps`: signalling rate of each NVLink in one direction, 1e6 bytes/s. Null =
           * not known.
           */
          nvlinks: z.int().nullable(),
          nvlinkMBps: z.number().nullable(),
          /**
           * Number of active NVLinks of the GPU by what is at their other end: a PCI address, "switch", or "" if the driver does
           * not report it.
           */
          nvlinkEnds: z.record(z.string(), z.int().min(0)),
        }),
      ),
    })
    .nullable(),
  libraries: z.array(
    z.object({
      name: z.string(),
      /** Path of the library file with all symbolic links resolved. */
      path: z.string(),
      /** Reason why this machine cannot load the file as a library; "" = no problem found. */
      problem: z.string(),
      buildId: z.string(),
      bytes: z.number(),
      /** SHA-256 of the library file in hexadecimal; "" = it was not requested, or the file is too large. */
      sha256: z.string(),
      /** Names of symbols for NCCL's plugin interfaces that the library exports: "ncclNetPlugin_v8". Empty = none. */
      symbols: z.array(z.string()),
    }),
  ),
});
export type MachineFacts = z.infer<typeof machineFacts>;
