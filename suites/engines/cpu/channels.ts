import type { SeriesChoice } from '../series-choice.ts';

/** Of native/engines/cpu/channel_parts.h: what is computed element by element. */
const cut: readonly string[] = ['allreduce', 'broadcast', 'reduce'];
export const maxChannels = 16;

/** A choice for each number of channels, named but for one: "@ring" and 4 are "@ring/4ch". */
export function withChannels(
  series: readonly SeriesChoice[],
  command: string,
  channels: readonly number[],
): { series: SeriesChoice[]; leftOut: string[] } {
  const isCut = cut.includes(command);
  const taken = channels.filter((count) => count === 1 || isCut);
  return {
    series: taken.flatMap((count) =>
      series.map(({ suffix, settings, ...others }) =>
        count === 1
          ? { suffix, settings, ...others }
          : {
              suffix: `${suffix === '' ? '@' : `${suffix}/`}${count}ch`,
              settings: { ...settings, channels: String(count) },
              ...others,
            },
      ),
    ),
    leftOut: channels
      .filter((count) => count > 1 && !isCut)
      .map((count) => `${count} channels: only the vectors of ${cut.join(', ')} are cut into parts`),
  };
}
