import { z } from 'zod';
import { gateResult } from './gate.ts';
import { figureUnits } from './workloads/data.ts';

export const suiteArms = ['tonight', 'anchor'] as const;
export type SuiteArm = (typeof suiteArms)[number];

/** The suite (YAML file of measurements run by one command) to which a run belongs, as its run.json stores it. */
export const suiteMembership = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Name of the suite entry that was measured, with the values of its matrix parameters: "small/ranks=4". */
  entry: z.string(),
  /** The measured build. `tonight`: the build to judge. `anchor`: the reference build, measured alternately with it. */
  arm: z.enum(suiteArms),
  /** `first`: the first measurement. `again`: a repeated one, made only for entries that looked slower. */
  pass: z.enum(['first', 'again']),
  /** Number of the repetition of the entry, counted from 0; in each, both builds measure one after the other. */
  turn: z.int().min(0),
  /**
   * Path of the suite's folder relative to the folder of all runs, with slashes. Absent if the suite's folder is directly in the
   * folder of all runs, where it is found by the suite's id.
   */
  folder: z.string().optional(),
});
export type SuiteMembership = z.infer<typeof suiteMembership>;

const suiteRun = suiteMembership.pick({ arm: true, pass: true, turn: true }).extend({
  /** Id of the run. `folder`: its folder, relative to the folder of the suite. */
  id: z.string(),
  folder: z.string(),
  exitCode: z.int(),
});
export type SuiteRun = z.infer<typeof suiteRun>;

export const suiteEntry = z.strictObject({
  name: z.string(),
  /** The collbench command that the entry runs: "allreduce". */
  command: z.string(),
  /** Options after the command, as typed, one word each. */
  words: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  /**
   * True if the suite does not fail when the hosts of this run lack something that the entry needs, such as a transport. An entry
   * that starts and then fails still counts.
   */
  optional: z.boolean(),
  /**
   * State of the entry. `cannot-run` and `not-needed` (another entry runs instead) are decided before anything starts.
   * `not-reached`: the suite ended earlier.
   */
  status: z.enum(['measured', 'failed', 'cannot-run', 'not-needed', 'interrupted', 'not-reached']),
  /** Reason why results of this entry are missing; null if none are. */
  reason: z.string().nullable(),
  /** Requested transports that these hosts cannot use, with the reason; the entry was measured without them. */
  leftOut: z.array(z.strictObject({ transport: z.string(), reason: z.string() })),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  runs: z.array(suiteRun),
});
export type SuiteEntry = z.infer<typeof suiteEntry>;

/** One time or rate of a series at one message size, for the summary of a suite. */
const foundFigure = z.strictObject({
  /** Message size (x value) as text: "8 B". */
  at: z.string(),
  /** Name of the time or rate: "latency", "busbw". */
  name: z.string(),
  title: z.string(),
  /** The time or rate itself, in `unit`. */
  value: z.number(),
  unit: z.enum(figureUnits),
  /** Half width of the 95 % interval divided by the value: 0.01 = 1 %; null = no interval. */
  half: z.number().nullable(),
});
export type SuiteFindingFigure = z.infer<typeof foundFigure>;

/** Summary of a suite that judges no build: whether everything works on these hosts, and how fast it is. */
export const suiteFound = z.strictObject({
  /**
   * `works`: all requested configurations were measured and verified, and used the requested transport. `partly`: at least one
   * configuration was measured, but one of these three conditions is not met everywhere. `fails`: no configuration has a result,
   * or no entry was measured to its end. `interrupted`: the suite ended before all entries had run.
   */
  verdict: z.enum(['works', 'partly', 'fails', 'interrupted']),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  checks: z.int(),
  wrongElements: z.int(),
  /** Used transports, each with its worst verdict on whether the bytes really took it. */
  transports: z.array(
    z.strictObject({
      name: z.string(),
      medium: z.string(),
      verdict: z.enum(['confirmed', 'unproven', 'contradicted']),
    }),
  ),
  /** Number of configurations with at least one flag (warning). `flags`: number by flag. Absent in older files. */
  flagged: z.int().optional(),
  flags: z.record(z.string(), z.int()).optional(),
  /** Problems of the entry's run, such as missing or wrong results, one sentence each without full stop. */
  problems: z.array(z.string()),
  /** For each series the time at its smallest message size, and the rate that charts show (busbw) at its largest. */
  series: z.array(
    z.strictObject({
      /** The operation with its options: "allreduce float32 sum". */
      title: z.string(),
      ranks: z.int(),
      /** Name of the group of ranks that the series measures; null = all ranks. */
      group: z.string().nullable(),
      transport: z.string(),
      /** Kind of device that moved the data: "hardware", "emulated" or "unknown". */
      medium: z.string(),
      /** Time of one operation at the series' smallest measured size; null if no time was measured. */
      small: foundFigure.nullable(),
      /** The series' main rate, such as bus bandwidth, at its largest measured size; null if it has none. */
      large: foundFigure.nullable(),
    }),
  ),
});
export type SuiteFinding = z.infer<typeof suiteFound>;

/** Contents of `suite.json`: entries of a suite with their runs. It is rewritten atomically after every entry. */
export const suiteRecord = z.strictObject({
  schemaVersion: z.literal(2),
  id: z.string(),
  name: z.string(),
  title: z.string(),
  /** The command as the user typed it. */
  command: z.array(z.string()),
  /** Name and hash of the suite's YAML file, then of each file that it includes. */
  files: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(['running', 'complete', 'failed', 'interrupted']),
  exitCode: z.int().nullable(),
  entries: z.array(suiteEntry),
  /** Summary for a suite without a gate (decision on a build); absent in older files, and until the suite ends. */
  found: suiteFound.optional(),
  gate: gateResult.nullable(),
});
export type SuiteRecord = z.infer<typeof suiteRecord>;
