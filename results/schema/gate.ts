import { z } from 'zod';
import { changedSetting, doubtNames } from './comparison.ts';

/**
 * Sources of the scatter between nights. `history`: computed from earlier runs. `learned`: computed by `collbench baseline learn`.
 * `aa`: equal runs of `collbench aa` differ more than is assumed for the transport. `transport`: assumed for the transport, because
 * too few nights are known.
 */
const nightScatterSources = ['history', 'learned', 'aa', 'transport'] as const;
export type NightScatterSource = (typeof nightScatterSources)[number];

/**
 * Change of the candidate against the reference, for a single message size or for a series in a size range. A ratio is the
 * candidate's time divided by the reference's time, so 1.05 means that the candidate takes 5 % longer.
 */
const change = z.strictObject({
  /**
   * Time of the candidate divided by the time of the reference; if both were launched in pairs, the median over pairs. `lowRatio`
   * and `highRatio` are the bounds of its 95 % interval. The bounds, the p-values and `detectable` are null if the change was not
   * tested. Reasons are too few launches or a busy machine.
   */
  ratio: z.number().positive(),
  lowRatio: z.number().positive().nullable(),
  highRatio: z.number().positive().nullable(),
  /**
   * Lowest and highest ratio of the time in a single launch of the candidate to the time in a single launch of the reference.
   * Absent in older files.
   */
  observed: z.tuple([z.number().positive(), z.number().positive()]).optional(),
  /**
   * Two-sided p-value of the test that nothing changed. `adjustedP` is `pValue` after the Benjamini-Hochberg correction over all
   * cells, or all size ranges, of the suite; null if candidate and reference were launched in pairs.
   */
  pValue: z.number().nullable(),
  adjustedP: z.number().nullable(),
  /** Number of launches of the reference, and of the candidate (`tonight`). */
  launches: z.strictObject({ reference: z.int(), tonight: z.int() }),
  /**
   * Standard deviation of ln(time) between nights, which makes the interval wider. Null if candidate and reference were measured
   * in one night; absent in older files.
   */
  betweenNights: z.number().nonnegative().nullable().optional(),
  /** Source of `betweenNights`; absent if candidate and reference were measured in one night, and in older files. */
  betweenNightsFrom: z.enum(nightScatterSources).optional(),
  /**
   * Smallest relative change that this comparison detects with probability 0.8 (0.03 = 3 %). With pairs of launches it has no such
   * probability: after a verdict it is the margin of the gate, without one the margin within which equal builds would be "same"
   * after `maxPairs` pairs. Null if not known, and for a single size without verdict in pairs.
   */
  detectable: z.number().nonnegative().nullable(),
});
export type GateChange = z.infer<typeof change>;

/**
 * Verdicts on a size or size range. `transient`: the first measurement looked slower; the second did not, although it could have
 * shown the slowdown. `unconfirmed`: a large change that is not proven, or a slowdown that the first measurement proves while the
 * second is missing or scattered too much to show it. `unclear`: neither, but the launches were too few or scattered too much to
 * detect the change that the suite must detect.
 */
export const gateVerdicts = ['same', 'slower', 'faster', 'transient', 'unconfirmed', 'unclear'] as const;
export type GateVerdict = (typeof gateVerdicts)[number];

const judged = {
  /** Name of the suite entry (one measuring command with its options) that was measured. */
  entry: z.string(),
  /** Title for readers: "allreduce float32 sum, 2 ranks, cpu over sisci (emulated), up to 32 KiB". */
  title: z.string(),
  verdict: z.enum(gateVerdicts),
  change,
  /**
   * The change in a second measurement with new launches of the candidate; null if the size or size range was not measured again.
   * Only a suspected slowdown is measured again, and nothing is if launches are in pairs.
   */
  confirmation: change.nullable(),
  /**
   * Kind of the reason why the verdict is `unconfirmed` or `unclear`, and the reason as a text for readers (`reason`); null or
   * absent for other verdicts.
   */
  doubt: z.enum(doubtNames).nullable().optional(),
  reason: z.string().nullable().optional(),
};

/**
 * Course of the judgement on a size range if candidate and reference were launched in pairs: each pair in random order, with a test
 * after every pair (a look). The looks end with the first certain verdict; the test allows for this, so the error rate stays the
 * same (results/judge/sequential). Further pairs are made only for other size ranges.
 */
const gateSequence = z.strictObject({
  /**
   * Highest number of pairs of launches that the gate was allowed to make; if the time budget was spent, the number that it made.
   */
  maxPairs: z.int(),
  /** Standard deviation between pairs of ln(candidate's time / reference's time), 0.01 = 1 %; null with one pair. */
  scatter: z.number().nonnegative().nullable(),
  /**
   * Number of further pairs after which a verdict is expected, whatever `maxPairs` allows; 0 = there are enough, null = more than
   * 200 pairs.
   */
  furtherPairs: z.int().nullable(),
  /**
   * Smallest relative margin within which builds of equal speed would get the verdict "same" after `maxPairs` pairs: 0.08 = 8 %;
   * null = above 300 %, or not known with fewer than two pairs.
   */
  reachableMargin: z.number().nonnegative().nullable(),
  /**
   * One look for each pair, until the verdict. `ratio`: candidate's time divided by the reference's in this pair, geometric mean
   * over the sizes. `slower`, `faster`, `same`: e-values after this pair, which measure the evidence for a change in this
   * direction, or for no change beyond the margin.
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

/**
 * Verdict on one series in one range of message sizes, all sizes of the range together. `key`: key of the series with the size
 * range; `xs`: the sizes.
 */
export const gateGroup = z.strictObject({
  ...judged,
  key: z.string(),
  xs: z.array(z.number()),
  /**
   * Source of the variance between launches. `learned`: earlier runs of an unchanged build (`baseline learn`). `launches`: the
   * launches of this gate.
   */
  variance: z.enum(['learned', 'launches']),
  /** Course of the judgement, pair by pair; absent if the reference is a baseline, because the number of launches is then fixed. */
  sequence: gateSequence.optional(),
});
export type GateGroup = z.infer<typeof gateGroup>;

/**
 * Verdict on one series at a single message size, `x`. `group`: key of the series with the size range to which the size belongs.
 */
export const gateCell = z.strictObject({
  ...judged,
  /** Id of the cell, as in the run that measured it. */
  id: z.string(),
  group: z.string(),
  x: z.number(),
});
export type GateCell = z.infer<typeof gateCell>;

/**
 * A problem because of which the gate fails whatever the speed of the candidate, such as missing results or wrong data. `entry`:
 * name of the suite entry. `sentence`: the problem for readers.
 */
export const gateFailure = z.strictObject({
  kind: z.enum(['missing', 'wrong-data', 'contradicted', 'not-run', 'incomparable', 'interrupted']),
  entry: z.string(),
  /** Id of the configuration that has the problem; null if the whole suite entry has it. */
  cell: z.string().nullable(),
  sentence: z.string(),
});
export type GateFailure = z.infer<typeof gateFailure>;

/**
 * Result of `collbench suite NAME --gate` or `compare --interleave`: whether the candidate is slower than its reference, or a run
 * failed. `groups`, `cells`: verdicts on size ranges and on single sizes. suite.json stores it, `--json` prints it, and JUnit
 * files and step summaries are made from it.
 */
export const gateResult = z.strictObject({
  schemaVersion: z.literal(2),
  suite: z.strictObject({ id: z.string(), name: z.string() }),
  /**
   * Verdict on the candidate, for the whole suite; the first of these that applies. `failed`: `failures` is not empty.
   * `regression`: something is slower. `unconfirmed`: something looks much slower, but it is not certain. `no-verdict`: there is no
   * reference, nothing was compared, or a size range is `unclear`. Otherwise `pass`.
   */
  verdict: z.enum(['pass', 'regression', 'unconfirmed', 'no-verdict', 'failed']),
  /**
   * Exit code of the command: 0 pass; 2 or 3 failed (3 = wrong data); 4 regression; 5 unconfirmed or no verdict; 130 interrupted.
   */
  exitCode: z.int(),
  /** The verdict in one sentence. `advice` has sentences on what the user can do next. */
  sentence: z.string(),
  advice: z.array(z.string()),
  /** Command line with which the user follows the advice; absent = no command does that. */
  next: z.string().optional(),
  /** Sentences on what the verdict does not cover, such as configurations that the reference lacks. Absent in older files. */
  notes: z.array(z.string()).optional(),
  /** Measurement with which the candidate is compared; null if the suite has neither a reference build nor a baseline. */
  reference: z
    .strictObject({
      /**
       * Kind of the reference. `anchor`: the reference build, measured in turn with the candidate. `baseline`: stored results of
       * another night.
       */
      kind: z.enum(['anchor', 'baseline']),
      name: z.string(),
      /** Text of one or two sentences on how the candidate was compared with the reference. */
      method: z.string(),
    })
    .nullable(),
  /** Smallest relative change that the suite must be able to detect: 0.1 = 10 %. */
  mustDetect: z.number().positive(),
  groups: z.array(gateGroup),
  cells: z.array(gateCell),
  failures: z.array(gateFailure),
  /**
   * Settings and versions that are not equal in the candidate's runs (`other`) and the reference (`base`), with the suite entries
   * that they concern. Absent in older files.
   */
  changed: z.array(changedSetting.extend({ entries: z.array(z.string()) })).optional(),
  /** Number of measured configurations of the candidate that have a flag (warning), by name of the flag: {"cpu-busy": 3}. */
  flags: z.record(z.string(), z.int()),
});
export type GateResult = z.infer<typeof gateResult>;
