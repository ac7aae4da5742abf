import { z } from 'zod';

/** Runs held against a base run, as `collbench compare --json` prints it. Ratios are of times: above 1 the other run is slower. */

/**
 * `unconfirmed`: a large change was measured, and these launches cannot show that it is real. `not-enough-data`: neither a
 * change nor its absence is shown.
 */
export const verdictNames = ['faster', 'slower', 'same', 'unconfirmed', 'not-enough-data'] as const;
export type ChangeVerdict = (typeof verdictNames)[number];

/**
 * Where the idea of the scatter between launches comes from: these launches alone (`welch`), the other sizes or groups too
 * (`siblings`), or what was learned beforehand (`learned`).
 */
export const scatterSources = ['welch', 'siblings', 'learned'] as const;

export const runScatterSources = ['history', 'aa', 'transport'] as const;

/** How equal runs differ in what was compared. */
const betweenRuns = z.strictObject({
  /** Standard deviation of log time: 0.01 is 1 %; and the degrees of freedom it is known with, null = not limited. */
  sd: z.number(),
  degrees: z.number().nullable(),
  /** history: earlier runs of the same; aa: `collbench aa` on this machine; transport: assumed, too few earlier runs or nights. */
  from: z.enum(runScatterSources),
  /** Earlier runs of the same that were found. */
  runs: z.int(),
});
export type BetweenRuns = z.infer<typeof betweenRuns>;

/** What was found of one thing, a cell or a group. Null where it cannot be told, with `reason`. */
/**
 * Why a verdict is not surer: other processes kept a machine busy (`busy`), a run has fewer than two launches
 * (`few-launches`), a figure has no interval (`no-interval`), or launches scatter too much (`scatter`).
 */
export const doubtNames = ['busy', 'few-launches', 'no-interval', 'scatter'] as const;
export type VerdictReservation = (typeof doubtNames)[number];

const change = z.strictObject({
  /** Of the workload's row. */
  figure: z.string(),
  /** Of the base and of the other run. */
  launches: z.tuple([z.int(), z.int()]),
  /** Of log launch medians; a group's is the mean over its sizes. */
  ratio: z.number().positive(),
  /** 95 %. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Lowest and highest ratio between a launch of one run and a launch of the other; printed where there is no interval. */
  observed: z.tuple([z.number().positive(), z.number().positive()]),
  /** Two-sided, of no difference; and after Benjamini & Hochberg over all groups, or over all cells. */
  p: z.number().nullable(),
  adjustedP: z.number().nullable(),
  scatterFrom: z.enum(scatterSources).nullable(),
  /** Standard deviation of one launch, log time: 0.01 is 1 %. */
  scatter: z.number().nullable(),
  degrees: z.number().nullable(),
  /** How runs differ beside their launches; absent: both were measured interleaved, or nothing was tested. */
  betweenRuns: betweenRuns.optional(),
  /** Relative: a smaller change is none. */
  threshold: z.number(),
  /** Smallest change that would have been found in 4 of 5 such comparisons, relative. */
  detectable: z.number().nullable(),
  /** Launches of each run that would leave an interval narrower than the threshold; null where they are there or beyond 100. */
  launchesWanted: z.int().nullable(),
  verdict: z.enum(verdictNames),
  /** Why the verdict is not surer; null where it is sure. */
  doubt: z.enum(doubtNames).nullable(),
  /** The doubt in words, a sentence without a full stop. */
  reason: z.string().nullable(),
});
export type ComparisonChange = z.infer<typeof change>;

const cellChange = z.strictObject({
  id: z.string(),
  /** Of the other run, where that was accepted as the same. */
  otherId: z.string().optional(),
  group: z.string(),
  x: z.number(),
  base: z.number(),
  other: z.number(),
  change,
  /** The same of the figure that is no headline; no part of verdicts. */
  beside: change.nullable(),
  /** As the cells have them, of either run. */
  flags: z.array(z.string()),
});
export type CellChange = z.infer<typeof cellChange>;

const groupChange = z.strictObject({
  /** Series and regime (results/derive/cell-group.ts). */
  key: z.string(),
  /** "allreduce float32 sum, cpu over socket, 2 ranks" */
  title: z.string(),
  /** "allreduce" */
  what: z.string(),
  engine: z.string(),
  transport: z.string(),
  medium: z.string(),
  regime: z.enum(['small', 'mid', 'large', 'all']),
  /** Of its cells, ascending. */
  xs: z.array(z.number()),
  change,
  beside: change.nullable(),
});
export type GroupChange = z.infer<typeof groupChange>;

/** What `--allow` takes. */
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

/** Both runs have it, and it was not compared. */
const refusal = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** `wrong-data` and `flagged` cannot be allowed. */
  kind: z.enum([...allowanceNames, 'wrong-data', 'flagged']),
  reason: z.string(),
});
export type ComparisonRefusal = z.infer<typeof refusal>;

/** Only one run has measured it. */
const missingCell = z.strictObject({
  id: z.string(),
  x: z.number(),
  /** Of which it is missing. */
  from: z.enum(['base', 'other']),
  reason: z.string(),
});
export type MissingCell = z.infer<typeof missingCell>;

/** What differs between the runs around the figures; null = not there. */
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
  /** Given by people (`--label`). */
  label: z.string().optional(),
  title: z.string(),
  startedAt: z.string(),
  /** Most launches of a series. */
  launches: z.int(),
  /** Where it is not complete: how it ended; `running` = it has not, or was killed. */
  ended: z.enum(['failed', 'interrupted', 'running']).optional(),
});
export type ComparisonRun = z.infer<typeof comparedRun>;

const pairOfRuns = z.strictObject({
  other: z.string(),
  otherLabel: z.string().optional(),
  /** `mixed`: faster here, slower there. */
  verdict: z.enum([...verdictNames, 'mixed']),
  /** One sentence for people, with its full stop. */
  summary: z.string(),
  counts: z.strictObject({ groups: counts, cells: counts }),
  /** In the order of the base run. */
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
    /** "Same", too: the interval is within this (relative) and around no change; absent = only what is within the threshold. */
    groupSame: z.number().optional(),
    cellSame: z.number().optional(),
    /** Share of what is called a change that may be none. */
    falseDiscovery: z.number(),
    confidence: z.literal(0.95),
    power: z.literal(0.8),
    allowed: z.array(z.enum(allowanceNames)),
    excludeFlagged: z.boolean(),
    /** Standard errors are so many times as large as launches of one run show, because runs differ, too. */
    scatterFactor: z.number(),
  }),
  base: comparedRun,
  others: z.array(comparedRun),
  /** One per other run. */
  pairs: z.array(pairOfRuns),
});
export type Comparison = z.infer<typeof comparison>;
