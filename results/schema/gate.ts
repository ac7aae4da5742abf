import { z } from 'zod';
import { changedSetting } from './comparison.ts';

/** One held against another: time of tonight by time of the reference, 1.05 = 5 % slower. */
const change = z.strictObject({
  /** Ratio of times with its 95 % interval; null, as what follows, where too few launches say nothing of it. */
  ratio: z.number().positive(),
  lowRatio: z.number().positive().nullable(),
  highRatio: z.number().positive().nullable(),
  /** Lowest and highest ratio between a launch of tonight and one of the reference. Absent in older files. */
  observed: z.tuple([z.number().positive(), z.number().positive()]).optional(),
  /** Two-sided p of no change; after Benjamini and Hochberg over all of this kind in the suite. */
  pValue: z.number().nullable(),
  adjustedP: z.number().nullable(),
  /** Launches behind either side. */
  launches: z.strictObject({ reference: z.int(), tonight: z.int() }),
  /** Standard deviation between nights (log time) that the interval counts with; null where both sides are of one night. */
  betweenNights: z.number().nonnegative().nullable().optional(),
  /** Smallest relative change that would have been seen with probability 0.8: 0.03 = 3 %. */
  detectable: z.number().nonnegative().nullable(),
});
export type GateChange = z.infer<typeof change>;

/**
 * `transient`: looked slower, and did not when it was measured again. `unconfirmed`: a large change was measured, and
 * neither measurement can show that it is real. `unclear`: the run was too noisy to detect the change that the suite requires.
 */
export const gateVerdicts = ['same', 'slower', 'faster', 'transient', 'unconfirmed', 'unclear'] as const;
export type GateVerdict = (typeof gateVerdicts)[number];

const judged = {
  /** Name of the entry in the suite. */
  entry: z.string(),
  /** For people: "allreduce float32 sum, 2 ranks, cpu over sisci (emulated), up to 32 KiB". */
  title: z.string(),
  verdict: z.enum(gateVerdicts),
  change,
  /** The second measurement, fresh launches of both sides; null where none was called for. */
  confirmation: change.nullable(),
  /** Why the verdict is not surer. Null or absent where it is sure. */
  reason: z.string().nullable().optional(),
};

/** All sizes of one series in one regime (results/compare: groupOf). */
export const gateGroup = z.strictObject({
  ...judged,
  key: z.string(),
  xs: z.array(z.number()),
  /** Where the idea of the scatter between launches comes from: A/A runs (`baseline learn`), or the launches themselves. */
  variance: z.enum(['learned', 'launches']),
});
export type GateGroup = z.infer<typeof gateGroup>;

/** One size. */
export const gateCell = z.strictObject({
  ...judged,
  /** As in every run. */
  id: z.string(),
  group: z.string(),
  x: z.number(),
});
export type GateCell = z.infer<typeof gateCell>;

/** What is wrong whatever the times say. */
export const gateFailure = z.strictObject({
  kind: z.enum(['missing', 'wrong-data', 'contradicted', 'not-run', 'incomparable', 'interrupted']),
  entry: z.string(),
  /** The cell, where it is one. */
  cell: z.string().nullable(),
  sentence: z.string(),
});
export type GateFailure = z.infer<typeof gateFailure>;

/** What `collbench suite NAME --gate` found: stored in suite.json, printed by --json, told by JUnit and step summaries. */
export const gateResult = z.strictObject({
  schemaVersion: z.literal(2),
  suite: z.strictObject({ id: z.string(), name: z.string() }),
  /** `failed`: something did not run, or is wrong; see `failures`. `unconfirmed`: something looks much slower. */
  verdict: z.enum(['pass', 'regression', 'unconfirmed', 'no-verdict', 'failed']),
  /** 0 pass, 2 and 3 failed, 4 regression, 5 unconfirmed and no verdict, 130 interrupted. */
  exitCode: z.int(),
  /** The verdict in one sentence, and what to do about it. */
  sentence: z.string(),
  advice: z.array(z.string()),
  /** What the verdict does not cover. Absent in older files. */
  notes: z.array(z.string()).optional(),
  /** What tonight was held against. */
  reference: z
    .strictObject({
      /** `anchor`: measured in turns with it, the same night. `baseline`: stored, another night. */
      kind: z.enum(['anchor', 'baseline']),
      name: z.string(),
      /** A sentence on how both were compared. */
      method: z.string(),
    })
    .nullable(),
  /** Smallest change that the suite must be able to see, 0.1 = 10 %. */
  mustDetect: z.number().positive(),
  groups: z.array(gateGroup),
  cells: z.array(gateCell),
  failures: z.array(gateFailure),
  /** What differs between the runs around tonight (`other`) and the reference (`base`), and in which entries. Absent in older files. */
  changed: z.array(changedSetting.extend({ entries: z.array(z.string()) })).optional(),
  /** System load, by flag: how many cells carry it. */
  flags: z.record(z.string(), z.int()),
});
export type GateResult = z.infer<typeof gateResult>;
