import { z } from 'zod';

/**
 * Facts of a machine as the agent reads them (native/metrics/facts); `results/machine` interprets them. They are the unchanged
 * text of kernel files, values of the running system, GPUs by NVML, and libraries. The agent limits the text to 20,000 files of
 * 32 KiB, 8 MiB together.
 */
export const machineFacts = z.object({
  files: z.object({
    /** File content by absolute path; PCI `config` files as hexadecimal text. */
    text: z.record(z.string(), z.string()),
    /** Target of each symbolic link by the link's path, with all links resolved; "" = the target does not exist. */
    links: z.record(z.string(), z.string()),
    /** Files that exist but that the agent's user may not read. */
    denied: z.array(z.string()),
    cut: z.array(z.string()),
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
      /** Content of /proc/stat 0.2 s after that in `files.text`; the difference shows how busy the CPUs are. */
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
          /** Number of active NVLinks. `nvlinkMBps`: signalling rate of each in one direction, 1e6 bytes/s; null = not known. */
          nvlinks: z.int().nullable(),
          nvlinkMBps: z.number().nullable(),
          /** Number of active NVLinks by their remote end: a PCI address, "switch", or "" if the driver does not report it. */
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
      /** Reason why the file is no library for this machine; "" = no problem found. */
      problem: z.string(),
      buildId: z.string(),
      bytes: z.number(),
      /** SHA-256 of the file; "" = not requested. */
      sha256: z.string(),
      /** Exported symbols of NCCL's plugin interfaces: "ncclNetPlugin_v8". */
      symbols: z.array(z.string()),
    }),
  ),
});
export type MachineFacts = z.infer<typeof machineFacts>;
