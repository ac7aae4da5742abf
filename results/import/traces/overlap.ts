/** A span of time in us; all spans of a trace are on one clock. */
export interface TraceSpan {
  startUs: number;
  endUs: number;
}

/** Joins spans that touch or overlap. The result is sorted by time. */
export function union(spans: readonly TraceSpan[]): TraceSpan[] {
  const all: TraceSpan[] = [];
  for (const { startUs, endUs } of [...spans].sort((a, b) => a.startUs - b.startUs)) {
    const last = all.at(-1);
    if (last === undefined || startUs > last.endUs) all.push({ startUs, endUs });
    else last.endUs = Math.max(last.endUs, endUs);
  }
  return all;
}

export const lengthUs = (spans: readonly TraceSpan[]): number =>
  spans.reduce((all, { startUs, endUs }) => all + endUs - startUs, 0);

/** Returns those parts of the spans in `one` that no span of `other` covers. Both lists must be results of union(). */
export function uncoveredSpans(one: readonly TraceSpan[], other: readonly TraceSpan[]): TraceSpan[] {
  const left: TraceSpan[] = [];
  let next = 0;
  for (const { startUs, endUs } of one) {
    let from = startUs;
    while (next < other.length && (other[next] as TraceSpan).endUs <= from) next += 1;
    for (let i = next; i < other.length && (other[i] as TraceSpan).startUs < endUs; i += 1) {
      const cover = other[i] as TraceSpan;
      if (cover.startUs > from) left.push({ startUs: from, endUs: cover.startUs });
      from = Math.max(from, cover.endUs);
    }
    if (from < endUs) left.push({ startUs: from, endUs });
  }
  return left;
}
