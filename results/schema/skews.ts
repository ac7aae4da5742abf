// Ranks that are made late on purpose before each operation (`--skew`).

/** Delay of ranks before each operation, made on purpose (`--skew`): how long, and which ranks are late. */
export interface ArrivalSkew {
  /** Time in ns by which the last rank starts the operation later than the first rank. */
  ns: number;
  /**
   * Number of the rank that is late by `ns`; the others are on time. `all`: delays rise evenly from 0 for the first rank to `ns`
   * for the last. `random`: one rank is late, drawn anew for each operation.
   */
  ranks: number | 'all' | 'random';
}

/** Name of the engine setting that tells the ranks their delays; ids of cells contain the setting, too. */
export const skewSetting = 'skew';
/** Largest delay of a rank that `--skew` allows, ns; native code has the same constant. */
export const longestSkewNs = 100_000_000;

const unitsNs = { ms: 1_000_000, us: 1_000, ns: 1 };

/**
 * Returns the value of the setting `skew`: "250us" if rank 0 is late, "1500ns:2", "1ms:all". The unit is the largest one with
 * which the number is whole. @param ns delay in ns, a whole number above 0
 */
export function skewText({ ns, ranks }: ArrivalSkew): string {
  const [unit = 'ns', unitNs = 1] = Object.entries(unitsNs).find(([, size]) => ns % size === 0) ?? [];
  return `${ns / unitNs}${unit}${ranks === 0 ? '' : `:${ranks}`}`;
}

/** The largest delay of a rank that `--skew` allows (`longestSkewNs`), as text with its unit: "100ms". */
export const longestSkewText = skewText({ ns: longestSkewNs, ranks: 0 });

/**
 * Parses a value of the setting `skew`, such as "250us:2"; null if the text is absent or not of this form. It is not checked that
 * the rank exists and the delay is allowed.
 */
export function skewOf(text: string | undefined): ArrivalSkew | null {
  const [, count, unit, who = '0'] = /^(\d+)(ns|us|ms)(?::(\d+|all|random))?$/.exec(text ?? '') ?? [];
  if (count === undefined || unit === undefined) return null;
  const ns = Number(count) * unitsNs[unit as keyof typeof unitsNs];
  return { ns, ranks: who === 'all' || who === 'random' ? who : Number(who) };
}

/**
 * Returns the delay in ns of the latest rank in a series; 0 if no rank is made late. @param over the series in the plan
 * (`TransportPlan`); undefined gives 0
 */
export const skewNsOf = (
  over: { settings?: Readonly<Record<string, string>> | undefined } | undefined,
): number => skewOf(over?.settings?.[skewSetting])?.ns ?? 0;
