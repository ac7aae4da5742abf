import { z } from 'zod';
import { gateResult } from './gate.ts';
import { figureUnits } from './workloads/data.ts';

export const suiteArms = ['tonight', 'anchor'] as const;
export type SuiteArm = (typeof suiteArms)[number];

/** What a run that belongs to a suite says of itself in run.json. */
export const suiteMembership = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Name of the entry within the suite, with its place in the matrix: "small/ranks=4". */
  entry: z.string(),
  /** `anchor`: measured in turns with tonight's, to be held against. */
  arm: z.enum(suiteArms),
  /** `again`: a second measurement of what looked slower. */
  pass: z.enum(['first', 'again']),
  /** Which of the turns, from 0. */
  turn: z.int().min(0),
  /** Folder of the suite, relative to the folder of all runs, with slashes; absent = it lies there, named by the suite's id. */
  folder: z.string().optional(),
});
export type SuiteMembership = z.infer<typeof suiteMembership>;

const suiteRun = suiteMembership.pick({ arm: true, pass: true, turn: true }).extend({
  /** Of the run, and its folder relative to that of the suite. */
  id: z.string(),
  folder: z.string(),
  exitCode: z.int(),
});
export type SuiteRun = z.infer<typeof suiteRun>;

export const suiteEntry = z.strictObject({
  name: z.string(),
  /** The measuring command: "allreduce". */
  command: z.string(),
  /** Options as they would be typed behind it. */
  words: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  /** Where the machine cannot run it, that is no failure. */
  optional: z.boolean(),
  /** `cannot-run`, `not-needed` (another entry can run instead): known before anything started. `not-reached`: the suite ended before. */
  status: z.enum(['measured', 'failed', 'cannot-run', 'not-needed', 'interrupted', 'not-reached']),
  /** Why there is nothing, or not all; null where there is. */
  reason: z.string().nullable(),
  /** Transports that were asked for and cannot run here. */
  leftOut: z.array(z.strictObject({ transport: z.string(), reason: z.string() })),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  runs: z.array(suiteRun),
});
export type SuiteEntry = z.infer<typeof suiteEntry>;

/** A time, or a rate, at one x. */
const foundFigure = z.strictObject({
  /** Value of the axis along x, as text: "8 B". */
  at: z.string(),
  /** Of the workload's row: "latency", "busbw". */
  name: z.string(),
  title: z.string(),
  /** In `unit`. */
  value: z.number(),
  unit: z.enum(figureUnits),
  /** Half the width of its 95 % interval, as a share; null = no interval. */
  half: z.number().nullable(),
});
export type SuiteFindingFigure = z.infer<typeof foundFigure>;

/** What the runs of a suite came to, without the gate: whether it works here, and how fast. */
export const suiteFound = z.strictObject({
  /** `works`: all that was asked was measured, verified and over the transport asked for. `partly`: some of it was. */
  verdict: z.enum(['works', 'partly', 'fails', 'interrupted']),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  checks: z.int(),
  wrongElements: z.int(),
  /** Worst verdict of the evidence of each transport, as its series names it. */
  transports: z.array(
    z.strictObject({
      name: z.string(),
      medium: z.string(),
      verdict: z.enum(['confirmed', 'unproven', 'contradicted']),
    }),
  ),
  /** Configurations with a flag, and how many carry each. Absent in older files. */
  flagged: z.int().optional(),
  flags: z.record(z.string(), z.int()).optional(),
  /** What does not work, a sentence each without a full stop. */
  problems: z.array(z.string()),
  /** By series: the time at the smallest x, the charted rate at the largest. */
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

/** `suite.json`: runs that belong together. Rewritten atomically after every entry. */
export const suiteRecord = z.strictObject({
  schemaVersion: z.literal(2),
  id: z.string(),
  name: z.string(),
  title: z.string(),
  /** As typed. */
  command: z.array(z.string()),
  /** The suite's file first, then what it includes. */
  files: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(['running', 'complete', 'failed', 'interrupted']),
  exitCode: z.int().nullable(),
  entries: z.array(suiteEntry),
  /** Absent in older files and until the suite ends. */
  found: suiteFound.optional(),
  gate: gateResult.nullable(),
});
export type SuiteRecord = z.infer<typeof suiteRecord>;
