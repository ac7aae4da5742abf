import { z } from 'zod';
import { gateResult } from './gate.ts';
import { runStates } from './run-state.ts';
import { figureUnits } from './workloads/data.ts';

/**
 * Builds that a suite measures, or commands that `compare --interleave` compares. `tonight`: the candidate, which is to be judged.
 * `anchor`: the reference build, measured in turn with it.
 */
export const suiteArms = ['tonight', 'anchor'] as const;
export type SuiteArm = (typeof suiteArms)[number];

/**
 * Role of a run in the suite (YAML file of measurements that one command runs) to which it belongs, stored in its run.json. `id`,
 * `name`: those of the suite.
 */
export const suiteMembership = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Name of the suite entry (one measuring command) that was measured, with its values of matrix parameters: "small/ranks=4". */
  entry: z.string(),
  /**
   * Measured build. `tonight`: the candidate, which is to be judged. `anchor`: the reference build, measured in turn with the
   * candidate.
   */
  arm: z.enum(suiteArms),
  /**
   * Measurement of the entry. `first`: the first one. `again`: a second one, made only for entries whose candidate looked slower.
   */
  pass: z.enum(['first', 'again']),
  /**
   * Number of the run among those of the entry, counted from 0: runs 2 P and 2 P + 1 are pair P of candidate and reference build,
   * measured in turn. Always 0 without a reference build.
   */
  turn: z.int().min(0),
  /**
   * Path of the suite's folder, relative to the folder of all runs and with slashes. Absent if the suite's folder lies directly in
   * the folder of all runs, where the suite's id identifies it.
   */
  folder: z.string().optional(),
});
export type SuiteMembership = z.infer<typeof suiteMembership>;

const suiteRun = suiteMembership.pick({ arm: true, pass: true, turn: true }).extend({
  /** Id of the run. `folder`: path of the run's folder, relative to the suite's folder. `exitCode`: that of the run. */
  id: z.string(),
  folder: z.string(),
  exitCode: z.int(),
});
export type SuiteRun = z.infer<typeof suiteRun>;

/**
 * An entry of a suite: one measuring command with its options, its state and its runs. `cells`: numbers of planned and measured
 * configurations.
 */
export const suiteEntry = z.strictObject({
  name: z.string(),
  /** Name of the collbench command that the entry runs: "allreduce". */
  command: z.string(),
  /**
   * Options of the command, one string per word, as on a command line and not quoted for a shell. `environment`: variables that
   * the entry sets for its ranks, by name.
   */
  words: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  /**
   * True if the suite may lack this entry: it does not fail if the hosts of this run do not have what the entry needs, such as a
   * transport. An entry that starts and then fails still makes the suite fail.
   */
  optional: z.boolean(),
  /**
   * State of the entry. `cannot-run` and `not-needed` (another entry is measured instead) are decided before the entry starts.
   * `incomplete`: results are missing only because the time was over. `not-reached`: the entry has not ended yet, or the suite
   * ended before it.
   */
  status: z.enum([
    'measured',
    'incomplete',
    'failed',
    'cannot-run',
    'not-needed',
    'interrupted',
    'not-reached',
  ]),
  /** Reason why the entry was not measured, or the message of the first failure of its runs; null = neither. */
  reason: z.string().nullable(),
  /** Requested transports that the hosts cannot use, with the reason; empty = none. The entry was measured without them. */
  leftOut: z.array(z.strictObject({ transport: z.string(), reason: z.string() })),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  runs: z.array(suiteRun),
});
export type SuiteEntry = z.infer<typeof suiteEntry>;

/** One figure (time or rate) of a series at one message size, for the summary of a suite. `title`: its name for readers. */
const foundFigure = z.strictObject({
  /** Message size (x value) at which the figure was measured, as text: "8 B". */
  at: z.string(),
  /** Name of the figure: "latency", "busbw". */
  name: z.string(),
  title: z.string(),
  /** Value of the figure in `unit`. */
  value: z.number(),
  unit: z.enum(figureUnits),
  /** Half the width of the 95 % interval divided by the value, without unit: 0.01 = 1 %; null = no interval is known. */
  half: z.number().nullable(),
});
export type SuiteFindingFigure = z.infer<typeof foundFigure>;

/**
 * Summary of what a suite measured on these hosts, which judges no build: whether everything works, and how fast it is. Numbers
 * are sums over all runs of all entries. `checks`: verified results.
 */
export const suiteFound = z.strictObject({
  /**
   * Whether the suite works on these hosts. `works`: `problems` is empty, so all requested configurations were measured and
   * verified, and no evidence contradicts the requested transport. `partly`: there are problems, but some results. `fails`: there
   * are problems and no configuration has a result, or no entry was measured to its end. `interrupted`: the suite ended before all
   * entries had run.
   */
  verdict: z.enum(['works', 'partly', 'fails', 'interrupted']),
  cells: z.strictObject({ expected: z.int(), measured: z.int() }),
  checks: z.int(),
  wrongElements: z.int(),
  /**
   * Transports that were used, each once per medium. `verdict`: the worst verdict of evidence (whether the bytes really took the
   * transport) over its configurations that move bytes.
   */
  transports: z.array(
    z.strictObject({
      name: z.string(),
      medium: z.string(),
      verdict: z.enum(['confirmed', 'unproven', 'contradicted']),
    }),
  ),
  /**
   * Number of configurations that have at least one flag (warning). `flags`: number of configurations by name of the flag. Absent
   * in older files.
   */
  flagged: z.int().optional(),
  flags: z.record(z.string(), z.int()).optional(),
  /**
   * Problems of the suite, such as missing or wrong results of an entry, the most severe first; one sentence each without full
   * stop. An optional entry that cannot run here is no problem.
   */
  problems: z.array(z.string()),
  /** For each series, its time at the smallest measured message size, and its main rate (such as busbw) at the largest. */
  series: z.array(
    z.strictObject({
      /** Operation of the series with its options: "allreduce float32 sum". */
      title: z.string(),
      ranks: z.int(),
      /** Name of the group of ranks that the series measures; null = all ranks. */
      group: z.string().nullable(),
      transport: z.string(),
      /** Medium of the transport: "hardware", "emulated" (a software device replaces the adapter) or "unknown". */
      medium: z.string(),
      /** Time of one operation (the series' main time) at the smallest measured message size; null if no time was measured. */
      small: foundFigure.nullable(),
      /** Main rate, such as bus bandwidth, at the largest measured message size; null if the series has none. */
      large: foundFigure.nullable(),
    }),
  ),
});
export type SuiteFinding = z.infer<typeof suiteFound>;

/**
 * Contents of `suite.json`: the entries of a suite with their runs. The file is rewritten atomically after every run. `endedAt`,
 * `exitCode`: null until the suite ends. `gate`: null without gate, and until it is decided.
 */
export const suiteRecord = z.strictObject({
  schemaVersion: z.literal(2),
  id: z.string(),
  name: z.string(),
  title: z.string(),
  /** The command as the user typed it, one string per word, beginning with `collbench`. */
  command: z.array(z.string()),
  /** Name and SHA-256 of the suite's YAML file, then of each file that it includes; empty for `compare --interleave`. */
  files: z.array(z.strictObject({ name: z.string(), sha256: z.string() })),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  state: z.enum(runStates),
  exitCode: z.int().nullable(),
  entries: z.array(suiteEntry),
  /**
   * Summary of what the suite measured, also of a suite with gate; absent while entries are measured for the first time, and in
   * older files.
   */
  found: suiteFound.optional(),
  gate: gateResult.nullable(),
});
export type SuiteRecord = z.infer<typeof suiteRecord>;
