import { z } from 'zod';

/**
 * Comparison of runs with a base run, as `collbench compare --json` prints it. Ratios are of times: above 1 the other run is
 * slower.
 */

/**
 * Results of a comparison. `unconfirmed`: the measured change is large, but these launches cannot show that it is real.
 * `not-enough-data`: the data show neither a change nor that there is none.
 */
export const verdictNames = ['faster', 'slower', 'same', 'unconfirmed', 'not-enough-data'] as const;
export type ChangeVerdict = (typeof verdictNames)[number];

/**
 * Data from which the scatter between launches was estimated. `welch`: the launches of the two compared runs alone. `siblings`:
 * also other sizes or size ranges. `learned`: earlier runs.
 */
export const scatterSources = ['welch', 'siblings', 'learned'] as const;

export const runScatterSources = ['history', 'aa', 'transport'] as const;

/** Scatter of the compared figure between runs of the same program. */
const betweenRuns = z.strictObject({
  /** Standard deviation of log time (0.01 is 1 %) and its degrees of freedom; null = not limited. */
  sd: z.number(),
  degrees: z.number().nullable(),
  /**
   * Source of `sd`. history: earlier runs of the same cells. aa: `collbench aa` on this machine. transport: an assumed value,
   * because too few earlier runs exist.
   */
  from: z.enum(runScatterSources),
  /** Number of earlier runs of the same cells that were used. */
  runs: z.int(),
});
export type BetweenRuns = z.infer<typeof betweenRuns>;

/**
 * Reason why a verdict is uncertain. `busy`: other processes kept a machine busy. `few-launches`: a run has fewer than two
 * launches. `no-interval`: a figure has no interval. `scatter`: the launches scatter too much.
 */
export const doubtNames = ['busy', 'few-launches', 'no-interval', 'scatter'] as const;
export type VerdictReservation = (typeof doubtNames)[number];

/** The change of one cell, or of all cells of one size range. Fields that cannot be computed are null; `reason` then says why. */
const change = z.strictObject({
  /** Name of the compared figure in its workload: "latency", "pipelined". */
  figure: z.string(),
  /** Number of launches of the base run and of the other run. */
  launches: z.tuple([z.int(), z.int()]),
  /**
   * Geometric mean of the other run's launch medians over that of the base run. For a size range, the geometric mean over its
   * sizes.
   */
  ratio: z.number().positive(),
  /** 95 % interval of the ratio. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Lowest and highest ratio between a launch of one run and a launch of the other. Reports show it if there is no interval. */
  observed: z.tuple([z.number().positive(), z.number().positive()]),
  /**
   * Two-sided p-value for no difference. `adjustedP` is p after the Benjamini-Hochberg correction over all size ranges, or all
   * cells.
   */
  p: z.number().nullable(),
  adjustedP: z.number().nullable(),
  scatterFrom: z.enum(scatterSources).nullable(),
  /** Standard deviation of log time between launches: 0.01 is 1 %. */
  scatter: z.number().nullable(),
  degrees: z.number().nullable(),
  /**
   * Scatter between runs of the same program, beyond that between launches. Absent if both runs were interleaved, or if nothing
   * was tested.
   */
  betweenRuns: betweenRuns.optional(),
  /** Relative change that is too small to be reported: 0.03 = 3 %. */
  threshold: z.number(),
  /** Smallest relative change that a comparison with these launches detects with probability 0.8: 0.05 = 5 %. */
  detectable: z.number().nullable(),
  /**
   * Estimated number of launches per run after which the interval is narrower than the threshold. Null if the runs have that
   * many, or if more than 100 are needed.
   */
  launchesWanted: z.int().nullable(),
  verdict: z.enum(verdictNames),
  /** Reason why the verdict is uncertain; null if it is certain. */
  doubt: z.enum(doubtNames).nullable(),
  /** The reason for `doubt` as a sentence without full stop; null if the verdict is certain. */
  reason: z.string().nullable(),
});
export type ComparisonChange = z.infer<typeof change>;

const cellChange = z.strictObject({
  id: z.string(),
  /** Id of the cell in the other run, if the ids differ but the user accepts them as the same cell (`--allow`). */
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
  /** Names of the remarks on data quality, such as "throttled", that the cell has in at least one of the two runs. */
  flags: z.array(z.string()),
});
export type CellChange = z.infer<typeof cellChange>;

const groupChange = z.strictObject({
  /** Key of the series and of the size range whose cells are judged together. */
  key: z.string(),
  /** Title for readers: "allreduce float32 sum, cpu over socket, 2 ranks". */
  title: z.string(),
  /** Name of the operation for sentences: "allreduce". */
  what: z.string(),
  engine: z.string(),
  transport: z.string(),
  medium: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  /** X values (for example payload bytes) of the compared cells, ascending. */
  xs: z.array(z.number()),
  change,
  beside: change.nullable(),
});
export type GroupChange = z.infer<typeof groupChange>;

/** Differences between runs that `--allow` accepts. */
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

/** A cell that both runs have but that is not compared, with the reason. */
const refusal = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** Reason why the cell is not compared. The user can accept all reasons with `--allow` except `wrong-data` and `flagged`. */
  kind: z.enum([...allowanceNames, 'wrong-data', 'flagged']),
  reason: z.string(),
});
export type ComparisonRefusal = z.infer<typeof refusal>;

/** A cell that only one of the runs has. */
const missingCell = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** The run in which the cell is missing. */
  from: z.enum(['base', 'other']),
  reason: z.string(),
});
export type MissingCell = z.infer<typeof missingCell>;

/** A setting or version that differs between the runs; null = absent in that run. */
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
  /** Number of launches of the series that has the most launches. */
  launches: z.int(),
  /** End of an incomplete run; absent if complete. `running`: the run has not ended, or was killed. */
  ended: z.enum(['failed', 'interrupted', 'running']).optional(),
});
export type ComparisonRun = z.infer<typeof comparedRun>;

const pairOfRuns = z.strictObject({
  other: z.string(),
  otherLabel: z.string().optional(),
  /** Verdict on all size ranges together. `mixed`: some are faster, others slower. */
  verdict: z.enum([...verdictNames, 'mixed']),
  /** One sentence for readers, with full stop. */
  summary: z.string(),
  counts: z.strictObject({ groups: counts, cells: counts }),
  /** Changes of the size ranges, in the order of the base run. */
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
    /** Largest expected share of false alarms among the reported changes (false discovery rate). */
    falseDiscovery: z.number(),
    confidence: z.literal(0.95),
    power: z.literal(0.8),
    allowed: z.array(z.enum(allowanceNames)),
    excludeFlagged: z.boolean(),
    /** Factor by which standard errors exceed those computed from launches of one run, because runs also differ. */
    scatterFactor: z.number(),
  }),
  base: comparedRun,
  others: z.array(comparedRun),
  /** Comparisons with the base run, one entry per other run. */
  pairs: z.array(pairOfRuns),
});
export type Comparison = z.infer<typeof comparison>;
