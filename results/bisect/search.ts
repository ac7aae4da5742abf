// Searches for the changes between two ends of an ordered list. The search asks questions ("is item 12 slower than item 0?") and
// continues with the answers, so a stopped search is resumed by giving it the stored answers again.
import type { BisectedSubject, BisectionProbe, BisectionStage } from '../schema/index.ts';
import {
  excludeItem,
  type ItemRange,
  likeliestRange,
  nextProbe,
  type Posterior,
  uniformPosterior,
  updatePosterior,
} from './posterior.ts';

export interface Answer {
  /**
   * Verdict on the candidate: `slower` if it takes longer than the reference; null = no verdict after the allowed number of pairs
   * of launches.
   */
  verdict: Exclude<BisectionProbe['verdict'], 'unmeasurable'>;
  /** Natural logarithm of the candidate's time divided by the reference's time. */
  logRatio: number;
  /** True if the candidate cannot be measured, for example because its build failed; `verdict` is then null and `logRatio` is 0. */
  isUnmeasurable?: boolean;
}

export interface Question {
  /** Number of the stage of the search, from 0. */
  stage: number;
  purpose: BisectionProbe['purpose'];
  /**
   * The two sides of the comparison: each an item of the list, with the differences that are applied in addition (`fixed`).
   * `reference` is the earlier item: the stage's `from`, or for `step` the item before the found range. `candidate` is the later
   * one: the stage's `to`, the item searched, or for `step` the last item of the found range.
   */
  reference: BisectedSubject;
  candidate: BisectedSubject;
  /** Natural logarithm of the largest ratio of times that still counts as "same". */
  margin: number;
  /** Highest probability that the verdict is wrong. */
  errorRate: number;
  /**
   * Number of earlier comparisons of the same two subjects in this stage that ended without verdict. Their pairs of launches are
   * kept, and more are allowed.
   */
  attempts: number;
}

export interface SearchRules {
  /**
   * Natural logarithm of the largest ratio of times that may count as "same". A change that is certain counts from half of it on.
   */
  margin: number;
  /**
   * Probability that an item, or a range of items that cannot be measured alone, must reach for the search of a stage to stop: 0.95
   * = 95 %.
   */
  confidence: number;
  /**
   * Number of differing settings if items are settings; these are then also examined for settings that only matter together.
   * Otherwise null.
   */
  settings: number | null;
}

/** A search for one change between the items `from` and `to`. Later stages search for further changes besides those found. */
export interface Stage {
  from: number;
  to: number;
  /** Differences (numbers of items) that are applied at both ends of the stage and at all items between. */
  fixed: readonly number[];
  /**
   * Number of the earlier stage whose found setting may matter only together with others; this stage searches for one of these.
   * Null = the stage searches for a change of its own.
   */
  partnerOf: number | null;
  /**
   * Natural logarithm of the largest ratio of times between the ends that may count as "same"; a certain change counts from half of
   * it on.
   */
  margin: number;
  end: BisectionStage['end'];
  /** Natural logarithm of the time at the end `to` divided by the time at `from`; null = not measured yet. */
  logRatio: number | null;
  /** Probability of each item from `from` to `to` that it is the first changed one; the first element is 0. */
  posterior: Posterior;
  /** The range that was found last, with `first` and `last` as items of the whole list; null if none was found yet. */
  found: ItemRange | null;
  /**
   * Natural logarithm of the time of the last found item divided by that of the item before the first found one; null = not
   * measured.
   */
  step: number | null;
}

/** A change counts as gradual after this many found items whose own step did not show it when it was measured alone. */
const maxRefuted = 3;
/**
 * Number of comparisons of one pair of subjects after which a question with the purpose `ends` or `step` is given up without
 * verdict.
 */
const maxAttempts = 2;
/** A search is given up if its stage has this many comparisons without verdict, of items that still have none. */
const maxOpen = 12;
/**
 * Margin of the comparisons in a search, as a share of the whole change between the ends: an item counts as unchanged if its change
 * is certainly smaller, as changed if a change is certain and at least half of this margin.
 */
const changedShare = 0.75;
/** Smallest further change that is looked for, as a share of the whole change between the ends of the stage that found one. */
const furtherShare = 1 / 3;
/**
 * Share of the allowed error (1 - confidence) that all verdicts of one stage together may use up; errorRateOf() divides it among
 * them. It is below 1, so that after these verdicts the likeliest item can reach the probability `confidence`.
 */
const verdictShare = 0.8;

/**
 * Returns how probable a wrong verdict may be, for each verdict of a stage: 80 % of the allowed error (1 - `confidence`), divided
 * by the number of verdicts that a plain bisection of the items needs.
 * @param items number of items of the stage, both ends included
 */
const errorRateOf = (items: number, confidence: number): number =>
  (verdictShare * (1 - confidence)) / Math.max(1, Math.ceil(Math.log2(Math.max(2, items - 1))));

type StageRange = Pick<Stage, 'from' | 'to' | 'fixed' | 'partnerOf' | 'margin'>;

const newStage = (range: StageRange): Stage => ({
  ...range,
  ...{ end: 'open', logRatio: null, found: null, step: null },
  posterior: uniformPosterior(range.to - range.from + 1),
});

/** A part of the search as a generator: it yields questions, and the caller sends the answer to each with next(). */
type Search<T> = Generator<Question, T, Answer>;

/**
 * Searches the changes between items 0 (good end) and `last` (bad end). It yields questions and takes answers; when it returns,
 * `stages` has the result.
 * @param stages filled during the search; the last stage may be open
 */
export function* searchChanges(last: number, rules: SearchRules, stages: Stage[]): Search<void> {
  const skipped = new Set<number>();
  const { margin: smallest } = rules;
  const waiting = [newStage({ from: 0, to: last, fixed: [], partnerOf: null, margin: smallest })];
  for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
    stages.push(stage);
    const at = stages.length - 1;
    yield* searchStage(stage, at, rules, skipped);
    const { found, from, to, fixed, logRatio, step } = stage;
    if (stage.end !== 'found' || found === null || logRatio === null) continue;
    const owner = stage.partnerOf ?? at;
    const margin = Math.max(smallest, furtherShare * Math.abs(logRatio));
    const before = { from, to: found.first - 1, margin };
    if (rules.settings !== null && found.first - 1 > from) {
      // The found setting may be slow only together with earlier ones; a further stage finds out whether it needs any of these.
      waiting.push(newStage({ ...before, fixed: [...fixed, found.last], partnerOf: owner }));
    }
    if (stage.partnerOf !== null) continue;
    if (found.last < to) waiting.push(newStage({ from: found.last, to, fixed, partnerOf: null, margin }));
    const isMissing = step !== null && Math.abs(logRatio - step) >= margin;
    if (isMissing && found.first - 1 > from) waiting.push(newStage({ ...before, fixed, partnerOf: null }));
  }
}

function* ask(question: Omit<Question, 'attempts'>): Search<Answer> {
  for (let attempts = 0; ; attempts += 1) {
    const answer: Answer = yield { ...question, attempts };
    if (answer.verdict !== null || answer.isUnmeasurable === true || attempts + 1 >= maxAttempts)
      return answer;
  }
}

function* searchStage(stage: Stage, at: number, rules: SearchRules, skipped: Set<number>): Search<void> {
  const { from, to, fixed } = stage;
  const subject = (item: number): BisectedSubject => ({ item, fixed });
  const errorRate = errorRateOf(to - from + 1, rules.confidence);
  const ends = { stage: at, purpose: 'ends' as const, reference: subject(from), candidate: subject(to) };
  // With the found setting applied at both ends, the settings that it needs make the same change as the setting itself.
  const whole = yield* ask({ ...ends, margin: stage.margin, errorRate });
  stage.logRatio = whole.logRatio;
  const { verdict } = whole;
  stage.end = verdict === null ? 'no-verdict' : verdict === 'same' ? 'same' : 'open';
  if (stage.end !== 'open') return;
  const margin = Math.max(rules.margin / 2, changedShare * Math.abs(whole.logRatio));
  const local = () => new Set([...skipped].map((item) => item - from));
  const attempts = new Map<number, number>();
  for (let refuted = 0; refuted < maxRefuted; ) {
    let range = likeliestRange(stage.posterior, local());
    while (range.probability < rules.confidence) {
      const item = nextProbe(stage.posterior, attempts, local());
      const open = [...attempts.values()].reduce((sum, count) => sum + count, 0);
      if (item === null || open >= maxOpen) {
        stage.end = 'no-verdict';
        return;
      }
      const probe = {
        stage: at,
        purpose: 'search' as const,
        reference: subject(from),
        candidate: subject(from + item),
      };
      const answer: Answer = yield { ...probe, margin, errorRate, attempts: attempts.get(item) ?? 0 };
      if (answer.isUnmeasurable === true) skipped.add(from + item);
      else if (answer.verdict === null) attempts.set(item, (attempts.get(item) ?? 0) + 1);
      else {
        attempts.delete(item);
        stage.posterior = updatePosterior(
          stage.posterior,
          { item, isChanged: answer.verdict === verdict },
          errorRate,
        );
      }
      range = likeliestRange(stage.posterior, local());
    }
    stage.found = { first: from + range.first, last: from + range.last, probability: range.probability };
    // If only one step lies between the ends, it was measured already.
    if (range.first === 1 && range.last === to - from) {
      [stage.step, stage.end] = [whole.logRatio, 'found'];
      return;
    }
    const step = yield* ask({
      ...{ stage: at, purpose: 'step', margin, errorRate },
      ...{ reference: subject(from + range.first - 1), candidate: subject(from + range.last) },
    });
    stage.step = step.logRatio;
    if (step.verdict === verdict || step.verdict === null) {
      stage.end = 'found';
      return;
    }
    refuted += 1;
    for (let item = range.first; item <= range.last; item += 1)
      stage.posterior = excludeItem(stage.posterior, item, errorRate);
  }
  stage.end = 'gradual';
}
