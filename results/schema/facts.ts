import { z } from 'zod';

/**
 * What a machine's kernel and files say, word for word, as the agent reads it (native/metrics/facts). `results/machine`
 * understands it. Bounded by the agent: 20,000 files of 32 KiB, 8 MiB together.
 */
export const machineFacts = z.object({
  files: z.object({
    /** Content by absolute path; of PCI `config` files in hex. */
    text: z.record(z.string(), z.string()),
    /** Where links lead, resolved; "" = nowhere. */
    links: z.record(z.string(), z.string()),
    /** There, but not for the user of the agent. */
    denied: z.array(z.string()),
    cut: z.array(z.string()),
    full: z.boolean(),
  }),
  /** What no file tells; null in a recorded tree. */
  live: z
    .object({
      glibc: z.string(),
      /** Of /dev/shm; null = there is none. */
      shmBytes: z.number().nullable(),
      shmFreeBytes: z.number().nullable(),
      clockSynchronised: z.boolean().nullable(),
      clockMaxErrorUs: z.number(),
      root: z.boolean(),
      /** /proc/stat a fifth of a second after that of the files. */
      statLater: z.string(),
      environment: z.record(z.string(), z.string()),
    })
    .nullable(),
  nvml: z
    .object({
      /** Why there is none; "" = there is one. */
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
          /** That compute on it now. */
          processes: z.int().nullable(),
          memoryBytes: z.number().nullable(),
          memoryUsedBytes: z.number().nullable(),
          persistence: z.int().nullable(),
          /** That are up, and what is signalled on each in one direction, 1e6 bytes/s; absent from older agents. */
          nvlinks: z.int().nullable().optional(),
          nvlinkMBps: z.number().nullable().optional(),
          /** Those that are up, by where they lead: a PCI address, "switch", or "" where the driver does not say. */
          nvlinkEnds: z.record(z.string(), z.int().min(0)).optional(),
        }),
      ),
    })
    .nullable(),
  libraries: z.array(
    z.object({
      name: z.string(),
      /** With links followed. */
      path: z.string(),
      /** Why it is no library for this machine; "" = nothing is seen. */
      problem: z.string(),
      buildId: z.string(),
      bytes: z.number(),
      /** "" = not asked for. */
      sha256: z.string(),
      /** Of NCCL's plugin interfaces: "ncclNetPlugin_v8". */
      symbols: z.array(z.string()),
    }),
  ),
});
export type MachineFacts = z.infer<typeof machineFacts>;
