// Measures variants of the command at one message size, in the time that this size has.
import { randomInt } from 'node:crypto';
import { randomSource } from '../../results/random.ts';
import type { ExplanationRecord, UntriedCause } from '../../results/schema/index.ts';
import { sizeText } from '../../results/units.ts';
import type { Variant } from '../../suites/explain/variants.ts';
import {
  type ExpectedTime,
  type ExplainTools,
  type MeasuredVariant,
  type MissingLaunch,
  measureRound,
  measureVariant,
} from './rounds.ts';

/**
 * Number of rounds of the first trials, which measure the command and every changed variant of the command once per
 * round.
 */
const trialRounds = 2;
/**
 * Maximum number of likely causes whose first trials may use all time of a message size, instead of only its share `trialShare`. On
 * a busy machine, where launches take long, at least these causes are tried.
 */
const maxLikely = 3;
/** Reason that is recorded for a variant of the command that was not measured because the time was over. */
const noTime: MissingLaunch = { reason: 'no time' };
/**
 * Share of a message size's time that the first trials may use. The rest is for measuring how much each suspected
 * cause costs.
 */
const trialShare = 0.5;
/**
 * Minimum number of launches that explain one message size: two rounds of the command and its likeliest changes, then
 * three rounds of four variants. If the budget is too small for this at all sizes, the last sizes get no time, because
 * half of the launches would explain no size.
 */
export const minLaunches = trialRounds * (1 + maxLikely) + 3 * 4;

/**
 * Launches of the command and its variants at one message size over one transport, within a limited time. `flags`: flags of each
 * launch of the command. `ended`: why measuring ended early; null = it did not.
 */
export class PointLaunches {
  private readonly tools: ExplainTools;
  private readonly beganMs = performance.now();
  /** Planned seconds for this message size; `seconds` is what it gets. */
  private readonly plannedS: number;
  /** Seconds that were left for all remaining message sizes when this size began. */
  private readonly leftS: number;
  private readonly signal: AbortSignal;
  /** Shows a text about what is being measured. */
  private readonly progress: (what: string) => void;
  private readonly random = randomSource(randomInt(2 ** 31));
  /**
   * Expected time of an operation, which decides the number of samples of the next launches. The caller may replace it between
   * launches.
   */
  expected: ExpectedTime;
  /** Causes that were not tried, or that there was no time to measure again, by id, with the reason. */
  readonly untried = new Map<string, UntriedCause>();
  readonly flags: (readonly string[])[] = [];
  ended: ExplanationRecord['ended'] = null;
  /** Number of launches that were begun. */
  count = 0;
  /** Number of launches whose results were verified and found wrong. */
  wrongCount = 0;

  constructor(
    expected: ExpectedTime,
    signal: AbortSignal,
    tools: ExplainTools,
    { seconds, leftS }: { seconds: number; leftS: number },
    progress: (what: string) => void,
  ) {
    this.expected = expected;
    this.tools = tools;
    this.signal = signal;
    this.plannedS = seconds;
    this.leftS = leftS;
    this.progress = progress;
  }

  /** Seconds since the explanation of this message size began. */
  get tookS(): number {
    return (performance.now() - this.beganMs) / 1000;
  }

  /**
   * Seconds for this message size: the planned ones, or more if `minLaunches` launches take longer, by the mean of those so far,
   * but then at most `leftS`. The first launch alone may be much slower or faster than the others.
   */
  private get seconds(): number {
    const neededS = this.count === 0 ? 0 : (minLaunches * this.tookS) / this.count;
    return Math.max(this.plannedS, Math.min(this.leftS, neededS));
  }

  /**
   * Number of launches for which this message size still has time, not rounded, if each takes as long as the mean of those so far.
   * 0 before the first launch; below 0 if the time is exceeded.
   */
  get affordableCount(): number {
    return ((this.seconds - this.tookS) * this.count) / this.tookS;
  }

  /**
   * Measures the further rounds of the first trials. First removes the least likely variants from the list, if there is no time to
   * measure all variants once more; the command and its `maxLikely` likeliest variants always stay.
   * @param trials the command, then its variants in order of likelihood
   * @param first the command, which each round measures even if the time is over
   */
  async repeatTrials(trials: MeasuredVariant[], first: MeasuredVariant): Promise<void> {
    for (const one of trials.slice(Math.max(1 + maxLikely, Math.floor(this.affordableCount))).reverse())
      this.drop(trials, one, noTime);
    await this.measureRounds(trials, trialRounds - 1, first);
  }

  /**
   * Measures variants for the first time, in their order, and inserts them into `trials` behind the command. A variant is measured
   * only if two rounds of all variants so far, with it, fit into the share `trialShare` of the size's time; for the first `likely`
   * variants (at most `maxLikely`), into all of the size's time. Other variants, and those that cannot be measured, are recorded as
   * not tried.
   * @param trials measured variants, the command first
   * @param variants variants to measure, the likeliest first
   */
  async firstTrials(
    trials: MeasuredVariant[],
    variants: readonly MeasuredVariant[],
    likely: number,
  ): Promise<void> {
    const before = trials.length;
    trials.splice(1, 0, ...variants);
    for (const [at, one] of variants.entries()) {
      if (this.ended !== null) return;
      const limitS = ((at < Math.min(maxLikely, likely) ? 1 : trialShare) * this.seconds) / trialRounds;
      // One more launch takes as long as the mean of those before it.
      if (this.tookS * (1 + 1 / (before + at)) > limitS) this.drop(trials, one, noTime);
      else await this.firstLaunch(trials, one);
    }
  }

  /**
   * Measures one of the variants for the first time, and adds the launch to the variant.
   * @returns false if it could not be measured; a variant that failed is then removed from `trials`, and recorded as not tried
   */
  async firstLaunch(trials: MeasuredVariant[], one: MeasuredVariant): Promise<boolean> {
    // A variant may take much longer than the command, so its first launch is short. One that selects samples of the command does
    // not.
    const before = one.variant.filter === undefined ? null : this.expected.before;
    const launch = await this.measure(one.variant, before);
    if ('ns' in launch) one.launches.push(launch);
    else if ('interrupted' in launch) this.ended = 'interrupted';
    else this.drop(trials, one, launch);
    return one.launches.length > 0;
  }

  /**
   * Measures a variant once, outside the rounds, and returns the launch without adding it to a variant. A failure is in the
   * result, not thrown.
   * @param before launch that shows how many samples the new one can have; null = none
   */
  measure(variant: Variant, before = this.expected.before): ReturnType<typeof measureVariant> {
    this.noteLaunch(variant);
    return measureVariant(variant, { ...this.expected, before }, this.tools);
  }

  /** Counts a launch that begins, and shows it as progress, because one launch of a slow operation takes seconds. */
  private noteLaunch({ title, payloadBytes }: Variant): void {
    this.count += 1;
    this.progress(`${sizeText(payloadBytes)}, launch ${this.count}: ${title}`);
  }

  private drop(measured: MeasuredVariant[], one: MeasuredVariant, { reason, isWrong }: MissingLaunch): void {
    measured.splice(measured.indexOf(one), 1);
    if (isWrong === true) this.wrongCount += 1;
    const { cause: id, title } = one.variant;
    // A cause counts as tried if another variant of it is measured.
    if (measured.some(({ variant }) => variant.cause === id)) return;
    this.untried.set(id, { id, title, reason, isAbsent: false });
  }

  /**
   * Measures rounds until the time of this message size is over, at most `most` rounds. Each round measures every variant once.
   * The launches of an unfinished round are dropped.
   * @param first variant that each round needs: when the time is over, the round goes on until `first` is measured, and other
   * unmeasured variants are recorded as not tried. Absent = a round ends at once when the time is over
   * @param measured variants to measure; they get the launches, and those that fail are removed from the list
   */
  async measureRounds(measured: MeasuredVariant[], most: number, first?: MeasuredVariant): Promise<void> {
    for (let round = 0; round < most && this.ended === null; round += 1) {
      const end = await measureRound(measured, this.expected, this.random, this.tools, {
        isOver: (found) =>
          this.signal.aborted || (this.tookS >= this.seconds && (first === undefined || found.has(first))),
        begin: ({ variant }) => this.noteLaunch(variant),
        drop: (one, missing) => this.drop(measured, one, missing),
        late: first && ((one) => this.drop(measured, one, noTime)),
      });
      if (end === 'interrupted' || this.signal.aborted) this.ended = 'interrupted';
      if (end === 'interrupted' || (end === 'over' && first === undefined)) return;
      this.flags.push(
        ...measured
          .filter(({ variant }) => variant.cause === 'base')
          .map(({ launches }) => launches.at(-1)?.flags ?? []),
      );
    }
  }
}
