import { z } from 'zod';
import { changedSetting } from './comparison.ts';

/** Change of one cell or group against the reference: time of tonight over time of the reference, 1.05 = 5 % slower. */
const change = z.strictObject({
  /** Ratio of times. Its 95 % interval and the following fields are null if there are too few launches to compute them. */
  ratio: z.number().positive(),
  lowRatio: z.number().positive().nullable(),
  highRatio: z.number().positive().nullable(),
  /** Lowest and highest ratio between a launch of tonight and a launch of the reference. Absent in older files. */
  observed: z.tuple([z.number().positive(), z.number().positive()]).optional(),
  /** Two-sided p-value for no change. `adjustedP`: after Benjamini and Hochberg over all cells, or all groups, of the suite. */
  pValue: z.number().nullable(),
  adjustedP: z.number().nullable(),
  /** Number of launches on each side. */
  launches: z.strictObject({ reference: z.int(), tonight: z.int() }),
  /** Standard deviation between nights (log time) that the interval includes; null if both sides are of one night. */
  betweenNights: z.number().nonnegative().nullable().optional(),
  /** Smallest relative change that would be detected with probability 0.8: 0.03 = 3 %. */
  detectable: z.number().nonnegative().nullable(),
});
export type GateChange = z.infer<typeof change>;

/**
 * Verdicts of the gate. `transient`: the first measurement looked slower, the second did not. `unconfirmed`: the measured change
 * is large, but neither measurement can show that it is real. `unclear`: the run was too noisy to detect the change that the
 * suite must detect.
 */
export const gateVerdicts = ['same', 'slower', 'faster', 'transient', 'unconfirmed', 'unclear'] as const;
export type GateVerdict = (typeof gateVerdicts)[number];

const judged = {
  /** Name of the suite's entry. */
  entry: z.string(),
  /** Title for readers: "allreduce float32 sum, 2 ranks, cpu over sisci (emulated), up to 32 KiB". */
  title: z.string(),
  verdict: z.enum(gateVerdicts),
  change,
  /** Second measurement with new launches of both sides; null if none was needed. */
  confirmation: change.nullable(),
  /** Reason why the verdict is uncertain; null or absent if it is certain. */
  reason: z.string().nullable().optional(),
};

/** All sizes of one series in one size range (results/compare: groupOf). */
export const gateGroup = z.strictObject({
  ...judged,
  key: z.string(),
  xs: z.array(z.number()),
  /** Source of the estimated scatter between launches: A/A runs (`baseline learn`), or the launches themselves. */
  variance: z.enum(['learned', 'launches']),
});
export type GateGroup = z.infer<typeof gateGroup>;

/** Verdict on one size. */
export const gateCell = z.strictObject({
  ...judged,
  /** Id of the cell, the same as in its run. */
  id: z.string(),
  group: z.string(),
  x: z.number(),
});
export type GateCell = z.infer<typeof gateCell>;

/** A failure that makes the gate fail, whatever the times are. */
export const gateFailure = z.strictObject({
  kind: z.enum(['missing', 'wrong-data', 'contradicted', 'not-run', 'incomparable', 'interrupted']),
  entry: z.string(),
  /** Id of the cell; null if the failure concerns the whole entry. */
  cell: z.string().nullable(),
  sentence: z.string(),
});
export type GateFailure = z.infer<typeof gateFailure>;

/** Result of `collbench suite NAME --gate`: stored in suite.json, printed by --json, used for JUnit files and step summaries. */
export const gateResult = z.strictObject({
  schemaVersion: z.literal(2),
  suite: z.strictObject({ id: z.string(), name: z.string() }),
  /** `failed`: a run failed or its data are wrong; see `failures`. `unconfirmed`: a configuration looks much slower. */
  verdict: z.enum(['pass', 'regression', 'unconfirmed', 'no-verdict', 'failed']),
  /** Exit code of the command: 0 pass, 2 and 3 failed, 4 regression, 5 unconfirmed and no verdict, 130 interrupted. */
  exitCode: z.int(),
  /** The verdict in one sentence. `advice` has the actions that the user can take. */
  sentence: z.string(),
  advice: z.array(z.string()),
  /** Sentences on what the verdict does not cover. Absent in older files. */
  notes: z.array(z.string()).optional(),
  /** The reference with which tonight's runs are compared; null = none. */
  reference: z
    .strictObject({
      /** `anchor`: the reference build, measured in turns with tonight's. `baseline`: stored figures of another night. */
      kind: z.enum(['anchor', 'baseline']),
      name: z.string(),
      /** One sentence on the method of comparison. */
      method: z.string(),
    })
    .nullable(),
  /** Smallest relative change that the suite must be able to detect, 0.1 = 10 %. */
  mustDetect: z.number().positive(),
  groups: z.array(gateGroup),
  cells: z.array(gateCell),
  failures: z.array(gateFailure),
  /**
   * Differences between tonight's runs (`other`) and the reference (`base`) besides figures, with their entries. Absent in older
   * files.
   */
  changed: z.array(changedSetting.extend({ entries: z.array(z.string()) })).optional(),
  /** Number of cells with each flag of system load. */
  flags: z.record(z.string(), z.int()),
});
export type GateResult = z.infer<typeof gateResult>;
