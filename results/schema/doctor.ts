import { z } from 'zod';

/**
 * Output of `collbench doctor --json`, one JSON object. The command checks hosts for causes of wrong or slow measurements.
 * `skipped`: ids of checks without a result. `worst`: highest severity of the findings.
 */
export const doctorReport = z.strictObject({
  schemaVersion: z.literal(1),
  collbenchVersion: z.string(),
  at: z.iso.datetime(),
  hosts: z.array(
    z.strictObject({
      name: z.string(),
      /** Reason why the host could not be reached, as text; null = it was reached. */
      unreached: z.string().nullable(),
      agentVersion: z.string().nullable(),
      /**
       * Listening socket that the agent opened for connection tests, at the address that ranks would use. `problem`: reason why it
       * could not be opened, "" = it was opened. Null = connections were not tested.
       */
      listener: z
        .strictObject({ interface: z.string(), address: z.string(), port: z.int(), problem: z.string() })
        .nullable(),
      /**
       * Wall-clock time of this host minus that of the first host that opened a listening socket, and the largest error of this
       * difference, ms; null = not known.
       */
      clock: z.strictObject({ offsetMs: z.number(), uncertaintyMs: z.number() }).nullable(),
      /**
       * Hardware, operating system and settings of the host (`MachineReport` in results/machine); null = the host could not be
       * reached.
       */
      machine: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  /** Transports that the user wants to use and to have checked; null = all. */
  transports: z.array(z.string()).nullable(),
  findings: z.array(
    z.strictObject({
      id: z.string(),
      severity: z.enum(['ok', 'note', 'unknown', 'warning', 'error']),
      /** Names of the hosts that the finding is about; empty = it is about all hosts together. */
      hosts: z.array(z.string()),
      title: z.string(),
      observation: z.string(),
      why: z.string(),
      /**
       * Action by which the user can remove the problem of the finding, or find out what is not known; null = no action is needed
       * or known.
       */
      fix: z.string().nullable(),
      transports: z.union([z.literal('all'), z.array(z.string())]),
    }),
  ),
  skipped: z.array(
    z.strictObject({ id: z.string(), reason: z.enum(['not applicable', 'other transports']) }),
  ),
  /**
   * Results of the TCP connection tests, one for each ordered pair of hosts that was tried; empty if none was. `outcome`:
   * "through" if the connection worked; otherwise refused, unanswered, stalled (connected, no answer), unreachable or failed.
   * `detail`: error text of the system, "" = none. `connectNs`: time until the connection was made; `elapsedNs`: until all bytes
   * had come back. `pathMtu`, `segmentBytes`: path MTU and largest TCP segment in bytes; null = not known.
   */
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
  /**
   * Number of ordered pairs of hosts with a listening socket that were not tested because there are too many pairs; 0 = all were.
   */
  untriedPairs: z.int(),
  worst: z.enum(['ok', 'note', 'unknown', 'warning', 'error']),
  exitCode: z.int(),
});
export type DoctorReport = z.infer<typeof doctorReport>;
