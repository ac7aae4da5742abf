import { sizeFlag } from '../../../results/units.ts';
import type { SeriesChoice } from '../series-choice.ts';
import type { NvshmemOptions } from './options.ts';

type SweepOptions = Pick<NvshmemOptions, 'blocks' | 'threads' | 'packet' | 'signal'>;
const names = ['blocks', 'threads', 'packet', 'signal'] as const satisfies readonly (keyof SweepOptions)[];
type SweepName = (typeof names)[number];

/** Text of an option value in the engine's settings; null if the value is the engine's default. */
const word = (value: number | string): string | null =>
  value === 0 || value === 'fused' ? null : String(value);

/** Settings that all series of a run share: those of options that have exactly one value. */
export function commonOf(options: SweepOptions): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const [only, ...more] = options[name];
      const said = only === undefined || more.length > 0 ? null : word(only);
      return said === null ? [] : [[name, said]];
    }),
  );
}

/** Text for one option value in the name of a series: "blocks-16", "packet-64K", "packet-tuned". */
function said(name: SweepName, value: number | string): string {
  const text = typeof value === 'string' ? value : name === 'packet' ? sizeFlag(value) : String(value);
  return `${name}-${value === 0 ? 'tuned' : text}`;
}

/**
 * Combines every series with every combination of values, for the options that have several values:
 * "@ring/blocks-16,packet-64K".
 */
export function expandSweep(series: readonly SeriesChoice[], options: SweepOptions): SeriesChoice[] {
  let points: { names: string[]; settings: Record<string, string> }[] = [{ names: [], settings: {} }];
  for (const name of names.filter((one) => options[one].length > 1))
    points = points.flatMap((point) =>
      options[name].map((value) => {
        const setting = word(value);
        return {
          names: [...point.names, said(name, value)],
          settings: { ...point.settings, ...(setting === null ? {} : { [name]: setting }) },
        };
      }),
    );
  return series.flatMap(({ suffix, settings }) =>
    // NCCL's algorithms have none of these options.
    settings?.algo?.startsWith('nccl') === true
      ? [{ suffix, settings }]
      : points.map((point) => ({
          suffix:
            point.names.length === 0
              ? suffix
              : `${suffix === '' ? '@' : `${suffix}/`}${point.names.join(',')}`,
          // A series with its own suffix has explicit settings, even if all of its values are defaults.
          settings: point.names.length === 0 ? settings : { ...settings, ...point.settings },
        })),
  );
}
