import type { BlockRecord, FigureData, SideFigure, WorkloadData } from '../schema/index.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Values of one column on rank 0, by launch. */
function byLaunch(name: string, blocks: readonly BlockRecord[]): Map<number, number[]> {
  const launches = new Map<number, number[]>();
  for (const { launch, columns } of blocks) {
    const [values = []] = columns?.[name] ?? [];
    if (values.length > 0) launches.set(launch, [...(launches.get(launch) ?? []), ...values]);
  }
  return launches;
}

function meansOf({ name, unit }: FigureData, blocks: readonly BlockRecord[]): SideFigure[] {
  const launches = [...byLaunch(name, blocks).values()];
  if (launches.length === 0) return [];
  return [{ kind: 'side', name, unit, value: mean(launches.flat()), launchValues: launches.map(mean) }];
}

/**
 * Parts of an operation on rank 0: means over all isolated samples, so that steps add up to the whole; a part that an
 * operation does not have has no column and no figure. What steps leave of the whole is a figure, too.
 * @param blocks of one cell
 */
export function partsOf({ figures }: WorkloadData, blocks: readonly BlockRecord[]): SideFigure[] {
  const isolated = blocks.filter(({ trial }) => trial === 'isolated');
  const of = (...parts: FigureData['part'][]) => figures.filter(({ part }) => parts.includes(part));
  const found = of('step', 'whole', 'count').flatMap((row) => meansOf(row, isolated));
  const whole = found.find(({ name }) => of('whole').some((row) => row.name === name));
  const steps = found.filter(({ name }) => of('step').some((row) => row.name === name));
  if (whole === undefined || steps.length === 0) return found;
  const less = (all: number, at: (step: SideFigure) => number): number =>
    Math.round((all - steps.reduce((sum, step) => sum + at(step), 0)) * 1000) / 1000;
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
