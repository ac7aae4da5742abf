// Continues a bisection from its record: which comparison to measure next, and the record after each pair of launches.
import type { KnownScatter } from '../judge/sequential/evidence.ts';
import { type SequentialTest, sequentialTest } from '../judge/sequential/test.ts';
import type { BisectionProbe, BisectionRecord, TimeRatio } from '../schema/index.ts';
import { type Answer, type Question, type Stage, searchChanges } from './search.ts';

/**
 * Highest degrees of freedom with which the scatter of earlier comparisons counts, because the scatter may differ a little between
 * items.
 */
const maxKnownDegrees = 10;
const minKnownDegrees = 4;

/**
 * Returns the standard deviation of the log ratio of a pair of launches, from the pairs of earlier comparisons, for use in the next
 * one; undefined if they give fewer than four degrees of freedom, or if all pairs of each comparison are equal.
 */
export function scatterOf(probes: readonly Pick<BisectionProbe, 'logRatios'>[]): KnownScatter | undefined {
  let [squares, degrees] = [0, 0];
  for (const { logRatios } of probes) {
    const mean = logRatios.reduce((sum, value) => sum + value, 0) / logRatios.length;
    for (const value of logRatios) squares += (value - mean) ** 2;
    degrees += Math.max(0, logRatios.length - 1);
  }
  if (degrees < minKnownDegrees || squares === 0) return undefined;
  return { sd: Math.sqrt(squares / degrees), degrees: Math.min(degrees, maxKnownDegrees) };
}

const isSameSubject = (a: Question['reference'], b: Question['reference']): boolean =>
  a.item === b.item && a.fixed.join() === b.fixed.join();

const isAbout = (probe: BisectionProbe, { stage, purpose, reference, candidate }: Question): boolean =>
  probe.stage === stage &&
  probe.purpose === purpose &&
  isSameSubject(probe.reference, reference) &&
  isSameSubject(probe.candidate, candidate);

const ratioOf = (probe: BisectionProbe | undefined): TimeRatio | null =>
  probe === undefined ? null : { ratio: probe.ratio, low: probe.low, high: probe.high };

/**
 * Runs a bisection from its record, which is new or was stopped earlier. The caller measures one pair of launches for `question` at
 * a time, the two sides in random order, and gives the log ratio to add(); or it calls addUnmeasurable(). Both change `record` in
 * place; the caller writes it to a file.
 */
export class BisectionSession {
  readonly record: BisectionRecord;
  private readonly stages: Stage[] = [];
  private readonly questions: Generator<Question, void, Answer>;
  /** Number of comparisons of the record that have been assigned to questions so far, that of the current question included. */
  private answered = 0;
  private current: Question | null = null;
  private probe: BisectionProbe | null = null;
  private test: SequentialTest | null = null;

  /**
   * @param record a new record without comparisons, or that of a stopped bisection; its comparisons answer the first questions
   * @throws Error if the comparisons stored in the record do not belong to its search
   */
  constructor(record: BisectionRecord) {
    this.record = record;
    const { items, kind, margin, confidence } = record;
    const rules = {
      margin: Math.log1p(margin),
      confidence,
      settings: kind === 'settings' ? items.length - 1 : null,
    };
    this.questions = searchChanges(items.length - 1, rules, this.stages);
    this.follow(this.questions.next());
  }

  /** The comparison to measure next; null if the search is complete. */
  get question(): Question | null {
    return this.current;
  }

  /** Number of pairs of launches after which the current comparison ends without verdict; pairs of earlier attempts count. */
  get maxPairs(): number {
    return this.record.maxPairs * ((this.current?.attempts ?? 0) + 1);
  }

  /**
   * Number of further pairs of launches that the current comparison is expected to need; null if more than 200 are expected, or if
   * the search is complete.
   */
  get furtherPairs(): number | null {
    return this.test?.furtherPairs() ?? null;
  }

  /**
   * Adds a pair of launches for the current question, and continues with the next question if the comparison is complete. Does
   * nothing if the search is complete.
   * @param logRatio natural logarithm of the candidate's time divided by the reference's time
   * @param seconds time that both launches together took
   * @throws {RangeError} if `logRatio` is not finite
   */
  add(logRatio: number, seconds: number): void {
    const { probe, test } = this;
    if (probe === null || test === null) return;
    test.add(logRatio);
    probe.logRatios.push(logRatio);
    probe.seconds += seconds;
    const { verdict, ratio, low, high } = test.decision();
    Object.assign(probe, { ratio, low, high, verdict: verdict === 'not-decided' ? null : verdict });
    this.settle();
  }

  /**
   * Ends the current comparison because its candidate cannot be measured, stores the reason, and continues with the next question.
   * Does nothing if the search is complete.
   */
  addUnmeasurable(reason: string): void {
    if (this.probe === null) return;
    Object.assign(this.probe, { verdict: 'unmeasurable', reason });
    this.settle();
  }

  /**
   * Answers the current question if its comparison has a verdict, or the allowed number of pairs. Otherwise only updates the
   * record.
   */
  private settle(): void {
    const { probe } = this;
    if (probe === null) return;
    const isOver = probe.verdict !== null || probe.logRatios.length >= this.maxPairs;
    if (isOver) this.follow(this.questions.next(this.answerOf(probe)));
    else this.store();
  }

  private answerOf({ verdict, logRatios, ratio }: BisectionProbe): Answer {
    const logRatio = Math.log(ratio);
    if (verdict === 'unmeasurable') return { verdict: null, logRatio: 0, isUnmeasurable: true };
    // If more pairs were measured than this question allows, the verdict belongs to a later question about the same two subjects.
    return { verdict: logRatios.length > this.maxPairs ? null : verdict, logRatio };
  }

  /** Takes the next question, and answers questions at once as long as the record has their answers. */
  private follow(next: IteratorResult<Question, void>): void {
    let step = next;
    for (;;) {
      if (this.probe !== null) this.notePosterior(this.probe);
      this.current = step.done === true ? null : step.value;
      this.probe = this.current === null ? null : this.probeOf(this.current);
      this.test = null;
      const { probe } = this;
      if (probe === null) break;
      const isOver = probe.verdict !== null || probe.logRatios.length >= this.maxPairs;
      if (!isOver) {
        this.test = this.testOf(probe);
        break;
      }
      step = this.questions.next(this.answerOf(probe));
    }
    this.store();
  }

  private notePosterior(probe: BisectionProbe): void {
    probe.posterior = [...(this.stages[probe.stage]?.posterior ?? [])];
  }

  /**
   * Returns the stored comparison for a question, or a new one without pairs.
   * @throws Error if the next stored comparison belongs to another question
   */
  private probeOf(question: Question): BisectionProbe {
    const { probes } = this.record;
    if (question.attempts > 0) {
      const earlier = probes.slice(0, this.answered).findLast((one) => isAbout(one, question));
      if (earlier !== undefined) return earlier;
    }
    const stored = probes[this.answered];
    this.answered += 1;
    if (stored !== undefined && isAbout(stored, question)) return stored;
    if (stored !== undefined) throw new Error('the stored probes do not belong to this bisection');
    const { stage, purpose, reference, candidate, margin, errorRate } = question;
    const probe: BisectionProbe = {
      ...{ stage, purpose, errorRate, margin: Math.expm1(margin), logRatios: [], seconds: 0 },
      reference: { item: reference.item, fixed: [...reference.fixed] },
      candidate: { item: candidate.item, fixed: [...candidate.fixed] },
      ...{ verdict: null, reason: null, ratio: 1, low: null, high: null, posterior: [] },
    };
    probes.push(probe);
    return probe;
  }

  private testOf(probe: BisectionProbe): SequentialTest {
    const { margin, errorRate: alpha, logRatios } = probe;
    const known = scatterOf(this.record.probes.slice(0, this.record.probes.indexOf(probe)));
    const test = sequentialTest({
      ...{ margin, alpha, threshold: margin / 2 },
      ...(known === undefined ? {} : { known }),
    });
    for (const logRatio of logRatios) test.add(logRatio);
    return test;
  }

  /** Writes the state of the search into the record. */
  private store(): void {
    const { record } = this;
    record.stages = this.stages.map(({ from, to, fixed, partnerOf, end, posterior, found }, at) => {
      const own = record.probes.filter(({ stage, logRatios }) => stage === at && logRatios.length > 0);
      const ends = own.findLast(({ purpose }) => purpose === 'ends');
      const steps = own.filter(({ purpose }) => purpose === 'step');
      const step = to - from === 1 ? ends : steps.findLast(({ candidate }) => candidate.item === found?.last);
      const isFound = end === 'found';
      return {
        ...{ from, to, fixed: [...fixed], partnerOf, end, posterior: [...posterior] },
        ...{ found: isFound ? found : null, whole: ratioOf(ends), step: isFound ? ratioOf(step) : null },
      };
    });
  }
}
