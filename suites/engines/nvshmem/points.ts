import { isRunByNccl, type SeriesSetting, seriesSettings } from '../../../results/schema/index.ts';
import { sizeFlag } from '../../../results/units.ts';
import type { SeriesChoice } from '../series-choice.ts';
import type { NvshmemOptions } from './options.ts';

type SweepOptions = Pick<NvshmemOptions, 'blocks' | 'threads' | 'packet' | 'signal'>;
const names: readonly (keyof SweepOptions & SeriesSetting)[] = seriesSettings;

/** Text of an option value in the engine's settings; null if the value is the engine's default. */
const word = (value: number | string): string | null =>
  value === 0 || value === 'fused' ? null : String(value);

/**
 * Settings that all series of a run share: those of the options blocks, threads, packet and signal that have exactly one value.
 * Default values are left out.
 */
export function commonOf(options: SweepOptions): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const [only, ...more] = options[name];
      const said = only === undefined || more.length > 0 ? null : word(only);
      return said === null ? [] : [[name, said]];
    }),
  );
}

/** Text for one option value in the name of a series: "16", "64K" (bytes of `packet`), or "tuned" for 0, the engine's choice. */
function valueText(name: SeriesSetting, value: number | string): string {
  if (value === 0) return 'tuned';
  return typeof value === 'number' && name === 'packet' ? sizeFlag(value) : String(value);
}

/**
 * Combines every series with every combination of values of the options blocks, threads, packet and signal. Options with a single
 * value stay out of the series' names: "@ring/blocks-16,packet-64K". Series whose operations NCCL runs have none of these options
 * and are returned once.
 */
export function expandSweep(series: readonly SeriesChoice[], options: SweepOptions): SeriesChoice[] {
  const swept = names.filter((one) => options[one].length > 1);
  let points = [{ named: {}, settings: {} }];
  for (const name of swept)
    points = points.flatMap((point) =>
      options[name].map((value) => {
        const setting = word(value);
        return {
          named: { ...point.named, [name]: valueText(name, value) },
          settings: { ...point.settings, ...(setting === null ? {} : { [name]: setting }) },
        };
      }),
    );
  return series.flatMap(({ fixed, settings }) =>
    // NCCL's algorithms have none of these options.
    isRunByNccl(settings?.algo)
      ? [{ fixed, settings }]
      : points.map((point) => ({
          fixed: { ...fixed, settings: point.named },
          // A series with values in its name has explicit settings, even if all of the values are defaults.
          settings: swept.length === 0 ? settings : { ...settings, ...point.settings },
        })),
  );
}
