// Answers of `collbench explain` to planted causes, counted.
import type { ExplainedSize } from '../../../results/schema/index.ts';
import type { Plant } from './plants.ts';

/** Answer to one planted cause. */
export interface Answer {
  kind: string;
  /** Ids of the named causes, largest share first; null if no size was explained. */
  named: readonly string[] | null;
  /** True if the first cause is a planted one. For a healthy run: if none was named. */
  isRight: boolean;
  /** True if every planted cause was named. */
  areAllNamed: boolean;
  /** True if the interval of what the causes recover together contains the planted time; null if either is not known. */
  isWithin: boolean | null;
  /** Share of the time that stays unexplained; null if no size was explained. */
  unexplained: number | null;
}

/** Time in ns with the ends of its interval. */
export interface CleanTime {
  low: number;
  high: number;
}

/**
 * Judges the ledger of one size.
 * @param size null if no size was explained
 * @param clean time of the command without the planted cause, measured in the same session; null = not known
 */
export function judge(
  { kind, causes }: Pick<Plant, 'kind' | 'causes'>,
  size: ExplainedSize | null,
  clean: CleanTime | null,
): Answer {
  if (size === null)
    return {
      kind,
      named: null,
      isRight: causes.length === 0,
      areAllNamed: false,
      isWithin: null,
      unexplained: null,
    };
  const shares = size.shares.filter((one) => one.kind === 'cause').sort((a, b) => b.ns - a.ns);
  const named = shares.map(({ id }) => id);
  const [first] = named;
  const found = causes.filter((ids) => named.some((id) => ids.includes(id)));
  const sum = (end: 'low' | 'high') => shares.reduce((total, one) => total + one[end], 0);
  const planted = clean && { low: size.time.ns - clean.high, high: size.time.ns - clean.low };
  const rest = size.shares.find((one) => one.kind === 'unexplained');
  return {
    ...{ kind, named, areAllNamed: found.length === causes.length },
    isRight: first === undefined ? causes.length === 0 : causes.some((ids) => ids.includes(first)),
    isWithin:
      planted === null || causes.length === 0 || found.length < causes.length
        ? null
        : sum('low') <= planted.high && planted.low <= sum('high'),
    unexplained: rest === undefined ? null : rest.ns / size.time.ns,
  };
}

const isHealthy = ({ kind }: Answer): boolean => kind === 'healthy';
const countOf = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length;

/** Shares of right first causes, of shares within their interval, and of causes named in healthy runs; NaN without any. */
export function rates(answers: readonly Answer[]): { right: number; within: number; alarms: number } {
  const planted = answers.filter((one) => !isHealthy(one));
  const known = planted.filter(({ isWithin }) => isWithin !== null);
  const healthy = answers.filter(isHealthy);
  return {
    right: countOf(planted, ({ isRight }) => isRight) / planted.length,
    within: countOf(known, ({ isWithin }) => isWithin === true) / known.length,
    alarms: countOf(healthy, ({ isRight }) => !isRight) / healthy.length,
  };
}

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
    const all = ofKind(kind);
    const known = all.filter(({ isWithin }) => isWithin !== null);
    const rests = all.flatMap(({ unexplained }) => unexplained ?? []);
    const rest = rests.reduce((sum, one) => sum + one, 0) / rests.length;
    return row([
      kind,
      `${countOf(all, ({ isRight }) => isRight)} of ${all.length}`,
      `${countOf(all, ({ areAllNamed }) => areAllNamed)} of ${all.length}`,
      `${countOf(known, ({ isWithin }) => isWithin === true)} of ${known.length}`,
      rests.length === 0 ? '' : `${Math.round(100 * rest)} %`,
    ]);
  });
  return [
    ...head(['planted', ...columns.map((column) => `first: ${column}`)]),
    ...matrix,
    '',
    ...head(['planted', 'right first', 'all named', 'share within its interval', 'unexplained, mean']),
    ...results,
    '',
  ].join('\n');
}
