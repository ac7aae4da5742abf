import { z } from 'zod';

/** Output of `collbench doctor --json`, which checks hosts for causes of wrong or slow measurements: one JSON object. */
export const doctorReport = z.strictObject({
  schemaVersion: z.literal(1),
  collbenchVersion: z.string(),
  at: z.iso.datetime(),
  hosts: z.array(
    z.strictObject({
      name: z.string(),
      /** Reason why the host could not be reached; null = it was reached. */
      unreached: z.string().nullable(),
      agentVersion: z.string().nullable(),
      /** Socket that the agent opened for connection tests, at the address that ranks would use; null = not tested. */
      listener: z
        .strictObject({ interface: z.string(), address: z.string(), port: z.int(), problem: z.string() })
        .nullable(),
      /** Wall clock of this host minus that of the first host, ms; null = not known. */
      clock: z.strictObject({ offsetMs: z.number(), uncertaintyMs: z.number() }).nullable(),
      /** Hardware and operating system of the host; null = the host could not be reached. */
      machine: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  /** Transports that the user asked about; null = all. */
  transports: z.array(z.string()).nullable(),
  findings: z.array(
    z.strictObject({
      id: z.string(),
      severity: z.enum(['ok', 'note', 'unknown', 'warning', 'error']),
      /** Names of the hosts concerned; empty = all together. */
      hosts: z.array(z.string()),
      title: z.string(),
      observation: z.string(),
      why: z.string(),
      /** Action by which the user can remove the problem; null = nothing is needed. */
      fix: z.string().nullable(),
      transports: z.union([z.literal('all'), z.array(z.string())]),
    }),
  ),
  skipped: z.array(
    z.strictObject({ id: z.string(), reason: z.enum(['not applicable', 'other transports']) }),
  ),
  /** Results of TCP connection tests, for each ordered pair of hosts. */
  connections: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      outcome: z.string(),
      detail: z.string(),
      connectNs: z.number(),
      elapsedNs: z.number(),
      pathMtu: z.int().nullable(),
      segmentBytes: z.int().nullable(),
    }),
  ),
  untriedPairs: z.int(),
  worst: z.enum(['ok', 'note', 'unknown', 'warning', 'error']),
  exitCode: z.int(),
});
export type DoctorReport = z.infer<typeof doctorReport>;
