// Answers of `collbench explain` to planted causes, counted.
import { minShare } from '../../../results/explain/ledger.ts';
import type { ExplainedSize, TimeLedger } from '../../../results/schema/index.ts';
import type { Plant } from './plants.ts';

/** Answer to one planted cause. */
export interface Answer {
  kind: string;
  /** True if no cause was planted. */
  isHealthy: boolean;
  /** Ids of the named causes, largest share first; null if no size was explained. */
  named: readonly string[] | null;
  /** True if the first cause is a planted one. For a healthy run: if none was named. */
  isRight: boolean;
  /**
   * True if the planted cause makes the time longer by at least `minShare`; null = not known, or no cause was planted. A quota that
   * never stops a rank is no cause.
   */
  isVisible: boolean | null;
  /** True if every planted cause was named. */
  areAllNamed: boolean;
  /**
   * True if the interval of what the planted causes recover together contains the planted time; null if either is not known. Other
   * causes may slow down the command without the planted ones, too.
   */
  isWithin: boolean | null;
  /**
   * Distance between that interval and the planted time, as a share of the time of the command; 0 if they overlap, null if either is
   * not known.
   */
  missedShare: number | null;
  /** Share of the time that stays unexplained; null if no size was explained. */
  unexplained: number | null;
}

/** Ends in ns of the interval of a time. */
export interface TimeEnds {
  low: number;
  high: number;
}

/** Times of a command with or without a planted cause; null = not known. */
export interface CommandTimes {
  typical: TimeEnds | null;
  backToBack: TimeEnds | null;
}

/** Middle of an interval of times, by their ratio. */
const middleOf = ({ low, high }: TimeEnds): number => Math.sqrt(low * high);

/**
 * True if either time is longer with the cause, by `minShare` or more; null if neither is known. Wide intervals do not make a cause
 * invisible, so that an answer without a result counts.
 */
export function isVisible(withCause: CommandTimes, without: CommandTimes): boolean | null {
  const longer = (['typical', 'backToBack'] as const).flatMap((which) => {
    const [planted, clean] = [withCause[which], without[which]];
    return planted === null || clean === null ? [] : [(1 - minShare) * middleOf(planted) > middleOf(clean)];
  });
  return longer.length === 0 ? null : longer.includes(true);
}

/**
 * Judges the explanation of one size: causes by both of its times, shares by the one of which causes recover the larger part.
 * @param size null if no size was explained
 * @param clean times of the command without the planted cause, measured in the same session; null = not known
 */
export function judge(
  { kind, causes }: Pick<Plant, 'kind' | 'causes'>,
  size: ExplainedSize | null,
  clean: CommandTimes | null,
): Omit<Answer, 'isVisible'> {
  if (size === null)
    return {
      kind,
      isHealthy: causes.length === 0,
      named: null,
      isRight: causes.length === 0,
      areAllNamed: false,
      isWithin: null,
      missedShare: null,
      unexplained: null,
    };
  const ledgers = [size, ...(size.backToBack === null ? [] : [size.backToBack])];
  const causesIn = ({ shares, time }: TimeLedger) =>
    shares.flatMap((one) => (one.kind === 'cause' ? [{ ...one, part: one.ns / time.ns }] : []));
  const recovered = (ledger: TimeLedger) => causesIn(ledger).reduce((sum, { part }) => sum + part, 0);
  const [ledger = size] = ledgers.toSorted((a, b) => recovered(b) - recovered(a));
  const cleanTime = clean?.[ledger === size ? 'typical' : 'backToBack'] ?? null;
  const shares = causesIn(ledger).filter(({ id }) => causes.some((ids) => ids.includes(id)));
  const named = [
    ...new Set(
      ledgers
        .flatMap(causesIn)
        .sort((a, b) => b.part - a.part)
        .map(({ id }) => id),
    ),
  ];
  const [first] = named;
  const areAllIn = (list: readonly string[]) => causes.every((ids) => list.some((id) => ids.includes(id)));
  const sum = (end: 'low' | 'high') => shares.reduce((total, one) => total + one[end], 0);
  const planted = cleanTime && { low: ledger.time.ns - cleanTime.high, high: ledger.time.ns - cleanTime.low };
  const rest = ledger.shares.find((one) => one.kind === 'unexplained');
  const missedNs =
    planted === null || causes.length === 0 || !areAllIn(shares.map(({ id }) => id))
      ? null
      : Math.max(0, sum('low') - planted.high, planted.low - sum('high'));
  return {
    ...{ kind, named, areAllNamed: areAllIn(named), isHealthy: causes.length === 0 },
    isRight: first === undefined ? causes.length === 0 : causes.some((ids) => ids.includes(first)),
    isWithin: missedNs === null ? null : missedNs === 0,
    missedShare: missedNs === null ? null : missedNs / ledger.time.ns,
    unexplained: rest === undefined ? null : rest.ns / ledger.time.ns,
  };
}

const countOf = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length;

/** True if an answer counts as one to a planted cause. */
const hasCause = ({ isHealthy, isVisible }: Answer): boolean => !isHealthy && isVisible !== false;

/**
 * Shares of right first causes and of shares within their interval, both where the cause is visible, and of causes named in
 * healthy runs; NaN without any.
 */
export function rates(answers: readonly Answer[]): { right: number; within: number; alarms: number } {
  const planted = answers.filter(hasCause);
  const known = planted.filter(({ isWithin }) => isWithin !== null);
  const healthy = answers.filter(({ isHealthy }) => isHealthy);
  return {
    right: countOf(planted, ({ isRight }) => isRight) / planted.length,
    within: countOf(known, ({ isWithin }) => isWithin === true) / known.length,
    alarms: countOf(healthy, ({ isRight }) => !isRight) / healthy.length,
  };
}

const percentText = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Confusion matrix (planted kind by first named cause) and results by kind, as tables in Markdown. */
export function tablesOf(answers: readonly Answer[]): string {
  const first = ({ named }: Answer): string => (named === null ? 'no result' : (named[0] ?? 'none'));
  const kinds = [...new Set(answers.map(({ kind }) => kind))].sort();
  const columns = [...new Set(answers.map(first))].sort();
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const head = (cells: readonly string[]): string[] => [row(cells), row(cells.map(() => '---'))];
  const ofKind = (kind: string): Answer[] => answers.filter((one) => one.kind === kind);
  const matrix = kinds.map((kind) =>
    row([
      kind,
      ...columns.map((column) => String(countOf(ofKind(kind), (one) => first(one) === column) || '')),
    ]),
  );
  const results = kinds.map((kind) => {
    const hidden = countOf(ofKind(kind), (one) => !one.isHealthy && !hasCause(one));
    const all = ofKind(kind).filter((one) => one.isHealthy || hasCause(one));
    const known = all.filter(({ isWithin }) => isWithin !== null);
    const rests = all.flatMap(({ unexplained }) => unexplained ?? []);
    const rest = rests.reduce((sum, one) => sum + one, 0) / rests.length;
    return row([
      kind,
      `${countOf(all, ({ isRight }) => isRight)} of ${all.length}`,
      `${countOf(all, ({ areAllNamed }) => areAllNamed)} of ${all.length}`,
      `${countOf(known, ({ isWithin }) => isWithin === true)} of ${known.length}`,
      known.length === 0 ? '' : percentText(Math.max(...known.map(({ missedShare }) => missedShare ?? 0))),
      rests.length === 0 ? '' : `${Math.round(100 * rest)} %`,
      hidden === 0 ? '' : String(hidden),
    ]);
  });
  return [
    ...head(['planted', ...columns.map((column) => `first: ${column}`)]),
    ...matrix,
    '',
    ...head([
      ...['planted', 'right first', 'all named', 'share within its interval', 'missed by at most'],
      'unexplained, mean',
      'not visible, not counted on the left',
    ]),
    ...results,
    '',
  ].join('\n');
}
