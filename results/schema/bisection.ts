// Contents of bisection.json, which `collbench bisect` writes: the search in an ordered list of builds or settings for the first
// item with which an operation takes longer or shorter than with the items before it.
import { z } from 'zod';

/**
 * Kinds of lists that `collbench bisect` searches. `files`: files or folders that lie in one folder. `commits`: git revisions, each
 * built by a command. `settings`: environment variables and options that differ between two files.
 */
const bisectedKinds = ['files', 'commits', 'settings'] as const;
export type BisectedKind = (typeof bisectedKinds)[number];

/**
 * Subject of a launch. `item` is its index in `items` of bisection.json. If the items are settings, the launch has the settings of
 * the good end with the first `item` differences and those numbered in `fixed` (from 1) applied; otherwise `fixed` is empty.
 */
const bisectedSubject = z.strictObject({ item: z.int().min(0), fixed: z.array(z.int().min(1)).readonly() });
export type BisectedSubject = z.infer<typeof bisectedSubject>;

const bisectedItem = z.strictObject({
  /** Name for readers: name of the file or folder, short hash and subject of the revision, or the changed setting. */
  name: z.string(),
  /**
   * Path or revision hash that replaces the text {item} in the measured command and the build command; null if the items are
   * settings.
   */
  value: z.string().nullable(),
});
export type BisectedItem = z.infer<typeof bisectedItem>;

/**
 * Time of the candidate divided by the time of the reference, median over pairs of launches; 1 before the first pair. `low` and
 * `high` are the bounds of its 95 % interval; null = too few pairs of launches.
 */
const timeRatio = z.strictObject({
  ratio: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type TimeRatio = z.infer<typeof timeRatio>;

/** Comparison of two subjects by pairs of launches, one launch of each per pair. */
const bisectionProbe = timeRatio.extend({
  /** Index in `stages` of the stage to which this comparison belongs. */
  stage: z.int().min(0),
  /**
   * Question that the comparison answers. `ends`: do the times of the first and the last item of the stage differ? `search`: is the
   * candidate, an item between them, already changed? `step`: does the found item differ from the item before it?
   */
  purpose: z.enum(['ends', 'search', 'step']),
  /** Subject with which `candidate` is compared. */
  reference: bisectedSubject,
  /** Subject whose time is compared with that of `reference`. */
  candidate: bisectedSubject,
  /**
   * Largest relative difference in time that still counts as "same": 0.05 = 5 %. A certain difference of about half of it or more
   * is `slower` or `faster`.
   */
  margin: z.number(),
  /** Highest probability, 0 to 1, that the verdict of this comparison is wrong. */
  errorRate: z.number(),
  /**
   * For each pair of launches, in the order of measuring, the natural logarithm of the candidate's time divided by the
   * reference's time.
   */
  logRatios: z.array(z.number()),
  /**
   * Speed of the candidate against the reference. `unmeasurable`: the candidate cannot be built or measured. Null = not decided by
   * the pairs of launches so far.
   */
  verdict: z.enum(['slower', 'faster', 'same', 'unmeasurable']).nullable(),
  /** Reason why the subject `candidate` of this comparison cannot be built or measured; null = it can. */
  reason: z.string().nullable(),
  /** Seconds that the pairs of launches of this comparison took together. */
  seconds: z.number().min(0),
  /**
   * For each item of the stage from its first to its last, the probability (0 to 1) after this verdict that the item is the first
   * changed one. Empty until the comparison ends.
   */
  posterior: z.array(z.number()),
});
export type BisectionProbe = z.infer<typeof bisectionProbe>;

/** A search for one change between the items with the indices `from` and `to`. Later stages look for further changes. */
const bisectionStage = z.strictObject({
  from: z.int().min(0),
  to: z.int().min(0),
  /**
   * Numbers (from 1) of the settings' differences that are applied in addition to every item of the stage; empty if there are none.
   */
  fixed: z.array(z.int().min(1)),
  /**
   * Index of an earlier stage: this stage looks for another setting that must also change for the setting found there to have its
   * effect. Null = this stage looks for a change without such a condition.
   */
  partnerOf: z.int().min(0).nullable(),
  /**
   * Result of the stage. `found`: the change came with one item, or one of several that cannot be told apart. `same`: the times of
   * its ends do not differ. `no-verdict`: the allowed pairs of launches did not decide it. `gradual`: the change came in many
   * steps, none of which shows it alone. `open`: the stage is not at its end.
   */
  end: z.enum(['open', 'found', 'same', 'no-verdict', 'gradual']),
  /**
   * For each item from `from` to `to`, the probability (0 to 1) that the item is the first changed one, after all comparisons of
   * the stage so far.
   */
  posterior: z.array(z.number()),
  /**
   * One of the items `first` to `last` is the first changed one, with this probability (0 to 1). `first` and `last` differ only if
   * items between them cannot be measured. Null unless `end` is `found`.
   */
  found: z.strictObject({ first: z.int().min(1), last: z.int().min(1), probability: z.number() }).nullable(),
  /**
   * Time at the last item of the stage divided by the time at its first item; null = not measured. `step`: time at the found item
   * divided by the time at the item before it; null unless `end` is `found`.
   */
  whole: timeRatio.nullable(),
  step: timeRatio.nullable(),
});
export type BisectionStage = z.infer<typeof bisectionStage>;

export const bisectionRecord = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /**
   * The measured command with its options, one string per word, without the word `collbench`. The text {item} stands for the
   * value of the measured item.
   */
  command: z.array(z.string()),
  kind: z.enum(bisectedKinds),
  /**
   * First and last item of the list as typed: files or revisions. With `good` the operation takes its usual time, with `bad`
   * another one.
   */
  good: z.string(),
  bad: z.string(),
  /** Shell command that builds a revision, in which the text {item} stands for the revision's hash. Null = nothing is built. */
  build: z.string().nullable(),
  /**
   * Absolute path of the directory in which the search was started: relative paths of the command begin there, and the build
   * command runs there.
   */
  folder: z.string(),
  /**
   * Items in order from the good end to the bad end. If they are settings, the first item is the good end, and each later item has
   * one difference more than the item before it.
   */
  items: z.array(bisectedItem).min(2),
  /** Smallest relative difference in time that counts as a change: 0.05 = 5 %. */
  margin: z.number(),
  /** Probability, 0 to 1, from which an item counts as the first changed one. */
  confidence: z.number(),
  /**
   * Maximum number of pairs of launches of a comparison. If a comparison without verdict is repeated, the repetition may have as
   * many pairs again.
   */
  maxPairs: z.int().min(1),
  /** Time limit in seconds for each call of `collbench bisect`, which starts or continues the search. */
  budgetS: z.number(),
  probes: z.array(bisectionProbe),
  stages: z.array(bisectionStage),
  /**
   * Reason why the search stopped before it was complete; null = it is complete, or still running. `failed`: an item with which
   * all others are compared cannot be measured.
   */
  ended: z.enum(['budget', 'interrupted', 'failed']).nullable(),
  /** Number of launches of the measured command so far, including failed ones. */
  launches: z.int().min(0),
  /** Number of launches whose verification found wrong data. */
  wrongLaunches: z.int().min(0),
  /** Seconds that the search has taken so far, summed over all calls of `collbench bisect` that worked on it. */
  seconds: z.number().min(0),
});
export type BisectionRecord = z.infer<typeof bisectionRecord>;
