import { z } from 'zod';
import { gateResult } from './gate.ts';
import { figureUnits } from './workloads/data.ts';

export const suiteArms = ['tonight', 'anchor'] as const;
export type SuiteArm = (typeof suiteArms)[number];

/** The suite to which a run belongs, as stored in its run.json. */
export const suiteMembership = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Name of the suite's entry, with the values of its matrix parameters: "small/ranks=4". */
  entry: z.string(),
  /** The build that measured the run. `anchor`: the reference build, measured alternately with tonight's build for comparison. */
  arm: z.enum(suiteArms),
  /** `first`: the first measurement. `again`: the second one, only for entries that looked slower. */
  pass: z.enum(['first', 'again']),
  /** Number of the repetition, counted from 0, in which both builds measured the entry one after the other. */
  turn: z.int().min(0),
  /**
   * Path of the suite's folder relative to the folder of all runs, with slashes. Absent if the suite's folder is directly in the
   * folder of all runs, where it is found by the suite's id.
   */
  folder: z.string().optional(),
});
export type SuiteMembership = z.infer<typeof suiteMembership>;

const suiteRun = suiteMembership.pick({ arm: true, pass: true, turn: true }).extend({
  /** Id of the run. `folder` is relative to the folder of the suite. */
  id: z.string(),
  folder: z.string(),
  exitCode: z.int(),
});
export type SuiteRun = z.infer<typeof suiteRun>;

export const suiteEntry = z.strictObject({
  name: z.string(),
  /** Name of the measuring command of the entry: "allreduce". */
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
  /** Reason why results are missing; null if none are missing. */
  reason: z.string().nullable(),
  /** Requested transports that cannot run on these hosts. */
  leftOut: z.array(z.strictObject({ transport: z.string(), reason: z.string() })),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  runs: z.array(suiteRun),
});
export type SuiteEntry = z.infer<typeof suiteEntry>;

/** A time or a rate of one series at one x value, for example a payload size. */
const foundFigure = z.strictObject({
  /** The x value as text: "8 B". */
  at: z.string(),
  /** Name of the figure in its workload: "latency", "busbw". */
  name: z.string(),
  title: z.string(),
  /** The time or rate, in `unit`. */
  value: z.number(),
  unit: z.enum(figureUnits),
  /** Half width of the 95 % interval as a share of the value: 0.01 = 1 %. Null = no interval. */
  half: z.number().nullable(),
});
export type SuiteFindingFigure = z.infer<typeof foundFigure>;

/** Results of a suite without the gate: whether everything works on these machines, and how fast it is. */
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
  /** Transports with the worst evidence verdict of their cells. `name` is the transport's name as shown in series. */
  transports: z.array(
    z.strictObject({
      name: z.string(),
      medium: z.string(),
      verdict: z.enum(['confirmed', 'unproven', 'contradicted']),
    }),
  ),
  /** Number of cells that have at least one flag. `flags` counts cells by flag. Absent in older files. */
  flagged: z.int().optional(),
  flags: z.record(z.string(), z.int()).optional(),
  /** Problems, one sentence each without full stop. */
  problems: z.array(z.string()),
  /** Results by series: the time at the smallest x value, and the charted rate at the largest one. */
  series: z.array(
    z.strictObject({
      title: z.string(),
      transport: z.string(),
      medium: z.string(),
      small: foundFigure.nullable(),
      large: foundFigure.nullable(),
    }),
  ),
});
export type SuiteFinding = z.infer<typeof suiteFound>;

/** Contents of `suite.json`: the suite's entries with their runs. The file is rewritten atomically after every entry. */
export const suiteRecord = z.strictObject({
  schemaVersion: z.literal(2),
  id: z.string(),
  name: z.string(),
  title: z.string(),
  /** The command as typed. */
  command: z.array(z.string()),
  /** Name and hash of the suite's file, then of each file that it includes. */
  files: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(['running', 'complete', 'failed', 'interrupted']),
  exitCode: z.int().nullable(),
  entries: z.array(suiteEntry),
  /** Results of a suite without the gate; absent in older files, and until the suite ends. */
  found: suiteFound.optional(),
  gate: gateResult.nullable(),
});
export type SuiteRecord = z.infer<typeof suiteRecord>;
