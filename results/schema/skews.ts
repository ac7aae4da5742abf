// Ranks that are made late on purpose before each operation (`--skew`).

/** Delay of ranks before each operation. */
export interface ArrivalSkew {
  /** Time by which the last rank arrives after the first one, ns. */
  ns: number;
  /** The rank that is late. `all`: ranks are spread evenly over the time. `random`: another rank in each operation. */
  ranks: number | 'all' | 'random';
}

/** Name of the setting that tells ranks how late they are; ids of results contain it, too. */
export const skewSetting = 'skew';
/** Largest delay of a rank in ns; native code has the same constant. */
export const longestSkewNs = 100_000_000;

const unitsNs = { ms: 1_000_000, us: 1_000, ns: 1 };

/** Returns a skew as the setting has it: "250us" for rank 0, "1500ns:2", "1ms:all". @param ns a whole number above 0 */
export function skewText({ ns, ranks }: ArrivalSkew): string {
  const [unit = 'ns', unitNs = 1] = Object.entries(unitsNs).find(([, size]) => ns % size === 0) ?? [];
  return `${ns / unitNs}${unit}${ranks === 0 ? '' : `:${ranks}`}`;
}

/** The largest delay of a rank, with unit. */
export const longestSkewText = skewText({ ns: longestSkewNs, ranks: 0 });

/** Parses the value of the setting; null if it is none. */
export function skewOf(text: string | undefined): ArrivalSkew | null {
  const [, count, unit, who = '0'] = /^(\d+)(ns|us|ms)(?::(\d+|all|random))?$/.exec(text ?? '') ?? [];
  if (count === undefined || unit === undefined) return null;
  const ns = Number(count) * unitsNs[unit as keyof typeof unitsNs];
  return { ns, ranks: who === 'all' || who === 'random' ? who : Number(who) };
}

/** Returns by how many ns the last rank of a series is made late; 0 if none is. */
export const skewNsOf = (
  over: { settings?: Readonly<Record<string, string>> | undefined } | undefined,
): number => skewOf(over?.settings?.[skewSetting])?.ns ?? 0;
