import type { TraceSpan } from './overlap.ts';

/** The steps of a program, which it marked with time spans of the same name. `name` is without the number of the step. */
export interface MarkedSteps {
  name: string;
  /** Time spans of the steps in order, all marked by one thread. */
  spans: TraceSpan[];
}

export interface TraceMark extends TraceSpan {
  name: string;
  thread: string;
}

/** Returns the name without a number at its end, so that "ProfilerStep#12" and "ProfilerStep#13" are equal. */
const withoutNumber = (name: string): string => name.replace(/#\d+$/, '');

/**
 * Returns the time spans of one thread that have the same name, apart from a number such as "#12" at its end. If several names
 * repeat, the one whose spans cover most time is used. Null if no name repeats.
 */
export function stepsOf(marks: readonly TraceMark[]): MarkedSteps | null {
  const byName = new Map<string, { name: string; spans: TraceSpan[] }>();
  for (const { name, thread, startUs, endUs } of marks) {
    const key = `${thread} ${withoutNumber(name)}`;
    const found = byName.get(key);
    if (found === undefined) byName.set(key, { name: withoutNumber(name), spans: [{ startUs, endUs }] });
    else found.spans.push({ startUs, endUs });
  }
  const repeated = [...byName.values()].filter(({ spans }) => spans.length > 1);
  const covered = (spans: readonly TraceSpan[]) =>
    spans.reduce((all, { startUs, endUs }) => all + endUs - startUs, 0);
  const [most] = repeated.sort((a, b) => covered(b.spans) - covered(a.spans));
  if (most === undefined) return null;
  return { name: most.name, spans: most.spans.sort((a, b) => a.startUs - b.startUs) };
}

/** Returns the mean time from the start of a step to the start of the next one, us. If there is a single step, its duration. */
export function stepUs({ spans }: MarkedSteps): number {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return spans.length === 1
    ? first.endUs - first.startUs
    : (last.startUs - first.startUs) / (spans.length - 1);
}
