// Contents of bisection.json: the search for the first of many builds or settings with which an operation takes another time.
import { z } from 'zod';

/** Kinds of searched lists. `files`: files of a folder. `commits`: revisions that a command builds. `settings`: differences of two files. */
const bisectedKinds = ['files', 'commits', 'settings'] as const;
export type BisectedKind = (typeof bisectedKinds)[number];

/**
 * Something that is measured: the item of this number, from 0. Of settings: the good end with the first `item` differences, and
 * those numbered in `fixed`, from 1.
 */
const bisectedSubject = z.strictObject({ item: z.int().min(0), fixed: z.array(z.int().min(1)).readonly() });
export type BisectedSubject = z.infer<typeof bisectedSubject>;

const bisectedItem = z.strictObject({
  /** Name for readers: name of the file, revision, or changed setting. */
  name: z.string(),
  /** Text that replaces {item} in the command; null for settings, which do not. */
  value: z.string().nullable(),
});
export type BisectedItem = z.infer<typeof bisectedItem>;

/**
 * Time of the candidate divided by the time of the reference; `low` and `high` are the 95 % interval, null = too few pairs of
 * launches.
 */
const timeRatio = z.strictObject({
  ratio: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type TimeRatio = z.infer<typeof timeRatio>;

const bisectionProbe = timeRatio.extend({
  /** Number of the stage, from 0. */
  stage: z.int().min(0),
  /** `ends`: did anything change between both. `search`: is the candidate already changed. `step`: did the change come with it. */
  purpose: z.enum(['ends', 'search', 'step']),
  reference: bisectedSubject,
  candidate: bisectedSubject,
  /** Smallest change that is not "same": 0.05 = 5 %. */
  margin: z.number(),
  /** Probability with which the verdict may be wrong. */
  errorRate: z.number(),
  /** Natural logarithms of time of the candidate over time of the reference, by pair of launches. */
  logRatios: z.array(z.number()),
  /** `unmeasurable`: the candidate cannot be built or measured. Null = not known: more pairs are needed. */
  verdict: z.enum(['slower', 'faster', 'same', 'unmeasurable']).nullable(),
  /** Why the candidate cannot be measured; null = it can. */
  reason: z.string().nullable(),
  seconds: z.number().min(0),
  /** Probability by item of the stage, from its first, that it is the first changed one, after this verdict. */
  posterior: z.array(z.number()),
});
export type BisectionProbe = z.infer<typeof bisectionProbe>;

const bisectionStage = z.strictObject({
  from: z.int().min(0),
  to: z.int().min(0),
  /** Differences that are applied at both ends and at all items between. */
  fixed: z.array(z.int().min(1)),
  /** Number of the stage whose setting needs another one beside it, for which this stage looks; null = it looks for a change. */
  partnerOf: z.int().min(0).nullable(),
  /** `gradual`: the change came in many steps, none of which shows it alone. `open`: the search stopped before its end. */
  end: z.enum(['open', 'found', 'same', 'no-verdict', 'gradual']),
  posterior: z.array(z.number()),
  /** One of items `first` to `last` is the first changed one; several if those between cannot be measured. */
  found: z.strictObject({ first: z.int().min(1), last: z.int().min(1), probability: z.number() }).nullable(),
  /** Ratio of times between the ends, and between the item before the found one and the found one; null = not measured. */
  whole: timeRatio.nullable(),
  step: timeRatio.nullable(),
});
export type BisectionStage = z.infer<typeof bisectionStage>;

export const bisectionRecord = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  startedAt: z.iso.datetime(),
  /** The measured command with its options, after the word `collbench`; {item} stands for the item. */
  command: z.array(z.string()),
  kind: z.enum(bisectedKinds),
  /** Both ends as typed: files or revisions. */
  good: z.string(),
  bad: z.string(),
  /** Shell command that builds a revision; {item} stands for it. Null = nothing is built. */
  build: z.string().nullable(),
  /** Working directory of the command, in which paths and the build command have their meaning. */
  folder: z.string(),
  /** From the good end to the bad end. Of settings, the first is the good end, and each other one difference more. */
  items: z.array(bisectedItem).min(2),
  /** Smallest change that counts: 0.05 = 5 %. */
  margin: z.number(),
  /** Probability at which an item counts as found. */
  confidence: z.number(),
  /** Maximum number of pairs of launches of a comparison. Each repetition of one without a verdict may have as many again. */
  maxPairs: z.int().min(1),
  /** Seconds that each session may take. */
  budgetS: z.number(),
  probes: z.array(bisectionProbe),
  stages: z.array(bisectionStage),
  /** Why the search is not complete; null = it is. */
  ended: z.enum(['budget', 'interrupted', 'failed']).nullable(),
  /** Number of launches of the command, those of failed runs included. */
  launches: z.int().min(0),
  /** Number of launches whose verification found wrong data. */
  wrongLaunches: z.int().min(0),
  /** Seconds of all sessions together. */
  seconds: z.number().min(0),
});
export type BisectionRecord = z.infer<typeof bisectionRecord>;
