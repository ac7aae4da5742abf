import type { RejectedChoice, SeriesChoice } from '../series-choice.ts';

/**
 * Collectives whose elements are independent of each other, so that their data can be divided among channels (threads of a rank).
 */
export const divisibleCollectives: readonly string[] = ['allreduce', 'broadcast', 'reduce'];
export const maxChannels = 16;

/**
 * Combines every series with every number of channels (threads per rank, each with its own connections). Unless the number is 1,
 * the series name gets it: "@ring" with 4 channels becomes "@ring/4ch". Only collectives whose data can be divided take more than 1
 * channel; for other commands the numbers above 1 are in `leftOut`.
 */
export function withChannels(
  series: readonly SeriesChoice[],
  command: string,
  channels: readonly number[],
): { series: SeriesChoice[]; leftOut: RejectedChoice[] } {
  const isCut = divisibleCollectives.includes(command);
  const taken = channels.filter((count) => count === 1 || isCut);
  return {
    series: taken.flatMap((count) =>
      series.map((one) =>
        count === 1
          ? one
          : {
              ...one,
              fixed: { ...one.fixed, choice: [...one.fixed.choice, `${count}ch`] },
              settings: { ...one.settings, channels: String(count) },
            },
      ),
    ),
    leftOut: channels
      .filter((count) => count > 1 && !isCut)
      .map((count) => ({
        name: `${count} channels`,
        reason: `only the vectors of ${divisibleCollectives.join(', ')} are cut into parts`,
      })),
  };
}
