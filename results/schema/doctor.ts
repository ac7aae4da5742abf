import { z } from 'zod';

/** What `collbench doctor --json` prints: one object. */
export const doctorReport = z.strictObject({
  schemaVersion: z.literal(1),
  collbenchVersion: z.string(),
  at: z.iso.datetime(),
  hosts: z.array(
    z.strictObject({
      name: z.string(),
      /** Why it could not be asked; null = it was. */
      unreached: z.string().nullable(),
      agentVersion: z.string().nullable(),
      /** Where its ranks would listen; null = not tried. */
      door: z
        .strictObject({ interface: z.string(), address: z.string(), port: z.int(), problem: z.string() })
        .nullable(),
      /** Wall clock minus that of the first host, milliseconds. */
      clock: z.strictObject({ offsetMs: z.number(), uncertaintyMs: z.number() }).nullable(),
      /** What it is made of; null = it could not be asked. */
      machine: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  /** Transports that were asked for; null = all. */
  transports: z.array(z.string()).nullable(),
  findings: z.array(
    z.strictObject({
      id: z.string(),
      severity: z.enum(['ok', 'note', 'unknown', 'warning', 'error']),
      /** Machines that it holds for; empty = for all together. */
      hosts: z.array(z.string()),
      title: z.string(),
      saw: z.string(),
      why: z.string(),
      /** null = nothing is to be done. */
      fix: z.string().nullable(),
      transports: z.union([z.literal('all'), z.array(z.string())]),
    }),
  ),
  passedOver: z.array(
    z.strictObject({ id: z.string(), because: z.enum(['nothing here', 'other transports']) }),
  ),
  /** Tries of one host to reach another, in both directions. */
  knocks: z.array(
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
  untried: z.int(),
  worst: z.enum(['ok', 'note', 'unknown', 'warning', 'error']),
  exitCode: z.int(),
});
export type DoctorReport = z.infer<typeof doctorReport>;
