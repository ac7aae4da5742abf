/** Seeds of a statistical test: so many by day, COLLBENCH_TRIALS times as many at night (tests/all.mjs). */
export const trials = (byDay: number): number[] =>
  Array.from({ length: byDay * Number(process.env.COLLBENCH_TRIALS ?? 1) }, (_, i) => i + 1);
