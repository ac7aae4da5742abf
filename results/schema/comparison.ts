import { z } from 'zod';
import { runStates } from './run-state.ts';

// Comparison of runs with a base run, as `collbench compare --json` prints it. A ratio is the time of the other run divided by that
// of the base run: above 1 the other run is slower.

/**
 * Verdicts of a comparison on the other run against the base run. `unconfirmed`: the measured change is large, but these launches
 * cannot show that it is real. `not-enough-data`: the data show neither that something changed nor that nothing did.
 */
export const verdictNames = ['faster', 'slower', 'same', 'unconfirmed', 'not-enough-data'] as const;
export type ChangeVerdict = (typeof verdictNames)[number];

/**
 * Data from which the variance between launches is estimated. `welch`: launches of both compared runs. `siblings`: also launches at
 * other message sizes. `learned`: also earlier runs of an unchanged program.
 */
export const scatterSources = ['welch', 'siblings', 'learned'] as const;

/**
 * Sources of the scatter between whole runs: earlier runs, `collbench aa`, or a value assumed for the transport.
 * `BetweenRuns.from` explains them.
 */
export const runScatterSources = ['history', 'aa', 'transport'] as const;

/** Scatter of the mean time between whole runs of the same program. */
const betweenRuns = z.strictObject({
  /** Standard deviation of ln(time) between runs (0.01 = 1 %). `degrees`: its degrees of freedom; null = infinite. */
  sd: z.number(),
  degrees: z.number().nullable(),
  /**
   * Source of `sd`. `history`: earlier runs of the same configurations. `transport`: a value assumed for the transport, because
   * there are too few earlier runs or nights. `aa`: `collbench aa`, which compares equal runs; `sd` is then 0, because its result
   * is the factor `scatterFactor`.
   */
  from: z.enum(runScatterSources),
  /**
   * Number of earlier runs of the same configurations that were found; only with `history` is `sd` computed from them. 0 with `aa`.
   */
  runs: z.int(),
});
export type BetweenRuns = z.infer<typeof betweenRuns>;

/**
 * Reasons why a verdict is uncertain. `busy`: other processes kept a machine busy. `few-launches`: a run has fewer than two
 * launches. `no-interval`: a compared time has no 95 % interval. `scatter`: launches differ too much.
 */
export const doubtNames = ['busy', 'few-launches', 'no-interval', 'scatter'] as const;
export type VerdictReservation = (typeof doubtNames)[number];

/**
 * Change of one time from the base run to the other run, for one message size or for a range of sizes. `scatterFrom`: data from
 * which the variance between launches was estimated; null if nothing was tested.
 */
const change = z.strictObject({
  /** Name of the compared figure: "latency", "pipelined". */
  figure: z.string(),
  /** Number of launches of the base run and of the other run. */
  launches: z.tuple([z.int(), z.int()]),
  /**
   * Time of the other run divided by that of the base run; each is the geometric mean over the medians of its launches. For a size
   * range, the geometric mean of the ratios at its sizes.
   */
  ratio: z.number().positive(),
  /**
   * Lower and upper bound (`high`) of the 95 % interval of the ratio; null if the change was not tested (`doubt` is `busy`,
   * `few-launches` or `no-interval`).
   */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /**
   * Lowest and highest ratio of a launch of the other run to one of the base run (medians; for a size range, means over its
   * sizes). Reports show them if there is no interval. Both equal `ratio` if single launches are not known.
   */
  observed: z.tuple([z.number().positive(), z.number().positive()]),
  /**
   * Two-sided p-value of the test that nothing changed. `adjustedP` is `p` after the Benjamini-Hochberg correction over all size
   * ranges, or over all cells. Null if not tested.
   */
  p: z.number().nullable(),
  adjustedP: z.number().nullable(),
  scatterFrom: z.enum(scatterSources).nullable(),
  /**
   * Standard deviation of ln(time) of one launch (0.01 = 1 %), computed back from the standard error of the ratio, so that it
   * contains the scatter between runs; null if not tested.
   */
  scatter: z.number().nullable(),
  /** Degrees of freedom of `scatter` and of the test; null if not tested. */
  degrees: z.number().nullable(),
  /**
   * Scatter between runs of the same program, in addition to that between launches. Absent if launches of both runs were
   * interleaved, or if nothing was tested.
   */
  betweenRuns: betweenRuns.optional(),
  /** Relative change up to which a difference is not reported: 0.03 = 3 %. */
  threshold: z.number(),
  /** Smallest relative change that a test with these launches detects with probability 0.8 (0.05 = 5 %); null if not tested. */
  detectable: z.number().nullable(),
  /**
   * Estimated number of launches per run with which the 95 % interval of an unchanged time would be narrow enough for the verdict
   * `same`. Null if the verdict is certain, nothing was tested, or more than 100 are needed.
   */
  launchesWanted: z.int().nullable(),
  verdict: z.enum(verdictNames),
  /** Kind of the reason why the verdict is uncertain; null if it is certain. */
  doubt: z.enum(doubtNames).nullable(),
  /** Reason why the verdict is uncertain, as a sentence without full stop; null if it is certain. */
  reason: z.string().nullable(),
});
export type ComparisonChange = z.infer<typeof change>;

/**
 * Change of one cell that both runs measured. `base` and `other`: its time in each run (figure `change.figure`), ns. `x`: its
 * message size or other x value. `group`: key of its series with the size range.
 */
const cellChange = z.strictObject({
  id: z.string(),
  /**
   * Id of the cell in the other run; absent if it equals `id`. The ids may differ in what the engine may choose itself, such as the
   * algorithm, and in media, rank counts or nodes that the user allowed to be compared.
   */
  otherId: z.string().optional(),
  group: z.string(),
  x: z.number(),
  base: z.number(),
  other: z.number(),
  change,
  /**
   * Change of the other main time of the cell, for example of pipelined time if `change` is about latency. Null if not both runs
   * have it. The verdict depends on `change` alone.
   */
  beside: change.nullable(),
  /**
   * Names of the flags (warnings such as "throttled") that the cell has in at least one of the two runs, each once; empty = none.
   */
  flags: z.array(z.string()),
});
export type CellChange = z.infer<typeof cellChange>;

/**
 * Change of one series in one range of message sizes, over all sizes of the range together. `beside`: change of the other main
 * time, such as pipelined time if `change` is about latency; null if not both runs have it.
 */
const groupChange = z.strictObject({
  /** Key of the series with the name of its size range. */
  key: z.string(),
  /** Title of the series for readers: "allreduce float32 sum, cpu over socket, 2 ranks". */
  title: z.string(),
  /** Name of the operation for sentences: "allreduce". */
  what: z.string(),
  engine: z.string(),
  transport: z.string(),
  medium: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  /** Message sizes (x values) of the range that were compared, ascending. */
  xs: z.array(z.number()),
  change,
  beside: change.nullable(),
});
export type GroupChange = z.infer<typeof groupChange>;

/**
 * Kinds of differences or defects because of which cells of two runs are not compared, or with `disturbed` (other processes kept a
 * machine busy) not tested, unless the user accepts them (`--allow`).
 */
export const allowanceNames = [
  'medium',
  'method',
  'ranks',
  'nodes',
  'unverified',
  'contradicted',
  'disturbed',
] as const;
export type AllowedDifference = (typeof allowanceNames)[number];

/** A cell that both runs have but that is not compared, with the reason as text. `id`: its id in the base run. */
const refusal = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** Kind of the reason. Users can accept every kind (`--allow`) except `wrong-data` and `flagged`. */
  kind: z.enum([...allowanceNames, 'wrong-data', 'flagged']),
  reason: z.string(),
});
export type ComparisonRefusal = z.infer<typeof refusal>;

/**
 * A cell for which at least one of the two runs has no result; `reason`: why it has none, as text. A cell that was measured
 * without success in both runs is listed twice, once for each.
 */
const missingCell = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** Run that has no result for the cell: the base run or the other one. */
  from: z.enum(['base', 'other']),
  reason: z.string(),
});
export type MissingCell = z.infer<typeof missingCell>;

/**
 * A setting, version or fact about the hosts that is not equal in the two runs. `about`: its kind; `base`, `other`: its values as
 * text, null = the run does not have it.
 */
export const changedSetting = z.strictObject({
  about: z.enum(['versions', 'environment', 'machine', 'plan', 'engine', 'load']),
  name: z.string(),
  base: z.string().nullable(),
  other: z.string().nullable(),
});
export type SettingChange = z.infer<typeof changedSetting>;

/** Number of compared size ranges of series, or of compared cells, by verdict. */
const counts = z.strictObject({
  faster: z.int(),
  slower: z.int(),
  same: z.int(),
  unconfirmed: z.int(),
  'not-enough-data': z.int(),
});
export type VerdictCounts = z.infer<typeof counts>;

const comparedRun = z.strictObject({
  id: z.string(),
  /** Name that the user gave the run (`--label`); absent = none. */
  label: z.string().optional(),
  title: z.string(),
  startedAt: z.string(),
  /** Highest number of launches that any series of the run has. */
  launches: z.int(),
  /** State of a run that is not complete; absent = it is complete. `running`: it is still running, or its process was killed. */
  ended: z.enum(runStates).exclude(['complete']).optional(),
});
export type ComparisonRun = z.infer<typeof comparedRun>;

/**
 * Comparison of one other run with the base run. `other`: id of the other run. `refused`: cells of both runs that are not
 * compared. `missing`: cells of which a run has no result. `settings`: what is not equal in the two runs.
 */
const pairOfRuns = z.strictObject({
  other: z.string(),
  otherLabel: z.string().optional(),
  /**
   * Verdict on all size ranges and single sizes together. One that is slower or faster decides; `mixed`: some are faster in the
   * other run, others slower. Otherwise one unconfirmed change decides. `same`: every size range is the same.
   */
  verdict: z.enum([...verdictNames, 'mixed']),
  /** The result of the comparison in one sentence. */
  summary: z.string(),
  counts: z.strictObject({ groups: counts, cells: counts }),
  /** Change of each series in each of its size ranges, in the order of the base run. */
  groups: z.array(groupChange),
  cells: z.array(cellChange),
  refused: z.array(refusal),
  missing: z.array(missingCell),
  settings: z.array(changedSetting),
});
export type PairOfRuns = z.infer<typeof pairOfRuns>;

export const comparison = z.strictObject({
  schemaVersion: z.literal(3),
  rules: z.strictObject({
    groupThreshold: z.number(),
    cellThreshold: z.number(),
    /**
     * Limit for the verdict "same" on a size range, wider than `groupThreshold`: the 95 % interval of the ratio contains 1, and its
     * ends are not farther from 1 than this relative amount (0.1 = 10 %). `cellSame`: the same for a single size. Absent = only the
     * threshold decides.
     */
    groupSame: z.number().optional(),
    cellSame: z.number().optional(),
    /** Highest expected share of false alarms among the reported changes: 0.025 = 2.5 %. */
    falseDiscovery: z.number(),
    confidence: z.literal(0.95),
    power: z.literal(0.8),
    allowed: z.array(z.enum(allowanceNames)),
    excludeFlagged: z.boolean(),
    /** Factor by which standard errors from launches are multiplied, because whole runs differ more than launches of one run. */
    scatterFactor: z.number(),
  }),
  base: comparedRun,
  others: z.array(comparedRun),
  /** Comparison of each run in `others` with the base run. */
  pairs: z.array(pairOfRuns),
});
export type Comparison = z.infer<typeof comparison>;
