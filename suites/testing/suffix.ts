import { type FixedChoice, seriesNameText } from '../../results/schema/index.ts';

/**
 * Returns the part of a series' name that follows the transport, such as "@ring/LL"; "" if the series fixes no algorithm or other
 * choice.
 */
export const suffixOf = ({ fixed }: { fixed: FixedChoice }): string =>
  seriesNameText({ transport: '', ...fixed });

/**
 * Replaces the fixed choices of each series by their text in its name, such as "@ring/LL", so that tests can compare short texts.
 */
export const withSuffixes = <T extends { fixed: FixedChoice }>(series: readonly T[]) =>
  series.map(({ fixed, ...others }) => ({ suffix: suffixOf({ fixed }), ...others }));
