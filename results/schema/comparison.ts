import { z } from 'zod';

// Comparison of runs with a base run, as `collbench compare --json` prints it. Ratios are of times: above 1 the other run is
// slower.

/**
 * Results of a comparison. `unconfirmed`: the measured change is large, but these launches cannot show that it is real.
 * `not-enough-data`: the data show neither a change nor that there is none.
 */
export const verdictNames = ['faster', 'slower', 'same', 'unconfirmed', 'not-enough-data'] as const;
export type ChangeVerdict = (typeof verdictNames)[number];

/**
 * Data for the variance between launches. `welch`: launches of both compared runs. `siblings`: also other message
 * sizes. `learned`: also earlier runs of an unchanged program.
 */
export const scatterSources = ['welch', 'siblings', 'learned'] as const;

export const runScatterSources = ['history', 'aa', 'transport'] as const;

/** Variation of the mean time between whole runs of the same program. */
const betweenRuns = z.strictObject({
  /** Standard deviation of log time (0.01 = 1 %); `degrees`: its degrees of freedom, null = infinite. */
  sd: z.number(),
  degrees: z.number().nullable(),
  /**
   * Source of `sd`. history: earlier runs of the same configurations. aa: `collbench aa`, which compares equal runs.
   * transport: a value assumed for the transport, since there are too few earlier runs.
   */
  from: z.enum(runScatterSources),
  /** Number of earlier runs from which it was computed. */
  runs: z.int(),
});
export type BetweenRuns = z.infer<typeof betweenRuns>;

/**
 * Reason why a verdict is uncertain. `busy`: other processes kept a machine busy. `few-launches`: fewer than two launches.
 * `no-interval`: a compared time has no 95 % interval. `scatter`: launches differ too much.
 */
export const doubtNames = ['busy', 'few-launches', 'no-interval', 'scatter'] as const;
export type VerdictReservation = (typeof doubtNames)[number];

/** Change of one time between two runs, for one message size or a range of them. If a field is null, `reason` says why. */
const change = z.strictObject({
  /** Name of the compared time: "latency", "pipelined". */
  figure: z.string(),
  /** Number of launches of the base run and of the other run. */
  launches: z.tuple([z.int(), z.int()]),
  /**
   * Geometric mean of the other run's launch medians over that of the base run. For a size range, the geometric mean over its
   * sizes.
   */
  ratio: z.number().positive(),
  /** Bounds of the 95 % interval of the ratio; null if not tested. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Lowest and highest ratio of any launch of the other run to any of the base run; shown if there is no interval. */
  observed: z.tuple([z.number().positive(), z.number().positive()]),
  /**
   * Two-sided p-value for no difference. `adjustedP` is p after the Benjamini-Hochberg correction over all size ranges, or all
   * cells.
   */
  p: z.number().nullable(),
  adjustedP: z.number().nullable(),
  scatterFrom: z.enum(scatterSources).nullable(),
  /** Standard deviation of log time between launches (0.01 = 1 %); null if not tested. */
  scatter: z.number().nullable(),
  degrees: z.number().nullable(),
  /**
   * Scatter between runs of the same program, beyond that between launches. Absent if both runs were interleaved, or if nothing
   * was tested.
   */
  betweenRuns: betweenRuns.optional(),
  /** Relative change up to which nothing is reported: 0.03 = 3 %. */
  threshold: z.number(),
  /** Smallest relative change that these launches detect with probability 0.8 (0.05 = 5 %); null if not tested. */
  detectable: z.number().nullable(),
  /**
   * Estimated number of launches per run after which the interval is narrower than the threshold. Null if the runs have that
   * many, or if more than 100 are needed.
   */
  launchesWanted: z.int().nullable(),
  verdict: z.enum(verdictNames),
  /** Kind of reason why the verdict is uncertain; null if it is certain. */
  doubt: z.enum(doubtNames).nullable(),
  /** The reason for `doubt` as a sentence without full stop; null if the verdict is certain. */
  reason: z.string().nullable(),
});
export type ComparisonChange = z.infer<typeof change>;

const cellChange = z.strictObject({
  id: z.string(),
  /** Id in the other run, if it differs (other transport medium, rank count) but the user allowed the comparison; else absent. */
  otherId: z.string().optional(),
  group: z.string(),
  x: z.number(),
  base: z.number(),
  other: z.number(),
  change,
  /**
   * Change of the second time that was measured for the cell, for example pipelined time beside latency. Null if only one time
   * was measured. The verdict uses `change` only.
   */
  beside: change.nullable(),
  /** Names of flags (warnings such as "throttled") that the measurement has in at least one of the two runs. */
  flags: z.array(z.string()),
});
export type CellChange = z.infer<typeof cellChange>;

const groupChange = z.strictObject({
  /** Key of the series and its range of message sizes, which are judged together. */
  key: z.string(),
  /** Title for readers: "allreduce float32 sum, cpu over socket, 2 ranks". */
  title: z.string(),
  /** Name of the operation for sentences: "allreduce". */
  what: z.string(),
  engine: z.string(),
  transport: z.string(),
  medium: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  /** Compared message sizes (x values), ascending. */
  xs: z.array(z.number()),
  change,
  beside: change.nullable(),
});
export type GroupChange = z.infer<typeof groupChange>;

/** Kinds of differences between two runs that a user may accept (`--allow`), so that they are compared nevertheless. */
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

/** A measurement that both runs have but that cannot be compared, with the reason. */
const refusal = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** Kind of the reason. Users can accept all kinds (`--allow`) except `wrong-data` and `flagged`. */
  kind: z.enum([...allowanceNames, 'wrong-data', 'flagged']),
  reason: z.string(),
});
export type ComparisonRefusal = z.infer<typeof refusal>;

/** A measurement that only one of the two runs has a result for. */
const missingCell = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** Run that has no result for it: `base` or the other one. */
  from: z.enum(['base', 'other']),
  reason: z.string(),
});
export type MissingCell = z.infer<typeof missingCell>;

/** A setting, version or fact about the hosts that differs between the two runs; null = the run does not have it. */
export const changedSetting = z.strictObject({
  about: z.enum(['versions', 'environment', 'machine', 'plan', 'engine', 'load']),
  name: z.string(),
  base: z.string().nullable(),
  other: z.string().nullable(),
});
export type SettingChange = z.infer<typeof changedSetting>;

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
  /** Name that the user gave the run (`--label`). */
  label: z.string().optional(),
  title: z.string(),
  startedAt: z.string(),
  /** Highest number of launches of any series in the run. */
  launches: z.int(),
  /** End of an incomplete run; absent = it is complete. `running`: it still runs, or its process was killed. */
  ended: z.enum(['failed', 'interrupted', 'running']).optional(),
});
export type ComparisonRun = z.infer<typeof comparedRun>;

const pairOfRuns = z.strictObject({
  other: z.string(),
  otherLabel: z.string().optional(),
  /** Verdict on all size ranges of the two runs together. `mixed`: some are faster, others slower. */
  verdict: z.enum([...verdictNames, 'mixed']),
  /** The result of the comparison in one sentence. */
  summary: z.string(),
  counts: z.strictObject({ groups: counts, cells: counts }),
  /** Changes of each series and size range, in the order of the base run. */
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
     * Relative half width for the verdict "same". If the interval of the ratio contains 1 and stays within it, nothing has
     * changed. Absent = the threshold alone decides.
     */
    groupSame: z.number().optional(),
    cellSame: z.number().optional(),
    /** Highest expected share of false alarms among reported changes: 0.025 = 2.5 %. */
    falseDiscovery: z.number(),
    confidence: z.literal(0.95),
    power: z.literal(0.8),
    allowed: z.array(z.enum(allowanceNames)),
    excludeFlagged: z.boolean(),
    /** Standard errors from launches are multiplied by this, because whole runs differ more than launches of one run. */
    scatterFactor: z.number(),
  }),
  base: comparedRun,
  others: z.array(comparedRun),
  /** One comparison for each other run with the base run. */
  pairs: z.array(pairOfRuns),
});
export type Comparison = z.infer<typeof comparison>;
