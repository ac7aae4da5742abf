import { mean } from 'simple-statistics';
import { addAll } from '../../collections.ts';
import type { BlockRecord, FigureData, SideFigure, WorkloadData } from '../../schema/index.ts';

/**
 * Values that one launch recorded in each operation (times in ns, or counts), by name of the value; all lists have the same
 * operations in the same order.
 */
type OperationTimes = ReadonlyMap<string, readonly number[]>;

/**
 * Returns for each operation the highest value of all ranks. Ranks without values are ignored; empty if no rank has values.
 * @param lists values by rank and operation
 */
export function highestOf(lists: readonly (readonly number[])[]): number[] {
  const recorded = lists.filter(({ length }) => length > 0);
  return (recorded[0] ?? []).map((_, i) => Math.max(...recorded.map((values) => values[i] ?? 0)));
}

/**
 * Returns the values that rank 0 recorded in each operation of the isolated trials (times in ns, or counts), by name, one map for
 * each launch in the order of measuring. Launches without any are left out.
 * @param blocks blocks of one cell
 */
function launchesOf(blocks: readonly BlockRecord[]): OperationTimes[] {
  const launches = new Map<number, Map<string, number[]>>();
  for (const { launch, trial, columns } of blocks) {
    if (trial !== 'isolated' || columns === undefined) continue;
    const own = launches.get(launch) ?? new Map<string, number[]>();
    for (const [name, lists] of Object.entries(columns)) {
      const values = lists[0] ?? [];
      if (values.length > 0) addAll(own, name, values);
    }
    if (own.size > 0) launches.set(launch, own);
  }
  return [...launches.values()];
}

const at = (values: readonly number[], places: readonly number[] | null): readonly number[] =>
  places === null ? values : places.map((place) => values[place] ?? 0);

/**
 * Returns the mean of a recorded time, in a list of one figure: first the mean over the chosen operations of each launch, then over
 * launches. The list is empty if no launch recorded it.
 * @param middles indices of the operations to use, for each launch; null = all of them
 */
function timeOf(
  { name, unit }: FigureData,
  launches: readonly OperationTimes[],
  middles: readonly (readonly number[] | null)[],
): SideFigure[] {
  const found = launches.flatMap((launch, i) => {
    const values = launch.get(name);
    if (values === undefined) return [];
    return [{ all: values, used: at(values, middles[i] ?? null) }];
  });
  if (found.length === 0) return [];
  const launchValues = found.map(({ used }) => mean(used));
  const counted = (which: 'all' | 'used') => found.reduce((sum, one) => sum + one[which].length, 0);
  const meanOfAll = mean(found.map(({ all }) => mean(all)));
  const operations = { used: counted('used'), of: counted('all'), meanOfAll };
  return [{ kind: 'side', name, unit, value: mean(launchValues), launchValues, operations }];
}

/**
 * Returns the mean of a recorded count, such as polls per operation, over all operations of all launches, with the lowest and
 * highest count. The list is empty if no launch recorded it.
 */
function countOf({ name, unit }: FigureData, launches: readonly OperationTimes[]): SideFigure[] {
  const found = launches.flatMap((launch) => {
    const values = launch.get(name);
    return values === undefined ? [] : [values];
  });
  if (found.length === 0) return [];
  const all = found.flat();
  const range = all.reduce(
    ({ low, high }, value) => ({ low: Math.min(low, value), high: Math.max(high, value) }),
    { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY },
  );
  return [{ kind: 'side', name, unit, value: mean(all), launchValues: found.map(mean), range }];
}

/**
 * Returns the figures of the steps of an operation on rank 0, from isolated samples. A time is first averaged over those operations
 * of a launch whose total is in the middle half (`middleHalf()`), then over launches. All steps use the same operations, so that
 * their sum and the rest, which is a figure, too, add up to the total. Counts are averaged over all operations. A step that was not
 * recorded has no figure.
 * @param blocks blocks of one cell
 */
export function partsOf({ figures }: WorkloadData, blocks: readonly BlockRecord[]): SideFigure[] {
  const launches = launchesOf(blocks);
  const of = (...parts: FigureData['part'][]) =>
    figures.filter(({ part, acrossRanks }) => parts.includes(part) && acrossRanks === undefined);
  const [wholeRow] = of('whole');
  const middles = launches.map((launch) => {
    const wholes = launch.get(wholeRow?.name ?? '');
    return wholes === undefined ? null : middleHalf(wholes);
  });
  const times = of('step', 'whole').flatMap((row) => timeOf(row, launches, middles));
  const bounds = of('beside', 'bound').flatMap((row) => timeOf(row, launches, middles));
  const found = [...times, ...bounds, ...of('count').flatMap((row) => countOf(row, launches))];
  const whole = times.find(({ name }) => name === wholeRow?.name);
  const steps = times.filter(({ name }) => name !== wholeRow?.name);
  if (whole === undefined || steps.length === 0) return found;
  const less = (all: number, taken: (step: SideFigure) => number): number =>
    Math.round((all - steps.reduce((sum, step) => sum + taken(step), 0)) * 1000) / 1000;
  const rests = of('rest').map(
    ({ name, unit }): SideFigure => ({
      kind: 'side',
      name,
      unit,
      value: less(whole.value, ({ value }) => value),
      launchValues: whole.launchValues.map((all, i) => less(all, ({ launchValues }) => launchValues[i] ?? 0)),
    }),
  );
  return [...found, ...rests];
}

/**
 * Returns the indices of the middle half of the values: a quarter, rounded down, is left out at each end; of equal values the
 * earlier one counts as lower. The mean over these indices is Tukey's midmean (Exploratory Data Analysis, 1977), or interquartile
 * mean. It stays near the median while less than a quarter of the operations is disturbed. In contrast to medians, means of several
 * parts at the same indices add up to the mean of their total (concomitants; David & Nagaraja, Order Statistics, 2003, 6.8). Means
 * over all operations would also add up, but a few preempted operations dominate them: on two busy cores 22.9 us, while the median
 * was 7.5 us and the midmean 7.6 us.
 * @param values at least one
 * @returns indices in ascending order; all of them for fewer than four values
 */
export function middleHalf(values: readonly number[]): number[] {
  const cut = Math.floor(values.length / 4);
  const ordered = values
    .map((_, place) => place)
    .sort((a, b) => Number(values[a]) - Number(values[b]) || a - b);
  return ordered.slice(cut, values.length - cut).sort((a, b) => a - b);
}
