import { z } from 'zod';

const number = z.number().nullable();

/**
 * Schema of the facts about one machine, as stored in a run's machines.json, from which the machine's topology is made. Older files
 * have no `numa` and no NVLinks. Further fields of the file are dropped.
 */
export const machineParts = z.object({
  cpu: z.object({ model: z.string().nullable(), sockets: number }),
  memory: z.object({ numaNodes: number }),
  numa: z.array(z.object({ node: z.int().min(0), cpus: z.string().nullable() })).default([]),
  pci: z
    .array(
      z.object({
        address: z.string(),
        kind: z.enum(['gpu', 'network', 'ntb', 'accelerator', 'bridge', 'other']),
        vendor: z.string(),
        numaNode: z.int().min(0).nullable(),
        link: z.object({ width: number, maxWidth: number, speedGTs: number, maxSpeedGTs: number }),
        bridges: z.array(z.string()).max(64),
      }),
    )
    .max(1024),
  network: z.object({
    interfaces: z.array(
      z.object({ name: z.string(), pci: z.string().nullable(), isLoopback: z.boolean(), speedMbps: number }),
    ),
  }),
  rdma: z.array(
    z.object({ device: z.string(), isActive: z.boolean(), rateGbps: number, pci: z.string().nullable() }),
  ),
  gpus: z
    .array(
      z.object({
        pci: z.string(),
        name: z.string(),
        linkWidth: number,
        linkWidthMax: number,
        linkGenerationMax: number,
        nvlinks: z.int().min(0).nullable().optional(),
        nvlinkMBps: number.optional(),
        nvlinkEnds: z.record(z.string(), z.int().min(0)).optional(),
      }),
    )
    .nullable(),
  nvmlMissing: z.string().nullable(),
});
export type MachineParts = z.infer<typeof machineParts>;

/** Schema of machines.json of a run: the hardware description of each host, by host name. */
export const machinesFile = z.object({
  schemaVersion: z.literal(1),
  machines: z.record(z.string(), machineParts),
});

/** Schema of those parts of the output of `collbench doctor --json` that topologies need. */
export const doctorFile = z.object({
  hosts: z.array(z.object({ name: z.string(), machine: machineParts.nullable() })),
});
