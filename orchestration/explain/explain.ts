// Explains where the time of an operation goes: by experiments that remove suspected causes, one after the other.
import { randomInt } from 'node:crypto';
import { chooseSuspects, ledgerOf, trialsOf, type VariantTimes } from '../../results/explain/ledger.ts';
import { randomSource } from '../../results/random.ts';
import type {
  ExplainedSeries,
  ExplainedSize,
  ExplanationRecord,
  SuspectedCause,
  UntriedCause,
} from '../../results/schema/index.ts';
import type { CauseRow, ExplainedMachine, Suspicion } from '../../suites/explain/causes.ts';
import {
  baseVariant,
  changedVariant,
  changesOf,
  changeText,
  type ExplainedOperation,
  type Intervention,
  type NeededWork,
  type OptionTexts,
  unsetBy,
  type Variant,
} from '../../suites/explain/variants.ts';
import { commandNamed } from '../../suites/workloads/index.ts';
import { measureHops } from './hops.ts';
import {
  type ExplainTools,
  type MeasuredVariant,
  type MissingLaunch,
  measureRound,
  measureVariant,
} from './rounds.ts';

/** One size over one transport, with the time that an earlier run measured. */
export interface ExplainedPoint extends ExplainedOperation {
  expectedNs: number;
}

/** Number of rounds of the first trials. A round measures the command and every changed variant of it once. */
const trialRounds = 2;
/** Number of changes at the head of the list that have their turn even if launches take long, as on a busy machine. */
const likeliest = 3;
/** Maximum number of suspected causes that are removed one after the other at one message size. */
const maxSuspects = 3;
/** Share of a message size's time for the first trials; in the rest, the parts of its time are measured. */
const trialShare = 0.5;
/** Maximum number of rounds in which the parts are measured; more rounds hardly narrow the intervals. */
const maxRounds = 12;

export interface ExplainScreen {
  /** Reports progress. @param done finished share, 0 to 1 @param what what is being measured */
  progress(done: number, what: string): void;
}

export interface ExplainWork {
  /** Message sizes to explain, by series (transport and medium), in ascending order. */
  series: readonly (readonly ExplainedPoint[])[];
  /** Causes that the engine of the command can have. */
  causes: readonly CauseRow[];
  machine: ExplainedMachine;
  budgetS: number;
  signal: AbortSignal;
}

/** Finds the parts of the time of one message size over one transport, in a limited number of seconds. */
class PointExplainer {
  private readonly point: ExplainedPoint;
  private readonly causes: readonly CauseRow[];
  private readonly machine: ExplainedMachine;
  private readonly tools: ExplainTools;
  private readonly beganMs = performance.now();
  private readonly seconds: number;
  private readonly signal: AbortSignal;
  private readonly random = randomSource(randomInt(2 ** 31));
  readonly untried = new Map<string, UntriedCause>();
  /** Causes for which figures of the recorded run speak, by id. */
  readonly suspicions = new Map<string, Suspicion>();
  readonly flags: (readonly string[])[] = [];
  ended: ExplanationRecord['ended'] = null;
  runs = 0;
  /** Number of runs whose verification found wrong data. */
  wrongRuns = 0;

  constructor(
    point: ExplainedPoint,
    { causes, machine, signal }: ExplainWork,
    tools: ExplainTools,
    seconds: number,
  ) {
    this.point = point;
    this.causes = causes;
    this.machine = machine;
    this.tools = tools;
    this.signal = signal;
    this.seconds = seconds;
  }

  /** @returns null if the command itself was measured less than twice */
  async explain(progress: (what: string) => void): Promise<ExplainedSize | null> {
    const base = baseVariant(this.point);
    progress('trying changes');
    const interventions = new Map<Variant, Intervention>();
    for (const row of this.causes) {
      const found = row.interventions(this.point, this.machine);
      const suspicion = row.suspicion?.(this.point, this.machine) ?? null;
      if (suspicion !== null) this.suspicions.set(row.id, suspicion);
      if (!('changes' in found)) {
        const isAbsent = 'absent' in found;
        const reason = isAbsent ? found.absent : found.reason;
        this.untried.set(row.id, { id: row.id, title: row.title, reason, isAbsent });
      } else for (const one of found.changes) interventions.set(changedVariant(base, row.id, one), one);
    }
    const variants = inOrder([...interventions.keys()], base, this.point.options, this.suspicions);
    const trials = fresh([base, ...variants]);
    await this.firstTrials(trials);
    await this.rounds(trials, trialRounds - 1);
    const [first, ...others] = trials;
    if (first?.variant !== base || first.launches.length < 2) return null;
    const times = (one: MeasuredVariant) => timesOf(base, one);
    const { suspects, excluded } = chooseSuspects(trialsOf(times(first), others.map(times)), maxSuspects);
    const removed: Variant[] = [];
    for (const { variant } of suspects) {
      const tried = others.find((one) => one.variant.title === variant.title);
      const intervention = tried && interventions.get(tried.variant);
      if (intervention !== undefined)
        removed.push(changedVariant(removed.at(-1) ?? base, variant.id, intervention));
    }
    progress('measuring shares');
    const last = removed.at(-1) ?? base;
    const algorithm =
      removed.length === 0 ? (first.launches.at(-1)?.algorithm ?? '') : await this.algorithmOf(last);
    const { rest, variants: work } = this.neededWork(last, algorithm);
    const chain = fresh([base, ...removed, ...work]);
    await this.rounds(chain, maxRounds);
    const measured = (variants: readonly Variant[]): VariantTimes[] =>
      variants.flatMap((variant, at) => {
        const one = chain.find((entry) => entry.variant === variant);
        return one === undefined ? [] : [timesOf(variants[at - 1] ?? base, one)];
      });
    const isMeasured = (variant?: Variant) => chain.some((entry) => entry.variant === variant);
    const [whole] = measured([base]);
    if (whole === undefined || whole.ns.length < 2) return null;
    return ledgerOf({
      ...{ payloadBytes: this.point.payloadBytes, base: whole, excluded },
      // Without the last one nothing bounds the time, and the work before it would be taken for the bound.
      ...{ removed: measured(removed), work: isMeasured(work.at(-1)) ? measured(work) : [] },
      // The rest is by definition what the first measurement lacks.
      rest: isMeasured(work[0]) ? rest : null,
    });
  }

  private neededWork(last: Variant, algorithm: string): NeededWork {
    const { workload } = commandNamed(this.point.command);
    return workload.neededWork?.(this.point, last, algorithm) ?? { rest: null, variants: [] };
  }

  private async algorithmOf(variant: Variant): Promise<string> {
    const launch = await measureVariant(variant, this.point.expectedNs, this.tools);
    this.runs += 1;
    return 'ns' in launch ? launch.algorithm : '';
  }

  /** Seconds since the work on this message size began. */
  private get tookS(): number {
    return (performance.now() - this.beganMs) / 1000;
  }

  /**
   * Measures the first round of trials in the order of the list, until its share of the time is over; the likeliest causes may
   * take the share of the later rounds, too. Variants that had no turn, or that cannot be measured, are taken out of the list and noted as not tried. It stops at once if the command
   * itself cannot be measured.
   */
  private async firstTrials(trials: MeasuredVariant[]): Promise<void> {
    const trialsS = trialShare * this.seconds;
    for (const [at, one] of [...trials].entries()) {
      if (this.ended !== null) return;
      const isFirst = one.variant.cause === 'base';
      const limitS = at <= likeliest ? trialsS : trialsS / trialRounds;
      if (!isFirst && this.tookS >= limitS) {
        this.drop(trials, one, { reason: 'no time; needs a longer --budget' });
        continue;
      }
      const launch = await measureVariant(one.variant, this.point.expectedNs, this.tools);
      this.runs += 1;
      if ('ns' in launch) one.launches.push(launch);
      else if ('interrupted' in launch) this.ended = 'interrupted';
      else this.drop(trials, one, launch);
      if (isFirst && one.launches.length === 0) return;
    }
  }

  private drop(measured: MeasuredVariant[], one: MeasuredVariant, { reason, isWrong }: MissingLaunch): void {
    measured.splice(measured.indexOf(one), 1);
    if (isWrong === true) this.wrongRuns += 1;
    const { cause: id, title } = one.variant;
    // A cause of which another variant is measured was tried.
    if (measured.some(({ variant }) => variant.cause === id)) return;
    const suspicion = this.suspicions.get(id);
    const row = this.causes.find((cause) => cause.id === id);
    this.untried.set(
      id,
      suspicion === undefined || row === undefined
        ? { id, title, reason, isAbsent: false }
        : { id, title: row.title, reason: `${suspicion.text}; not tried: ${reason}`, isAbsent: false },
    );
  }

  /** Measures rounds until the time of this point is over, at most `most`. An unfinished round leaves no launches. */
  private async rounds(measured: MeasuredVariant[], most: number): Promise<void> {
    for (let round = 0; round < most && this.ended === null; round += 1) {
      const isOver = () => this.signal.aborted || this.tookS >= this.seconds;
      const end = await measureRound(
        measured,
        this.point.expectedNs,
        this.random,
        this.tools,
        isOver,
        (one, missing) => this.drop(measured, one, missing),
      );
      this.runs += measured.length;
      if (end === 'interrupted' || this.signal.aborted) this.ended = 'interrupted';
      if (end !== 'complete') return;
      this.flags.push(
        ...measured
          .filter(({ variant }) => variant.cause === 'base')
          .map(({ launches }) => launches.at(-1)?.flags ?? []),
      );
    }
  }
}

/**
 * Puts the most likely causes first, because the time may not suffice for all: those for which recorded figures speak, by what
 * they could explain, then what undoes an option that the user set, then one variant of each cause, then the others.
 */
export function inOrder(
  variants: readonly Variant[],
  base: Variant,
  typed: OptionTexts,
  suspicions: ReadonlyMap<string, Suspicion>,
): Variant[] {
  const seen = new Set<string>();
  const rankOf = (variant: Variant): number => {
    const suspicion = suspicions.get(variant.cause);
    if (suspicion !== undefined) return -suspicion.share;
    if (Object.keys(typed).some((key) => variant.options[key] !== base.options[key])) return 1;
    if (seen.has(variant.cause)) return 3;
    seen.add(variant.cause);
    return 2;
  };
  const ranked = variants.map((variant) => ({ variant, rank: rankOf(variant) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ variant }) => variant);
}

const fresh = (variants: readonly Variant[]): MeasuredVariant[] =>
  variants.map((variant) => ({ variant, launches: [] }));

/** Times of a variant by round. @param before the variant from which it differs by one change */
const timesOf = (before: Variant, { variant, launches }: MeasuredVariant): VariantTimes => ({
  id: variant.cause,
  title: variant.title,
  experiment:
    variant.command === before.command ? changeText(before, variant) : `${variant.command} of the same bytes`,
  change: changesOf(before, variant),
  unset: unsetBy(before, variant),
  ns: launches.map(({ ns }) => ns),
  p95Ns: launches.flatMap(({ p95Ns }) => p95Ns ?? []),
  facts: launches,
});

/** Share of the time for all sizes that measuring the hops of a series may take. */
const hopShare = 0.4;

/** Number of hosts from which one slow hop differs from the others. */
const minHosts = 3;

/**
 * Explains all points of a command, until the budget is over or an interrupt. Each size gets an equal part of the time that
 * is left.
 * @param record gets the results; `ended` says why sizes are missing
 * @param update gets the record whenever one more size is complete
 */
export async function explainPoints(
  work: ExplainWork,
  record: ExplanationRecord,
  tools: ExplainTools,
  screen: ExplainScreen,
  update: (record: ExplanationRecord) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const total = work.series.reduce((sum, points) => sum + points.length, 0);
  let done = 0;
  for (const [at, points] of work.series.entries()) {
    const [first] = points;
    if (first === undefined) continue;
    const { series: name, medium } = first;
    const series: ExplainedSeries = { name, medium, sizes: [], suspicions: [], untried: [], flags: [] };
    const suspicions = new Map<string, SuspectedCause>();
    const untried = new Map<string, UntriedCause>();
    const flags: (readonly string[])[] = [];
    record.series.push(series);
    const elapsedS = () => (performance.now() - began) / 1000;
    let hops: ExplainedOperation['hops'];
    if ((first.hosts?.length ?? 0) >= minHosts) {
      screen.progress(done / total, 'measuring hops');
      const limitS = (hopShare * (work.budgetS - elapsedS())) / (work.series.length - at);
      const found = await measureHops(points.at(-1) ?? first, limitS, tools);
      record.runs += 1;
      if (found === 'interrupted') record.ended = 'interrupted';
      else hops = found;
    }
    for (const sized of points) {
      const point = hops === undefined ? sized : { ...sized, hops };
      if (record.ended === 'interrupted') return update(record);
      const leftS = work.budgetS - elapsedS();
      if (leftS <= 0) {
        record.ended = 'budget';
        return update(record);
      }
      const explainer = new PointExplainer(point, work, tools, leftS / (total - done));
      const size = await explainer.explain((what) => screen.progress(done / total, what));
      if (size !== null) series.sizes.push(size);
      else record.ended = 'budget';
      if (explainer.ended !== null) record.ended = explainer.ended;
      for (const [id, { text }] of explainer.suspicions)
        suspicions.set(id, { id, title: work.causes.find((row) => row.id === id)?.title ?? id, text });
      for (const [id, one] of explainer.untried) untried.set(id, one);
      flags.push(...explainer.flags);
      series.suspicions = [...suspicions.values()];
      series.untried = [...untried.values()];
      series.flags = sharesOf(flags);
      record.runs += explainer.runs;
      record.wrongRuns += explainer.wrongRuns;
      done += 1;
      await update(record);
    }
  }
}

/** Each flag (warning about a measurement) with the share of measurements that have it, 0 to 1. */
function sharesOf(flags: readonly (readonly string[])[]): { name: string; share: number }[] {
  const names = [...new Set(flags.flat())];
  return names.map((name) => ({
    name,
    share: flags.filter((one) => one.includes(name)).length / flags.length,
  }));
}
