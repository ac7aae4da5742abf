/** Seeds of a statistical test: `byDay` of them, times COLLBENCH_TRIALS in the nightly tests (tests/all.mjs). */
export const trials = (byDay: number): number[] =>
  Array.from({ length: byDay * Number(process.env.COLLBENCH_TRIALS ?? 1) }, (_, i) => i + 1);
