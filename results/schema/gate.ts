import { z } from 'zod';
import { changedSetting, doubtNames } from './comparison.ts';

/**
 * Sources of the scatter between nights. `history`: earlier runs show it. `learned`: `collbench baseline learn` computed it. `aa`:
 * equal runs of `collbench aa` show more than is assumed. `transport`: assumed by transport, because too few nights are known.
 */
const nightScatterSources = ['history', 'learned', 'aa', 'transport'] as const;
export type NightScatterSource = (typeof nightScatterSources)[number];

/**
 * Change of a single size, or of a series in a size range, against the reference: tonight's time over the reference's time, so
 * 1.05 is 5 % slower.
 */
const change = z.strictObject({
  /**
   * Ratio of times. `lowRatio` and `highRatio` are its 95 % interval. They, the p-values and `detectable` are null with too few
   * launches.
   */
  ratio: z.number().positive(),
  lowRatio: z.number().positive().nullable(),
  highRatio: z.number().positive().nullable(),
  /** Lowest and highest ratio of a launch of the judged build to a launch of the reference. Absent in older files. */
  observed: z.tuple([z.number().positive(), z.number().positive()]).optional(),
  /**
   * Two-sided p-value for no change. `adjustedP` is p after the Benjamini-Hochberg correction over all cells, or all size ranges,
   * of the suite.
   */
  pValue: z.number().nullable(),
  adjustedP: z.number().nullable(),
  /** Number of launches of the reference, and of the judged build (`tonight`). */
  launches: z.strictObject({ reference: z.int(), tonight: z.int() }),
  /**
   * Standard deviation of log time between nights, which makes the interval wider. Null if both sides were measured in one night.
   */
  betweenNights: z.number().nonnegative().nullable().optional(),
  /** Source of `betweenNights`; absent if both sides were measured in one night, and in older files. */
  betweenNightsFrom: z.enum(nightScatterSources).optional(),
  /** Smallest relative change that would be detected with probability 0.8 (0.03 = 3 %); null if not known. */
  detectable: z.number().nonnegative().nullable(),
});
export type GateChange = z.infer<typeof change>;

/**
 * Verdicts of the gate. `transient`: the first measurement looked slower, the second did not and would have shown it.
 * `unconfirmed`: a large change that neither measurement proves, or a slowdown that the first proves and the second was too
 * noisy to show. `unclear`: the run was too noisy to detect the change that the suite must detect.
 */
export const gateVerdicts = ['same', 'slower', 'faster', 'transient', 'unconfirmed', 'unclear'] as const;
export type GateVerdict = (typeof gateVerdicts)[number];

const judged = {
  /** Name of the suite entry (one measuring command with its options) that was judged. */
  entry: z.string(),
  /** Title for readers: "allreduce float32 sum, 2 ranks, cpu over sisci (emulated), up to 32 KiB". */
  title: z.string(),
  verdict: z.enum(gateVerdicts),
  change,
  /** The change in a second measurement with new launches of both builds; null if no second measurement was needed. */
  confirmation: change.nullable(),
  /** Reason why the verdict is `unconfirmed` or `unclear`, and its kind; null or absent for other verdicts. */
  doubt: z.enum(doubtNames).nullable().optional(),
  reason: z.string().nullable().optional(),
};

/**
 * How a size range was judged where candidate and reference were launched in pairs, in random order, with a look after every
 * pair. The gate stops as soon as it is sure, which costs no certainty (results/judge/sequential).
 */
const gateSequence = z.strictObject({
  /** Highest number of pairs that the gate would have launched. */
  maxPairs: z.int(),
  /** Standard deviation of the log ratio of a pair (0.01 = 1 %); null with one pair. */
  scatter: z.number().nonnegative().nullable(),
  /** Number of further pairs that are expected to give a verdict; 0 = there is one, null = more than 200. */
  furtherPairs: z.int().nullable(),
  /** Relative margin within which equal builds would be found the same after `maxPairs` pairs: 0.08 = 8 %; null = not known. */
  reachableMargin: z.number().nonnegative().nullable(),
  /**
   * One look per pair, until the verdict. `ratio`: candidate over reference in this pair, mean over the sizes. The others are
   * e-values after this pair: evidence for a change in each direction, and for no change beyond the margin.
   */
  looks: z.array(
    z.strictObject({
      ratio: z.number().positive(),
      slower: z.number().nonnegative(),
      faster: z.number().nonnegative(),
      same: z.number().nonnegative(),
    }),
  ),
});
export type GateSequence = z.infer<typeof gateSequence>;

/** Verdict on one series in one range of message sizes, over all sizes together. */
export const gateGroup = z.strictObject({
  ...judged,
  key: z.string(),
  xs: z.array(z.number()),
  /** Source of the variance between launches: earlier runs of an unchanged build (`baseline learn`), or these launches. */
  variance: z.enum(['learned', 'launches']),
  /** Absent if the reference is a baseline, with a fixed number of launches. */
  sequence: gateSequence.optional(),
});
export type GateGroup = z.infer<typeof gateGroup>;

/** Verdict on one series at a single message size. */
export const gateCell = z.strictObject({
  ...judged,
  /** Id of the measured configuration, as in its run. */
  id: z.string(),
  group: z.string(),
  x: z.number(),
});
export type GateCell = z.infer<typeof gateCell>;

/** A problem that makes the gate fail whatever the speed, such as missing results or wrong data. */
export const gateFailure = z.strictObject({
  kind: z.enum(['missing', 'wrong-data', 'contradicted', 'not-run', 'incomparable', 'interrupted']),
  entry: z.string(),
  /** Id of the configuration with the problem; null if it concerns the whole suite entry. */
  cell: z.string().nullable(),
  sentence: z.string(),
});
export type GateFailure = z.infer<typeof gateFailure>;

/**
 * Result of `collbench suite NAME --gate`: whether the judged build is slower than its reference, or fails. Stored in suite.json,
 * printed by --json, used for JUnit files and step summaries.
 */
export const gateResult = z.strictObject({
  schemaVersion: z.literal(2),
  suite: z.strictObject({ id: z.string(), name: z.string() }),
  /** `failed`: a run failed or has wrong data, see `failures`. `unconfirmed`: something looks much slower, without certainty. */
  verdict: z.enum(['pass', 'regression', 'unconfirmed', 'no-verdict', 'failed']),
  /** Exit code of the command: 0 pass, 2 and 3 failed, 4 regression, 5 unconfirmed and no verdict, 130 interrupted. */
  exitCode: z.int(),
  /** The verdict in one sentence. `advice` has sentences on what the user can do next. */
  sentence: z.string(),
  advice: z.array(z.string()),
  /** Command line that carries out the advice; absent = none does. */
  next: z.string().optional(),
  /** Things that the verdict does not cover, one sentence each: sizes or entries that were not judged. Absent in older files. */
  notes: z.array(z.string()).optional(),
  /** The reference with which the judged build is compared; null if the suite has neither a reference build nor a baseline. */
  reference: z
    .strictObject({
      /**
       * `anchor`: the reference build, measured alternately with tonight's build. `baseline`: stored figures of another night.
       */
      kind: z.enum(['anchor', 'baseline']),
      name: z.string(),
      /** One sentence on how the build was compared with it. */
      method: z.string(),
    })
    .nullable(),
  /** Smallest relative change that the suite must be able to detect, 0.1 = 10 %. */
  mustDetect: z.number().positive(),
  groups: z.array(gateGroup),
  cells: z.array(gateCell),
  failures: z.array(gateFailure),
  /**
   * Settings and versions that differ between tonight's runs (`other`) and the reference (`base`), with the suite's entries in
   * which they differ. Absent in older files.
   */
  changed: z.array(changedSetting.extend({ entries: z.array(z.string()) })).optional(),
  /** Number of measured configurations by name of the flag (warning) that they have: {"cpu-busy": 3}. */
  flags: z.record(z.string(), z.int()),
});
export type GateResult = z.infer<typeof gateResult>;
